import { Radio } from '@mantine/core';
import { IconArrowMerge } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import type { Merge } from '../../contract/leads.ts';
import type { Desk } from '../../contract/queue.ts';
import type { State } from '../../contract/states.ts';
import { paths } from '../../contract/paths.ts';
import { ask, queries } from '../api.ts';
import { sayCount } from '../counts.ts';
import { useRight } from '../session.ts';
import { GuardedButton } from '../ui/guarded.tsx';
import { StateBadge, STATES } from '../ui/states.tsx';
import { aboutLead, callsQuery, leadQuery, listIdOf, nameLead, type Lead } from './queries.ts';
import { Breakable } from '../ui/parts.tsx';
import { Confirm } from '../ui/dialog.tsx';
import './pair.css';

type Side = 'own' | 'other';
type Props = {
  lead: Lead;
  other: Lead;
  columns: Desk['columns'];
  /** Once they are one, or are said to be two. */
  done?: () => void;
};

/** The merged lead keeps the one that stands first. */
const WORTH: State[] = ['won', 'call_back', 'lost', 'archived', 'new'];

/** Two leads, field by field. Merging keeps this one, with the values that are chosen. */
export function Pair({ lead, other, columns, done }: Props) {
  const merges = useRight('leads.manage');
  const [chosen, setChosen] = useState<Record<string, Side>>({});
  const sideOf = (key: string): Side => chosen[key] ?? (lead.lead_data[key] ? 'own' : 'other');
  const rows = columns
    .map(({ key, label }) => ({ key, label, own: lead.lead_data[key] ?? '', other: other.lead_data[key] ?? '' }))
    .filter((row) => row.own !== '' || row.other !== '');
  const take = rows.filter((row) => row.own !== row.other && sideOf(row.key) === 'other').map(({ key }) => key);
  return (
    <>
      <div className="pair">
        <table>
          <thead>
            <tr>
              <td />
              <Head lead={lead} where="This lead" />
              <Head
                lead={other}
                where={listIdOf(other) === listIdOf(lead) ? 'Same list' : other.list_name}
                among={[lead.id, ...lead.detected_duplicates]}
              />
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row">
                  <Breakable>{row.label}</Breakable>
                </th>
                {row.own === row.other ? (
                  <td colSpan={2}>
                    <Breakable>{row.own}</Breakable> <span className="dim same">same in both</span>
                  </td>
                ) : (
                  (['own', 'other'] as const).map((side) => (
                    <Value
                      key={side}
                      value={row[side]}
                      name={`${row.label}: ${side === 'own' ? 'this lead' : 'the duplicate'}`}
                      group={`${other.id} ${row.key}`}
                      kept={merges && sideOf(row.key) === side}
                      keep={merges ? () => setChosen({ ...chosen, [row.key]: side }) : undefined}
                    />
                  ))
                )}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <Foot lead={lead} other={other} take={take} merges={merges} done={done} />
    </>
  );
}

/** `among`: a link to it, and back. */
function Head({ lead, where, among }: { lead: Lead; where: string; among?: number[] }) {
  const { data: calls } = useQuery(callsQuery(lead.id));
  const count = calls && (calls.length === 0 ? 'no calls' : sayCount(calls.length, 'call'));
  return (
    <th scope="col">
      <div className="pair-head">
        <div>
          {among ? (
            <Link to={paths.lead(lead.id)} state={{ among }} className="pair-name">
              {nameLead(lead)}
            </Link>
          ) : (
            <span className="pair-name">{nameLead(lead)}</span>
          )}
          <span className="dim">{[where, count].filter(Boolean).join(', ')}</span>
        </div>
        <StateBadge state={lead.state} />
      </div>
    </th>
  );
}

type ValueProps = { value: string; name: string; group: string; kept: boolean; keep: (() => void) | undefined };

const Value = ({ value, name, group, kept, keep }: ValueProps) => (
  <td className={kept ? 'kept' : ''}>
    {keep ? (
      <Radio
        size="xs"
        name={group}
        checked={kept}
        onChange={keep}
        label={value ? <Breakable>{value}</Breakable> : 'Empty'}
        aria-label={`${name}, ${value || 'empty'}`}
      />
    ) : (
      <Breakable>{value || 'Empty'}</Breakable>
    )}
  </td>
);

type FootProps = Pick<Props, 'lead' | 'other'> & { take: string[]; merges: boolean; done: (() => void) | undefined };

function Foot({ lead, other, take, merges, done }: FootProps) {
  const ignores = useRight('leads.write');
  const [asking, setAsking] = useState(false);
  const [name, nameOther] = [nameLead(lead), nameLead(other)];
  const state = WORTH.find((one) => one === lead.state || one === other.state)!;
  const keeps = (
    <>
      {lead.state === state ? 'stays' : 'becomes'} <b className={`state-word ${state}`}>{STATES[state].word}</b>
    </>
  );
  const settle = async (path: string, body: Merge, said: string) => {
    await ask('POST', `/leads/${lead.id}/${path}`, body);
    aboutLead(lead.id).notice(said);
    // At once, and forgotten: a lead that is gone is not to be asked for again.
    queries.setQueryData<Lead>(
      leadQuery(lead.id).queryKey,
      (now) => now && { ...now, detected_duplicates: now.detected_duplicates.filter((id) => id !== other.id) },
    );
    queries.removeQueries({ queryKey: ['lead', other.id] });
    await queries.invalidateQueries({ queryKey: ['lead', lead.id] });
    done?.();
  };
  const isDetected = lead.detected_duplicates.includes(other.id);
  const ignoring = useMutation({
    mutationFn: () => settle('ignore', { duplicate_id: other.id }, `${nameOther} is no duplicate of this lead.`),
    onError: (error) => aboutLead(lead.id).tellFailure(error),
  });
  return (
    <div className="pair-foot">
      <p>{merges ? <>The lead {keeps}. Both histories are kept.</> : 'Data managers and owners merge leads.'}</p>
      {isDetected && (
        <GuardedButton
          variant="default"
          may={ignores}
          who="Agents, supervisors and data managers say so."
          loading={ignoring.isPending}
          onClick={() => ignoring.mutate()}
        >
          Not a duplicate
        </GuardedButton>
      )}
      <GuardedButton
        may={merges}
        who="Data managers and owners merge leads."
        leftSection={<IconArrowMerge size={16} stroke={1.75} aria-hidden />}
        onClick={() => setAsking(true)}
      >
        Merge into this lead
      </GuardedButton>
      <Confirm
        opened={asking}
        close={() => setAsking(false)}
        title={`Merge ${nameOther} into ${name}?`}
        safe="Keep both"
        verb="Merge the two"
        act={() => settle('merge', { duplicate_id: other.id, take }, `${nameOther} is part of ${name} now.`)}
      >
        <p>
          {name} {keeps} and takes over the calls, texts and notes of {nameOther}, which is then gone. The values that
          were not chosen can be read in the activity. This cannot be undone.
        </p>
      </Confirm>
    </div>
  );
}
