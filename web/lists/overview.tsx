import { IconUserPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListOverview, ListWithSettings } from '../../contract/list-pages.ts';
import { nameOf } from '../../contract/names.ts';
import { paths } from '../../contract/paths.ts';
import { useAddLead } from '../adding.ts';
import { sayCount } from '../counts.ts';
import { useRunningImports } from '../importing.tsx';
import { useKeys } from '../keys.ts';
import { AddLeadDialog } from '../leads/add-lead-dialog.tsx';
import { useRight } from '../session.ts';
import { GuardedButton } from '../ui/guarded.tsx';
import { Panel } from '../ui/panel.tsx';
import { Ago, Failure, Initials, Key, Loading } from '../ui/parts.tsx';
import { OUTCOMES, STATES } from '../ui/states.tsx';
import { Checklist } from './checklist.tsx';
import { useListJobs } from './jobs.ts';
import { sayDue } from './list-table.tsx';
import { ImportProgress, JobProgress, Legend, Progress } from './progress.tsx';
import { isRunning, overviewQuery, sayConversion } from './queries.ts';
import '../ui/rows.css';
import './overview.css';

/** How one campaign stands, and what it still lacks. */
export function Overview({ list }: { list: ListWithSettings }) {
  const { data, error, refetch } = useQuery(overviewQuery(list.id));
  const writes = useRight('leads.write');
  const running = useListJobs(list).filter(isRunning);
  const importing = useRunningImports().get(list.id);
  const [adding, setAdding] = useState(false);
  const navigate = useNavigate();
  const add = () => setAdding(true);
  useAddLead(writes ? add : undefined);
  useKeys({ ...(writes && { a: add }) });
  if (!data) return error ? <Failure error={error} again={() => void refetch()} /> : <Loading rows={8} />;
  return (
    <>
      <Checklist overview={data} add={add} />
      <Panel title="Progress" action={<AddLead add={add} />}>
        <div className="overview-progress">
          <Legend />
          <Progress counts={data.counts} />
        </div>
        <Figures overview={data} />
      </Panel>
      {(running.length > 0 || importing) && (
        <Panel title="Under way">
          <div className="stack">
            {importing && <ImportProgress importing={importing} />}
            {running.map((job) => (
              <JobProgress key={job.id} job={job} />
            ))}
          </div>
        </Panel>
      )}
      <div className="overview-pair">
        <Panel title="Outcomes">
          <Categories overview={data} />
        </Panel>
        <Panel
          title="People"
          aside={sayCount(data.people_count, 'person', 'people')}
          action={
            <Link to={paths.listSettings(list.id, 'people')} className="link">
              Who works it
            </Link>
          }
        >
          <People overview={data} />
        </Panel>
      </div>
      {adding && (
        <AddLeadDialog
          listId={list.id}
          close={() => setAdding(false)}
          open={(leadId) => void navigate({ to: paths.lead(leadId) })}
        />
      )}
    </>
  );
}

function AddLead({ add }: { add: () => void }) {
  const writes = useRight('leads.write');
  return (
    <GuardedButton
      variant="default"
      may={writes}
      who="Agents, supervisors and data managers add leads."
      leftSection={<IconUserPlus size={16} stroke={1.75} aria-hidden />}
      rightSection={<Key>A</Key>}
      onClick={add}
    >
      Add a lead
    </GuardedButton>
  );
}

const Figures = ({ overview: { counts, due, last_activity } }: { overview: ListOverview }) => (
  <dl className="overview-figures">
    <div>
      <dt>Due now</dt>
      <dd className={due > 0 ? 'due figures' : 'figures'}>{due > 0 ? sayDue(due) : 'None'}</dd>
    </div>
    <div>
      <dt title="Won out of won and lost">Conversion</dt>
      <dd className="figures">{sayConversion(counts)}</dd>
    </div>
    <div>
      <dt>Last activity</dt>
      <dd>{last_activity ? <Ago at={last_activity} /> : 'Never'}</dd>
    </div>
  </dl>
);

const KINDS = ['winner', 'call_back', 'loser', 'archive'] as const;

/** How many leads carry which word, outcome by outcome. */
function Categories({ overview: { categories } }: { overview: ListOverview }) {
  const groups = KINDS.map((kind) => ({
    kind,
    own: categories.filter((one) => one.kind === kind && one.leads > 0).toSorted((a, b) => b.leads - a.leads),
  })).filter(({ own }) => own.length > 0);
  if (groups.length === 0) return <p className="dim">Nothing has come of a call yet.</p>;
  return (
    <div className="overview-groups">
      {groups.map(({ kind, own }) => {
        const { state } = OUTCOMES[kind];
        const { word, icon: Icon } = STATES[state];
        const most = Math.max(...own.map(({ leads }) => leads));
        return (
          <section key={kind} aria-label={word}>
            <h3 className={`overview-kind ${state}`}>
              <Icon size={14} stroke={1.75} aria-hidden />
              {word}
            </h3>
            <ul className="overview-rows">
              {own.map(({ category, leads }) => (
                <li key={category}>
                  <span className="grow wrap">{category || <span className="dim">Without one</span>}</span>
                  <span className="overview-track" aria-hidden>
                    <span className={`share ${state}`} style={{ width: `${(100 * leads) / most}%` }} />
                  </span>
                  <span className="figures">{leads.toLocaleString()}</span>
                </li>
              ))}
            </ul>
          </section>
        );
      })}
    </div>
  );
}

function People({ overview: { people, people_count } }: { overview: ListOverview }) {
  if (people_count === 0) return <p className="dim">Nobody works it yet.</p>;
  const more = people_count - people.length;
  return (
    <ul className="overview-rows">
      {people.map((person) => (
        <li key={person.email}>
          <span className="who">
            <Initials name={nameOf(person)} />
            <span className="wrap">{nameOf(person)}</span>
          </span>
        </li>
      ))}
      {more > 0 && <li className="dim">and {more.toLocaleString()} more</li>}
    </ul>
  );
}
