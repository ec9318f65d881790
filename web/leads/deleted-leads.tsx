import { queryOptions, useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import type { DeletedLead } from '../../contract/leads.ts';
import { paths } from '../../contract/paths.ts';
import { ask, get, queries } from '../api.ts';
import { useRight } from '../session.ts';
import { sayWhenWithin } from '../times.ts';
import { Button } from '../ui/button.tsx';
import { Missing } from '../ui/missing.tsx';
import { notice, tellFailure } from '../ui/notices.ts';
import { Page } from '../ui/page.tsx';
import { Empty, Failure, Loading, Time } from '../ui/parts.tsx';
import { WasDeleted } from '../ui/was-deleted.tsx';
import { nameLead } from './queries.ts';
import '../ui/panel.css';
import '../ui/rows.css';

/** The last of them, or one. */
const deletedQuery = (id?: number) =>
  queryOptions({
    queryKey: ['leads', 'deleted', id],
    queryFn: () => get<DeletedLead[]>(`/leads/deleted${id === undefined ? '' : `?id=${id}`}`),
  });

/** Leads went or came: whatever counts or shows them is asked for again. */
export const lookAgainAtLeads = () =>
  Promise.all([queries.invalidateQueries({ queryKey: ['leads'] }), queries.invalidateQueries({ queryKey: ['lists'] })]);

export async function bringBackLead(id: number, name: string): Promise<void> {
  await ask('POST', `/leads/${id}/restore`);
  await queries.resetQueries({ queryKey: ['lead', id] });
  void lookAgainAtLeads();
  notice('It is where it was, with its history.', `${name} is back.`);
}

function BringBack({ lead, done }: { lead: DeletedLead; done?: () => void }) {
  const name = nameLead(lead);
  const bringing = useMutation({
    mutationFn: () => bringBackLead(lead.id, name),
    ...(done && { onSuccess: done }),
    onError: tellFailure,
  });
  return (
    <Button
      variant="default"
      aria-label={`Bring back ${name}`}
      loading={bringing.isPending}
      onClick={() => bringing.mutate()}
    >
      Bring back
    </Button>
  );
}

const WHO = 'Data managers and owners delete leads, and bring them back.';

/** Those of the last week, the last first. */
export function DeletedLeadsPage() {
  const manages = useRight('leads.manage');
  const navigate = useNavigate();
  const { data, error, refetch } = useQuery({ ...deletedQuery(), enabled: manages });
  return (
    <Page
      title="Deleted leads"
      action={
        <Button variant="default" onClick={() => void navigate({ to: paths.leads })}>
          All leads
        </Button>
      }
    >
      <section className="panel flush" aria-label="Deleted leads">
        {!manages && <Empty title="These are not yours to see.">{WHO}</Empty>}
        {manages && !data && (error ? <Failure error={error} again={() => void refetch()} /> : <Loading />)}
        {data?.length === 0 && (
          <Empty title="No lead was deleted in the last week.">
            What is deleted stands here for 7 days, and can be brought back. Leads that went with their list come back
            with it, from <Link to={paths.lists}>Lists</Link>.
          </Empty>
        )}
        {data && data.length > 0 && (
          <ul className="rows">
            {data.map((lead) => (
              <li key={lead.id} className="row">
                <div className="grow">
                  <strong className="strong wrap">{nameLead(lead)}</strong>
                  <p className="meta">
                    {lead.list_name}. Deleted by {lead.deleted_by}, <Time at={lead.deleted_at} say={sayWhenWithin} />;
                    gone for good <Time at={lead.removed_at} say={sayWhenWithin} />.
                  </p>
                </div>
                <BringBack lead={lead} />
              </li>
            ))}
          </ul>
        )}
      </section>
      {data && data.length >= 100 && (
        <p className="meta">The last 100. A lead that went before them is brought back at its own address.</p>
      )}
    </Page>
  );
}

/** At the address of a lead that is not there: deleted, and for a week not for good. */
export function GoneLead({ leadId }: { leadId: number }) {
  const manages = useRight('leads.manage');
  const { data, isPending } = useQuery({ ...deletedQuery(leadId), enabled: manages && Number.isSafeInteger(leadId) });
  const [lead] = data ?? [];
  if (manages && isPending && Number.isSafeInteger(leadId)) return <Loading />;
  if (!lead) return <Missing />;
  return (
    <WasDeleted
      name={nameLead(lead)}
      deleted={lead}
      bringBack={<BringBack lead={lead} />}
      others={{ href: paths.leads, words: 'All leads' }}
    />
  );
}
