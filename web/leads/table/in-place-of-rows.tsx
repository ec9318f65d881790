import { paths } from '../../../contract/paths.ts';
import { useAddLead } from '../../adding.ts';
import { ImportButton } from '../../importing.tsx';
import { useKeys } from '../../keys.ts';
import { useRight } from '../../session.ts';
import { Button, ButtonLink } from '../../ui/button.tsx';
import { Empty } from '../../ui/parts.tsx';
import { FIRST_ORDER, isByDue, type Asking } from './asked.ts';
import { lengthOf, type Run } from './run.ts';
import type { Rows } from './use-rows.ts';
import './in-place-of-rows.css';

/** Nobody matches, or nobody is there yet. */
export function NoLeads({ asked, addTo }: { asked: Asking; addTo: (listId: number) => void }) {
  const isFiltered = asked.f.length > 0 || asked.q !== '';
  const [listId] = asked.lists.length === 1 ? asked.lists : [];
  if (isByDue(asked.order))
    return (
      <Empty
        title={isFiltered ? 'None that matches is due at a time.' : 'No lead is due at a time.'}
        action={
          <Button variant="default" onClick={() => asked.set({ order: FIRST_ORDER })}>
            Put them in queue order
          </Button>
        }
      >
        In this order call backs with a time are shown, and no others.
      </Empty>
    );
  if (isFiltered)
    return (
      <Empty
        title="No lead matches."
        action={
          <Button variant="default" onClick={() => asked.set({ tokens: [], q: '', view: undefined })}>
            Clear the filter
          </Button>
        }
      >
        Take a token away, or look for other words.
      </Empty>
    );
  if (listId !== undefined) return <FirstLead listId={listId} add={() => addTo(listId)} />;
  return (
    <Empty
      title="There are no leads yet."
      action={
        <div className="empty-acts">
          <ImportButton variant="filled">Upload a file</ImportButton>
          <ButtonLink variant="default" href={paths.lists}>
            All lists
          </ButtonLink>
        </div>
      }
    >
      Leads stand in lists: upload a file with them, open a list and add the first, or send them through the API.
    </Empty>
  );
}

function FirstLead({ listId, add }: { listId: number; add: () => void }) {
  const writes = useRight('leads.write');
  useAddLead(writes ? add : undefined);
  useKeys({ ...(writes && { a: add }) });
  return (
    <Empty
      title="This list has no leads yet."
      action={
        <div className="empty-acts">
          <ImportButton listId={listId} variant="filled">
            Upload a file
          </ImportButton>
          {writes && (
            <Button variant="default" onClick={add}>
              Add a lead
            </Button>
          )}
        </div>
      }
    >
      Upload a file with them, add the first by hand, or send them through the API.
    </Empty>
  );
}

/** Where looking took too long: how far it came, and what would make it quick. */
export function GivenUp({ rows, run }: { rows: Rows; run: Run }) {
  const looked = run.pages.reduce((sum, { looked_at }) => sum + (looked_at ?? 0), 0);
  const found = lengthOf(run);
  return (
    <div className="leads-given-up" role="status">
      <span>
        Looked at {looked.toLocaleString()} leads and found {found === 0 ? 'none' : found.toLocaleString()}.{' '}
        {run.pages.at(-1)!.hint}
      </span>
      <Button variant="default" size="xs" loading={rows.isLookingOn} onClick={rows.lookOn}>
        Go on looking
      </Button>
    </div>
  );
}
