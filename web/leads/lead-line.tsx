import { IconArrowsExchange, IconChevronRight, IconUserPlus } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { scopeOf } from '../../contract/roles.ts';
import type { Desk } from '../../contract/queue.ts';
import { nameOf } from '../../contract/names.ts';
import type { Delegate as DelegateTo, Lack } from '../../contract/users.ts';
import { ask, get, queries } from '../api.ts';
import { useRight, useSession } from '../session.ts';
import { Picker } from '../ui/picker.tsx';
import { aboutLead, listIdOf, nameLead, type Lead } from './queries.ts';
import { Among } from './among.tsx';
import { SetOutcome } from './set-outcome.tsx';
import { listsQuery, listsToMoveTo } from '../lists.ts';
import './lead-line.css';

/** Where the lead is, and what can be done with it. */
export const LeadLine = ({ lead, desk }: { lead: Lead; desk: Desk }) => (
  <div className="lead-line">
    <nav aria-label="Where this lead is">
      <ol className="crumbs">
        <li>
          {lead.list_name}
          <IconChevronRight size={14} stroke={1.75} aria-hidden />
        </li>
        <li className="strong" aria-current="page">
          {nameLead(lead)}
        </li>
      </ol>
    </nav>
    <span className="grow" />
    <Among leadId={lead.id} />
    <Delegate lead={lead} />
    <Move lead={lead} />
    <SetOutcome lead={lead} desk={desk} />
  </div>
);

function useChange(lead: Lead) {
  return useMutation({
    mutationFn: async ({ path, body, said }: { path: string; body: object; said: string }) => {
      await ask('PATCH', `/leads/${lead.id}/${path}`, { lead: body });
      return said;
    },
    onSuccess: (said) => {
      aboutLead(lead.id).notice(said);
      return queries.invalidateQueries({ queryKey: ['lead', lead.id] });
    },
    onError: (error) => aboutLead(lead.id).tellFailure(error),
  });
}

const NOBODY = 'nobody';

/** Those who lack something can be given a lead all the same; it waits until they do not. */
const LACKING: Record<Lack, string> = {
  acceptance: 'invited, has not accepted',
  role: 'no agent role',
  list: 'not on this list',
};

function Delegate({ lead }: { lead: Lead }) {
  const { user } = useSession();
  const scope = scopeOf(user, 'leads.delegate');
  const { mutate, isPending } = useChange(lead);
  const listId = listIdOf(lead);
  const { data: delegates = [] } = useQuery({
    queryKey: ['delegates', listId],
    queryFn: () => get<DelegateTo[]>(`/lists/${listId}/delegates`),
    enabled: scope === 'account',
  });
  const own = { id: user.id, email: user.email, name: nameOf(user), lacks: [] };
  const choices = (scope === 'account' ? delegates : [own])
    .filter(({ email }) => email !== lead.claimed_by)
    .toSorted(
      (a, b) =>
        a.lacks.length - b.lacks.length ||
        Number(b.id === user.id) - Number(a.id === user.id) ||
        a.name.localeCompare(b.name),
    )
    .map(({ id, email, name, lacks }) => ({
      value: String(id),
      label: id === user.id ? 'You' : name,
      hint: lacks.map((lack) => LACKING[lack]).join(', ') || (id === user.id || name === email ? undefined : email),
      further: lacks.length > 0,
    }));
  const gives = lead.claimed_by !== null && (scope === 'account' || lead.claimed_by === user.email);
  const choose = (value: string) => {
    if (value === NOBODY) {
      const body = { to_list_id: listId, give_back_leads: true };
      mutate({ path: 'migrate', body, said: 'The lead is free for everyone again.' });
      return;
    }
    const name = choices.find((choice) => choice.value === value)!.label;
    const said = name === 'You' ? 'The lead is yours.' : `${name} has the lead now.`;
    mutate({ path: 'delegate', body: { delegate_to: Number(value) }, said });
  };
  return (
    <Picker
      label="Delegate"
      icon={<IconUserPlus size={16} stroke={1.75} aria-hidden />}
      seek="Find a colleague"
      choices={[...(gives ? [{ value: NOBODY, label: 'Nobody, give it back' }] : []), ...choices]}
      choose={choose}
      may={scope !== undefined}
      who="Agents, supervisors and data managers delegate leads."
      isBusy={isPending}
    />
  );
}

function Move({ lead }: { lead: Lead }) {
  const may = useRight('leads.migrate');
  const { data: lists = [] } = useQuery({ ...listsQuery, enabled: may });
  const { mutate, isPending } = useChange(lead);
  const others = listsToMoveTo(lists, listIdOf(lead));
  return (
    <Picker
      label="Move"
      icon={<IconArrowsExchange size={16} stroke={1.75} aria-hidden />}
      seek="Find a list"
      choices={others.map(({ id, name }) => ({ value: String(id), label: name }))}
      choose={(value) => {
        const { id, name } = others.find((list) => String(list.id) === value)!;
        mutate({ path: 'migrate', body: { to_list_id: id }, said: `The lead is in ${name} now.` });
      }}
      may={may}
      who="Data managers and owners move leads to another list."
      isBusy={isPending}
    />
  );
}
