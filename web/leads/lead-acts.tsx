import { IconArrowMerge, IconCircleDashed, IconTrash } from '@tabler/icons-react';
import { useCanGoBack, useNavigate, useRouter } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '../../contract/paths.ts';
import type { Desk } from '../../contract/queue.ts';
import { ask, queries } from '../api.ts';
import { useRight } from '../session.ts';
import { sayWhenWithin } from '../times.ts';
import { Actions } from '../ui/actions.tsx';
import { Confirm } from '../ui/dialog.tsx';
import { tellFailure } from '../ui/notices.ts';
import { offer } from '../ui/offer.tsx';
import { bringBackLead, lookAgainAtLeads } from './deleted-leads.tsx';
import { MergeWith } from './merge-with.tsx';
import { aboutLead, nameLead, type Lead } from './queries.ts';

const WHO_MANAGES = 'Data managers and owners merge and delete leads.';
const WHO_RENEWS = 'Agents, supervisors and data managers make leads new again.';
const WEEK_MS = 7 * 86_400_000;

async function renew(lead: Lead): Promise<void> {
  try {
    await ask('POST', `/leads/${lead.id}/renew`);
    aboutLead(lead.id).notice('The lead is new again. What happened to it before stays in its activity.');
    await queries.invalidateQueries({ queryKey: ['lead', lead.id] });
  } catch (error) {
    aboutLead(lead.id).tellFailure(error);
  }
}

/** What is done to a lead less often. */
export function LeadActs({ lead, columns }: { lead: Lead; columns: Desk['columns'] }) {
  const manages = useRight('leads.manage');
  const sets = useRight('leads.outcome');
  const [asking, setAsking] = useState<'merge' | 'delete'>();
  const close = () => setAsking(undefined);
  const reason = manages ? undefined : WHO_MANAGES;
  return (
    <>
      <Actions
        of={nameLead(lead)}
        className="lead-acts"
        items={[
          { name: 'Merge with another lead', icon: IconArrowMerge, reason, act: () => setAsking('merge') },
          {
            name: 'Make new again',
            icon: IconCircleDashed,
            reason: !sets ? WHO_RENEWS : lead.state === 'new' ? 'It is new.' : undefined,
            act: () => void renew(lead),
          },
          { name: 'Delete', icon: IconTrash, reason, act: () => setAsking('delete') },
        ]}
      />
      {asking === 'merge' && <MergeWith lead={lead} columns={columns} close={close} />}
      {asking === 'delete' && <DeleteLead lead={lead} close={close} />}
    </>
  );
}

function DeleteLead({ lead, close }: { lead: Lead; close: () => void }) {
  const { history } = useRouter();
  const canGoBack = useCanGoBack();
  const navigate = useNavigate();
  const name = nameLead(lead);
  const until = sayWhenWithin(new Date(Date.now() + WEEK_MS));
  const remove = async (isHere: () => boolean) => {
    await ask('DELETE', `/leads/${lead.id}`);
    // To where one came from, and only then forgotten: a page that is still there would ask for it again.
    if (isHere() && canGoBack) history.back();
    else if (isHere()) await navigate({ to: paths.leads });
    queries.removeQueries({ queryKey: ['lead', lead.id], type: 'inactive' });
    void lookAgainAtLeads();
    offer({
      id: `deleted lead ${lead.id}`,
      title: `${name} was deleted.`,
      message: `It can be brought back until ${until}.`,
      act: 'Undo',
      onAct: () => void bringBackLead(lead.id, name).catch(tellFailure),
    });
  };
  return (
    <Confirm opened close={close} title={`Delete ${name}?`} safe="Keep the lead" verb="Delete the lead" act={remove}>
      <p>
        Nobody sees it any more, and programs do not find it; subscribers are told nothing. It can be brought back with
        its history until {until}, then it is gone for good.
      </p>
    </Confirm>
  );
}
