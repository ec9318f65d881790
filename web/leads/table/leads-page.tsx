import { useQuery } from '@tanstack/react-query';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import type { TableLead } from '../../../contract/lead-table.ts';
import { FIELD, isField } from '../../../contract/filters.ts';
import { paths } from '../../../contract/paths.ts';
import { Refused } from '../../api.ts';
import { sayCount } from '../../counts.ts';
import { listsQuery } from '../../lists.ts';
import { useRight } from '../../session.ts';
import { TextButton } from '../../ui/button.tsx';
import { Missing } from '../../ui/missing.tsx';
import { Failure } from '../../ui/parts.tsx';
import { useTitle } from '../../ui/title.ts';
import { AddLeadDialog } from '../add-lead-dialog.tsx';
import { Acts, ActsButton } from '../bulk/acts.tsx';
import { BulkBar } from '../bulk/bulk-bar.tsx';
import { useActsEnded } from '../bulk/queries.ts';
import { FilterBar } from '../filter/filter-bar.tsx';
import { FIRST_ORDER, useAsked, writeMatching, type Asking } from './asked.ts';
import { kindOf } from './cells.tsx';
import { ColumnsMenu } from './columns-menu.tsx';
import { ExportMenu } from './export-menu.tsx';
import { useFields } from './fields.ts';
import { GivenUp, NoLeads } from './in-place-of-rows.tsx';
import { LeadBeside } from './lead-beside.tsx';
import { LeadTable } from './lead-table.tsx';
import { amongOf, givenUp, lengthOf, rowsOf } from './run.ts';
import { SelectionProvider, useChoosing, type Selection } from './selection.ts';
import { useRows, type Rows } from './use-rows.ts';
import '../../ui/page.css';
import '../../ui/panel.css';
import './leads-page.css';

/** All leads that one sees, or those of some lists. */
export function LeadsPage() {
  const { lists } = useAsked();
  const reads = useRight('leads.read');
  const { data: all } = useQuery(listsQuery);
  const names = all?.filter(({ id }) => lists.includes(id)).map(({ name }) => name) ?? [];
  useTitle('Leads');
  if (!reads) return <Missing />;
  return (
    <div className="page leads-page">
      <div className="page-head">
        <h1>Leads</h1>
        <span className="meta grow wrap">{new Intl.ListFormat('en').format(names)}</span>
      </div>
      <Leads />
    </div>
  );
}

const NONE = { number: 0, about: false };

/** The table with what stands around it; of one list as a part of its page. */
export function Leads() {
  const asked = useAsked();
  const navigate = useNavigate();
  const listed = useFields(asked.lists);
  const fields = useMemo(() => new Map(listed.map((field) => [field.key, field])), [listed]);
  const matching = writeMatching(asked);
  const entry = useLocation({ select: ({ state }) => state.key ?? '' });
  const asking = {
    matching,
    order: asked.order,
    fields: asked.columns
      .filter(({ name }) => isField(name))
      .map(({ name }) => name.slice(FIELD.length))
      .toSorted()
      .join(','),
    lists: asked.lists,
  };
  const rows = useRows(asking, entry);
  const { run, error, isCurrent } = rows;
  const selection = useChoosing(matching, isCurrent ? run?.total : undefined);
  // Whoever chooses from the rows, or waits for no act, keeps them as they are: that they changed is told.
  useActsEnded((isOwn) => isOwn && selection.count.number === 0 && rows.reload());
  const [opened, open] = useState<number>();
  const [addingTo, addTo] = useState<number>();
  const openPage = ({ id }: Pick<TableLead, 'id'>) =>
    void navigate({ to: paths.lead(id), state: (run && amongOf(run, id)) ?? {} });
  // What was refused is said in place of the rows, not beside those of another question.
  const refused = error && !(isCurrent && run) ? error : null;
  const isEmpty = run && isCurrent && !refused && rowsOf(run) === 0;
  return (
    <SelectionProvider value={selection}>
      <FilterBar asked={asked} total={isCurrent ? run?.total : undefined} error={refused}>
        <Further rows={rows} selection={selection} />
        <ActsButton />
        <ExportMenu
          asked={asked}
          columns={asked.columns.map(({ name }) => name).filter((name) => kindOf(name, fields))}
          total={isCurrent ? run?.total : undefined}
        />
        <ColumnsMenu columns={asked.columns} fields={fields} change={(columns) => asked.set({ columns })} />
      </FilterBar>
      <div className={opened === undefined ? 'leads-around' : 'leads-around with-lead'}>
        <section className="panel flush leads-panel" aria-label="Leads" aria-busy={!isCurrent && !refused}>
          {refused && <Refusal error={refused} asked={asked} again={rows.again} />}
          {isEmpty && !givenUp(run) && <NoLeads asked={asked} addTo={addTo} />}
          {!refused && !isEmpty && (
            <LeadTable
              asked={asked}
              rows={rows}
              fields={fields}
              opened={opened}
              open={(lead) => open(lead?.id)}
              openPage={openPage}
            />
          )}
          {run && isCurrent && !refused && givenUp(run) && <GivenUp rows={rows} run={run} />}
          {error && !refused && (
            <p className="leads-fault" role="alert">
              <span className="fault">{error.message}</span> <TextButton onClick={rows.again}>Try again</TextButton>
            </p>
          )}
        </section>
        {opened !== undefined && (
          <LeadBeside
            leadId={opened}
            open={open}
            close={() => open(undefined)}
            openPage={() => openPage({ id: opened })}
          />
        )}
        <Acts />
      </div>
      {/* It stays where it is while others add leads, and the table comes to be. */}
      {addingTo !== undefined && (
        <AddLeadDialog listId={addingTo} close={() => addTo(undefined)} open={(id) => openPage({ id })} />
      )}
      <BulkBar />
    </SelectionProvider>
  );
}

/** What changed meanwhile, and how all that match are chosen. */
function Further({ rows: { run, changed, reload, isCurrent }, selection }: { rows: Rows; selection: Selection }) {
  const total = isCurrent && run ? run.total : NONE;
  const isAllLoaded = run && !selection.all && selection.ids.size >= lengthOf(run) && lengthOf(run) < total.number;
  return (
    <>
      {changed > 0 && (
        <span role="status">
          {sayCount(changed, 'changed', 'changed')}, <TextButton onClick={reload}>show</TextButton>
        </span>
      )}
      {isAllLoaded && (
        <TextButton onClick={selection.chooseAll}>
          Select all {total.about && 'about '}
          {total.number.toLocaleString()}
        </TextButton>
      )}
    </>
  );
}

/** Why the service does not show what was asked for, and the way back to what it does. */
function Refusal({ error, asked, again }: { error: Error; asked: Asking; again: () => void }) {
  const isByField = isField(asked.order.replace(/^-/, ''));
  const isOfLists = error instanceof Refused && error.errors.lists !== undefined;
  return (
    <div className="leads-refusal">
      <Failure error={error} again={again} />
      {isOfLists && <TextButton onClick={() => asked.set({ lists: [] })}>All lists</TextButton>}
      {isByField && <TextButton onClick={() => asked.set({ order: FIRST_ORDER })}>Put them in queue order</TextButton>}
      {asked.f.length > 0 && <TextButton onClick={() => asked.set({ tokens: [] })}>Clear the filter</TextButton>}
    </div>
  );
}
