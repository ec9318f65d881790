import { Button, Radio } from '@mantine/core';
import { useQueries, useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { ask, queries } from '../api.ts';
import { useLive } from '../live.ts';
import { paths } from '../paths.ts';
import { useRight } from '../session.ts';
import { tellFailure } from '../ui/notices.ts';
import { Empty, Failure, Loading } from '../ui/parts.tsx';
import { StateBadge } from '../ui/states.tsx';
import { Feed } from './feed.tsx';
import { LeadCard } from './lead-card.tsx';
import { deskQuery, leadQuery, listIdOf, type Lead } from './queries.ts';

/** One lead: its card, its duplicates side by side, all that happened. The `url` of the API leads here. */
export function LeadPage() {
  const { id = '' } = useParams({ strict: false });
  const leadId = Number(id);
  const { data: lead, error, refetch } = useQuery(leadQuery(leadId));
  const { data: desk } = useQuery({ ...deskQuery(lead ? listIdOf(lead) : 0), enabled: lead !== undefined });
  const dials = useRight('calls.make');
  useLive([]);
  useEffect(() => {
    document.title = `${lead?.primary_identifier || 'Lead'} · Leadline`;
  }, [lead?.primary_identifier]);
  if (error) return <Failure error={error} again={() => void refetch()} />;
  if (!lead || !desk) return <Loading rows={10} />;
  const dial = (column: string) =>
    ask('POST', '/calls', { call: { lead_id: leadId, column } }).then(() => location.assign(paths.work), tellFailure);
  return (
    <div className="desk lead-page">
      <LeadCard lead={lead} columns={desk.columns} dial={dials ? (column) => void dial(column) : undefined} />
      <Duplicates lead={lead} labels={new Map(desk.columns.map(({ key, label }) => [key, label]))} />
      <Feed leadId={leadId} />
    </div>
  );
}

function Duplicates({ lead, labels }: { lead: Lead; labels: Map<string, string> }) {
  const found = useQueries({ queries: lead.detected_duplicates.slice(0, 5).map((id) => leadQuery(id)) });
  const others = found.flatMap(({ data }) => data ?? []);
  return (
    <section className="panel script" aria-label="Duplicates">
      <div className="panel-head">
        <h2>Duplicates</h2>
      </div>
      <div className="script-body" tabIndex={0} role="group" aria-label="Leads that look the same">
        {lead.detected_duplicates.length === 0 ? (
          <Empty title="No duplicates.">No other lead has the same phone number or e-mail address.</Empty>
        ) : (
          others.map((other) => <Pair key={other.id} lead={lead} other={other} labels={labels} />)
        )}
      </div>
    </section>
  );
}

/** Two leads, field by field. Merging keeps this one and fills what is chosen from the other. */
function Pair({ lead, other, labels }: { lead: Lead; other: Lead; labels: Map<string, string> }) {
  const merges = useRight('leads.manage');
  const ignores = useRight('leads.write');
  const [taken, setTaken] = useState<Record<string, 'own' | 'other'>>({});
  const [asking, setAsking] = useState(false);
  const keys = [...labels.keys()].filter((key) => lead.lead_data[key] || other.lead_data[key]);
  const done = () => queries.invalidateQueries({ queryKey: ['lead'] });
  const merge = async () => {
    const changed = keys.filter((key) => taken[key] === 'other' && other.lead_data[key]);
    if (changed.length > 0)
      await ask('PATCH', `/leads/${lead.id}`, {
        lead: Object.fromEntries(changed.map((key) => [key, other.lead_data[key]])),
      });
    await ask('POST', `/leads/${lead.id}/merge`, { duplicate_id: other.id });
    await done();
  };
  const ignore = async () => {
    await ask('POST', `/leads/${lead.id}/ignore`, { duplicate_id: other.id });
    await done();
  };
  const nameOther = other.primary_identifier || `Lead ${other.id}`;
  return (
    <div className="pair">
      <table>
        <thead>
          <tr>
            <th scope="col">
              <span className="dim">Field</span>
            </th>
            <th scope="col">
              This lead <StateBadge state={lead.state} category={lead.category} />
            </th>
            <th scope="col">
              <a href={paths.lead(other.id)}>{nameOther}</a>{' '}
              <StateBadge state={other.state} category={other.category} />
            </th>
          </tr>
        </thead>
        <tbody>
          {keys.map((key) => {
            const [own, others] = [lead.lead_data[key] ?? '', other.lead_data[key] ?? ''];
            const differ = own !== others && own !== '' && others !== '';
            const side = taken[key] ?? 'own';
            const cell = (which: 'own' | 'other', value: string) => (
              <td className={merges && differ && side === which ? 'kept' : ''}>
                {differ && merges ? (
                  <Radio
                    name={`${other.id} ${key}`}
                    checked={side === which}
                    onChange={() => setTaken({ ...taken, [key]: which })}
                    label={value}
                  />
                ) : (
                  value
                )}
              </td>
            );
            return (
              <tr key={key}>
                <th scope="row">{labels.get(key)}</th>
                {cell('own', own)}
                {cell('other', others)}
              </tr>
            );
          })}
        </tbody>
      </table>
      <div className="pair-acts">
        {asking ? (
          <>
            <p>{nameOther} goes, with its history kept here. This cannot be undone.</p>
            <Button variant="default" data-autofocus onClick={() => setAsking(false)}>
              Keep both
            </Button>
            <Button color="lost" onClick={() => void merge().catch(tellFailure)}>
              Merge into this lead
            </Button>
          </>
        ) : (
          <>
            {ignores && (
              <Button variant="default" onClick={() => void ignore().catch(tellFailure)}>
                Not a duplicate
              </Button>
            )}
            {merges && <Button onClick={() => setAsking(true)}>Merge</Button>}
          </>
        )}
      </div>
    </div>
  );
}
