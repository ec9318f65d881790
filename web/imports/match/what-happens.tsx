import { IconDownload, IconHistory, IconInfoCircle } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import {
  IMPORT_UNDONE_FOR_DAYS,
  type DuplicateChoice,
  type Import,
  type ImportSample,
  type Plan,
} from '../../../contract/imports.ts';
import { sayCount } from '../../counts.ts';
import { percentOf } from '../../importing.tsx';
import { sayWhenWithin } from '../../times.ts';
import { Tab, Tabs } from '../../ui/tabs.tsx';
import { Time } from '../../ui/parts.tsx';
import { Bar } from '../bar.tsx';
import { faultyAddress } from '../faulty-file.tsx';
import { forecast, type Forecast } from '../forecast.ts';
import { sayBy, sayLeft } from '../words.ts';
import '../../ui/panel.css';
import './what-happens.css';

type Props = {
  import: Import;
  plan: Plan;
  sample: ImportSample | undefined;
  change: (part: Partial<Plan>) => void;
};

/** How many leads there will be, and what becomes of the other rows: recounted as choices change. */
export function WhatHappens({ import: one, plan, sample, change }: Props) {
  const { counts, exact } = one;
  const will = forecast(counts, plan);
  return (
    <section className="panel what-happens" aria-label="What will happen">
      <h2>What will happen</h2>
      {/* Read aloud once it is certain, not with every step of the count. */}
      <p role="status" className="unseen">
        {exact && `${sayCount(will.made, 'new lead')}, ${sayCount(will.faulty, 'faulty row')}`}
      </p>
      <p className="what-made">
        <strong className="figures">{will.made.toLocaleString()}</strong> {will.made === 1 ? 'new lead' : 'new leads'}
        {!exact && ' so far'}
      </p>
      <Shares will={will} choice={plan.duplicates} />
      {!exact && <Counting import={one} />}
      <Known import={one} />
      <Duplicates import={one} plan={plan} will={will} change={change} />
      {counts.faulty > 0 && <Faulty import={one} sample={sample} />}
      <p className="what-note meta">
        <IconInfoCircle size={16} stroke={1.75} aria-hidden />
        An import fires no webhook. It can be undone for {IMPORT_UNDONE_FOR_DAYS} days.
      </p>
    </section>
  );
}

/** One bar of all rows. Its numbers stand under it. */
const Shares = ({ will: { made, duplicates, faulty }, choice }: { will: Forecast; choice: DuplicateChoice }) => (
  <div className="what-shares" aria-hidden>
    {made > 0 && <span className="made" style={{ flexGrow: made }} />}
    {duplicates > 0 && choice !== 'add' && <span className="duplicate" style={{ flexGrow: duplicates }} />}
    {faulty > 0 && <span className="faulty" style={{ flexGrow: faulty }} />}
  </div>
);

const Counting = ({ import: one }: { import: Import }) => {
  const isReading = one.state === 'reading';
  return (
    <div className="what-counting">
      {!isReading && <Bar label="Rows are being looked at" done={one.checked} total={one.rows} />}
      <p className="meta figures">
        {isReading
          ? `The file is being read, ${sayCount(one.rows, 'row')} so far`
          : `${percentOf(one.checked, one.rows)} % of ${sayCount(one.rows, 'row')} looked at`}
        {one.seconds_left !== null && `, ${sayLeft(one.seconds_left)}`}
      </p>
    </div>
  );
};

/** What is remembered of this file, or of files like it. */
const Known = ({ import: { same_file, same_headings } }: { import: Import }) => (
  <>
    {same_file && (
      <p className="what-known">
        <IconHistory size={16} stroke={1.75} aria-hidden />
        <span>
          The same file was imported <Time at={same_file.at} say={sayWhenWithin} /> by {same_file.by}.
        </span>
      </p>
    )}
    {same_headings && (
      <p className="what-known">
        <IconHistory size={16} stroke={1.75} aria-hidden />
        Matched as last time: a file with these names was imported before.
      </p>
    )}
  </>
);

type DuplicatesProps = { import: Import; plan: Plan; will: Forecast; change: (part: Partial<Plan>) => void };

function Duplicates({ import: one, plan, will, change }: DuplicatesProps) {
  const { counts, matched_by } = one;
  const isUpdating = plan.duplicates === 'fill' || plan.duplicates === 'overwrite';
  const choose = (duplicates: DuplicateChoice) => change({ duplicates });
  return (
    <div className="what-part">
      <p className="what-line">
        <span className="what-dot duplicate" aria-hidden />
        <span className="grow">
          {matched_by.length === 0 && one.exact ? (
            'No column is matched that duplicates are known by.'
          ) : (
            <>
              <strong className="figures">{will.duplicates.toLocaleString()}</strong>{' '}
              {will.duplicates === 1 ? 'duplicate' : 'duplicates'} {sayBy(matched_by)}
            </>
          )}
        </span>
      </p>
      <div className="what-choices">
        {matched_by.length > 0 && <p className="meta figures">{sayWhere(counts, plan)}</p>}
        <Tabs legend="What becomes of duplicates">
          <Tab pressed={plan.duplicates === 'skip'} onClick={() => choose('skip')}>
            Leave out
          </Tab>
          <Tab pressed={isUpdating} onClick={() => !isUpdating && choose('fill')}>
            Update
          </Tab>
          <Tab pressed={plan.duplicates === 'add'} onClick={() => choose('add')}>
            Add anyway
          </Tab>
        </Tabs>
        {isUpdating && (
          <Tabs legend="What of the lead is updated">
            <Tab pressed={plan.duplicates === 'fill'} onClick={() => choose('fill')}>
              Empty fields only
            </Tab>
            <Tab pressed={plan.duplicates === 'overwrite'} onClick={() => choose('overwrite')}>
              All fields
            </Tab>
          </Tabs>
        )}
        <Tabs legend="Where duplicates count">
          <Tab pressed={plan.within === 'list'} onClick={() => change({ within: 'list' })}>
            In this list
          </Tab>
          <Tab pressed={plan.within === 'account'} onClick={() => change({ within: 'account' })}>
            In the whole account
          </Tab>
        </Tabs>
      </div>
    </div>
  );
}

/** `9,000 in this list, 2,800 in others, 106 twice in the file`. */
function sayWhere({ here, elsewhere, elsewhere_twice, twice }: Import['counts'], { within }: Plan): string {
  const inFile = twice + (within === 'list' ? elsewhere_twice : 0);
  const others =
    within === 'account'
      ? `${elsewhere.toLocaleString()} in other lists`
      : elsewhere > 0
        ? `${elsewhere.toLocaleString()} in other lists do not count`
        : '';
  return [`${here.toLocaleString()} in this list`, `${inFile.toLocaleString()} twice in the file`, others]
    .filter(Boolean)
    .join(', ');
}

const REASONS = 5;

function Faulty({
  import: { id, counts, has_faulty, exact },
  sample,
}: {
  import: Import;
  sample: ImportSample | undefined;
}) {
  const rows = sample?.faulty.slice(0, 10) ?? [];
  const more = counts.faulty - rows.length;
  const reasons = counts.reasons.slice(0, REASONS);
  const others = counts.reasons.slice(REASONS).reduce((sum, { number }) => sum + number, 0);
  return (
    <div className="what-part">
      <div className="what-line">
        <span className="what-dot faulty" aria-hidden />
        <span className="grow">
          <strong className="figures">{counts.faulty.toLocaleString()}</strong> faulty{' '}
          {counts.faulty === 1 ? 'row' : 'rows'}, left out{!exact && ', so far'}
        </span>
        {has_faulty && (
          <a className="button default xs" href={faultyAddress(id)} download>
            <IconDownload size={16} stroke={1.75} aria-hidden />
            <span>
              As file<span className="unseen">: faulty rows</span>
            </span>
          </a>
        )}
      </div>
      {(more > 0 || rows.length === 0) && (
        <ul className="what-reasons">
          {reasons.map(({ reason, number }) => (
            <Reason key={reason} number={number}>
              {reason}
            </Reason>
          ))}
          {others > 0 && <Reason number={others}>for other reasons</Reason>}
        </ul>
      )}
      {rows.length > 0 && (
        <table className="what-faulty">
          <thead>
            <tr>
              <th scope="col">Row</th>
              <th scope="col">Value</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(({ row, column, value, why }) => (
              <tr key={row}>
                <td className="figures dim">{row.toLocaleString()}</td>
                <td title={column ?? undefined}>{value === '' ? 'Empty' : value}</td>
                <td>{why}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      {rows.length > 0 && more > 0 && <p className="meta figures">and {more.toLocaleString()} more</p>}
    </div>
  );
}

const Reason = ({ number, children }: { number: number; children: ReactNode }) => (
  <li>
    <strong className="figures">{number.toLocaleString()}</strong>
    <span>{children}</span>
  </li>
);
