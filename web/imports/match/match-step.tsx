import { useMutation, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { Import, Plan } from '../../../contract/imports.ts';
import { paths } from '../../../contract/paths.ts';
import { ask } from '../../api.ts';
import { isPressing, useKeys } from '../../keys.ts';
import { percentOf } from '../../importing.tsx';
import { fieldsQuery } from '../../lists/queries.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Fault } from '../../ui/form.tsx';
import { GuardedButton } from '../../ui/guarded.tsx';
import { Key, Loading } from '../../ui/parts.tsx';
import { forecast, sayImport } from '../forecast.ts';
import { ImportFrame } from '../import-frame.tsx';
import { sampleQuery, tellImport, useDiscard } from '../queries.ts';
import { nameOfList, sayRows } from '../words.ts';
import { useImportChange, type Changing } from './change.ts';
import { Choices } from './choices.tsx';
import { FileLine } from './file-line.tsx';
import { MatchTable } from './match-table.tsx';
import { Preview } from './preview.tsx';
import { WhatHappens } from './what-happens.tsx';
import '../../ui/panel.css';
import './match-step.css';

/** The second step: what each column becomes, and what will happen. Nothing is stored yet. */
export function MatchStep({ import: told }: { import: Import }) {
  const changing = useImportChange(told);
  const { now, changePlan, changeHow } = changing;
  const { plan } = now;
  const sample = useQuery({ ...sampleQuery(told), enabled: told.plan !== null });
  return (
    <ImportFrame
      title={`Import into ${nameOfList(now)}`}
      step={1}
      percent={told.exact || told.state === 'reading' ? undefined : percentOf(told.checked, told.rows)}
      foot={<Foot import={now} changing={changing} />}
    >
      <div className="match-columns">
        <div className="match-left">
          <section className="panel flush" aria-label="Matching">
            <FileLine import={now} change={changeHow} />
            {plan && now.columns.length > 0 ? (
              <Matching import={now} plan={plan} change={(matches) => changePlan({ matches })} />
            ) : (
              <Reading import={now} />
            )}
          </section>
          {plan && <Preview sample={sample.data} error={sample.error} again={() => void sample.refetch()} />}
        </div>
        {plan && (
          <div className="match-right">
            <WhatHappens import={now} plan={plan} sample={sample.data} change={changePlan} />
            <Choices import={now} plan={plan} change={changePlan} />
          </div>
        )}
      </div>
    </ImportFrame>
  );
}

const NO_FIELDS: never[] = [];

type MatchingProps = { import: Import; plan: Plan; change: (matches: Plan['matches']) => void };

function Matching({ import: one, plan, change }: MatchingProps) {
  const isNewList = plan.list_id === null;
  const { data } = useQuery({ ...fieldsQuery(plan.list_id ?? 0), enabled: !isNewList });
  const fields = isNewList ? NO_FIELDS : data?.fields;
  if (!fields) return <Loading rows={one.columns.length} />;
  return (
    <MatchTable columns={one.columns} matches={plan.matches} fields={fields} isNewList={isNewList} change={change} />
  );
}

const Reading = ({ import: { rows } }: { import: Import }) => (
  <div className="match-reading">
    <p role="status" className="figures">
      {rows > 0 ? `Reading the file, ${sayRows(rows)} so far` : 'Reading the file'}
    </p>
    <Loading rows={8} />
  </div>
);

function Foot({ import: one, changing }: { import: Import; changing: Changing }) {
  const navigate = useNavigate();
  const discard = useDiscard(one);
  const [asks, setAsks] = useState(false);
  const starting = useMutation({
    mutationFn: () => ask<Import>('POST', `/imports/${one.id}/start`, { import: { version: one.version } }),
    onSuccess: tellImport,
  });
  const will = one.plan && forecast(one.counts, one.plan);
  const reason = changing.isSaving ? 'What you changed is being saved.' : whyNot(one, will);
  const start = () => {
    if (reason === undefined && !starting.isPending) starting.mutate();
  };
  useKeys({ Enter: (event) => (isPressing(event) ? false : start()) });
  const search = (one.list ? { list: one.list.id } : {}) as never;
  return (
    <>
      <Button variant="default" onClick={() => void navigate({ to: paths.newImport, search })}>
        Back
      </Button>
      <Button variant="default" onClick={() => setAsks(true)}>
        Discard
      </Button>
      <div className="grow match-says">
        <Fault error={starting.error ?? changing.error} />
        {!starting.error && !changing.error && <span className="meta">Nothing is stored yet</span>}
      </div>
      <GuardedButton
        may={reason === undefined}
        who={reason ?? ''}
        loading={starting.isPending || changing.isSaving}
        rightSection={<Key>↵</Key>}
        onClick={start}
      >
        {will ? sayImport(will) : 'Import'}
      </GuardedButton>
      <Confirm
        opened={asks}
        close={() => setAsks(false)}
        title={`Discard ${one.file_name}`}
        safe="Keep it"
        verb="Discard the file"
        act={discard}
      >
        The file and how it was matched go away. No lead was made.
      </Confirm>
    </>
  );
}

/** Why it cannot be started now. */
function whyNot(one: Import, will: ReturnType<typeof forecast> | null): string | undefined {
  if (one.state === 'reading') return 'The file is still being read.';
  if (!one.exact) return `Rows are still being counted, ${percentOf(one.checked, one.rows)} % so far.`;
  if (!will || will.made + will.updated === 0) return 'No row would become a lead.';
  return undefined;
}
