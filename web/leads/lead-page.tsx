import { useQuery } from '@tanstack/react-query';
import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { ask, isGone } from '../api.ts';
import { useLive } from '../live.ts';
import { paths } from '../../contract/paths.ts';
import { useRight } from '../session.ts';
import { tellFailure } from '../ui/notices.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { useTitle } from '../ui/title.ts';
import { CallPanel } from './call-panel.tsx';
import { Duplicates } from './duplicates.tsx';
import { Feed } from './feed.tsx';
import { LeadCard } from './lead-card.tsx';
import { LeadLine } from './lead-line.tsx';
import { NoteForm } from './note-form.tsx';
import { callsQuery, useLead } from './queries.ts';
import { Missing } from '../ui/missing.tsx';
import './lead-page.css';

/** One lead: its card, its duplicates side by side, its calls to listen to, all that happened. The `url` of the API leads here. */
export function LeadPage() {
  const { id = '' } = useParams({ strict: false });
  return <OpenLead key={id} leadId={Number(id)} />;
}

function OpenLead({ leadId }: { leadId: number }) {
  const { lead, desk, error, refetch } = useLead(leadId);
  const calls = useQuery(callsQuery(leadId));
  const [picked, pick] = useState<number>();
  const dials = useRight('calls.make');
  useLive([]);
  useTitle(lead?.primary_identifier || 'Lead');
  if (isGone(error)) return <Missing />;
  if (error && !lead) return <Failure error={error} again={() => void refetch()} />;
  if (!lead || !desk) return <Loading rows={10} />;
  const call =
    calls.data?.find((one) => one.id === picked) ??
    calls.data?.find(({ recordings }) => recordings.length > 0) ??
    calls.data?.[0];
  const dial = (column: string) =>
    ask('POST', '/calls', { call: { lead_id: leadId, column } }).then(() => location.assign(paths.work), tellFailure);
  return (
    <>
      <LeadLine lead={lead} desk={desk} />
      <div className="lead-desk">
        <LeadCard lead={lead} columns={desk.columns} dial={dials ? (column) => void dial(column) : undefined} />
        <div className="lead-middle">
          <Duplicates lead={lead} columns={desk.columns} />
          <CallPanel lead={lead} desk={desk} calls={calls} call={call} />
        </div>
        <div className="lead-side">
          <Feed leadId={leadId} chosen={call?.id} choose={pick} />
          <NoteForm leadId={leadId} />
        </div>
      </div>
    </>
  );
}
