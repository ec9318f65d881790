import { useQuery } from '@tanstack/react-query';
import { useNavigate, useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { isGone } from '../api.ts';
import { paths } from '../../contract/paths.ts';
import { useLine } from '../line.ts';
import { useRight } from '../session.ts';
import { useNoticesOf } from '../ui/notices.ts';
import { Failure, Loading } from '../ui/parts.tsx';
import { useTitle } from '../ui/title.ts';
import { CallPanel } from './call-panel.tsx';
import { GoneLead } from './deleted-leads.tsx';
import { Duplicates } from './duplicates.tsx';
import { Feed } from './feed.tsx';
import { LeadActs } from './lead-acts.tsx';
import { LeadCard } from './lead-card.tsx';
import { LeadLine } from './lead-line.tsx';
import { LeadPlace } from './local-time.tsx';
import { NoteForm } from './note-form.tsx';
import { aboutLead, callsQuery, useLead } from './queries.ts';
import { useSurvivor } from './survivor.ts';
import './lead-page.css';

/** One lead: its card, its duplicates side by side, its calls to listen to, all that happened. The `url` of the API leads here. */
export function LeadPage() {
  const { id = '' } = useParams({ strict: false });
  return (
    <LeadPlace key={id} leadId={Number(id)}>
      <OpenLead leadId={Number(id)} />
    </LeadPlace>
  );
}

function OpenLead({ leadId }: { leadId: number }) {
  const { lead, desk, error, refetch } = useLead(leadId);
  // Of a lead that is none any more, or was merged, nobody asks for calls.
  const calls = useQuery({ ...callsQuery(leadId), enabled: lead?.id === leadId });
  const [picked, pick] = useState<number>();
  const dials = useRight('calls.make');
  const line = useLine();
  const navigate = useNavigate();
  const isMerged = useSurvivor(leadId, lead, (id) => void navigate({ to: paths.lead(id), replace: true }));
  useNoticesOf(leadId);
  useTitle(lead?.primary_identifier || 'Lead');
  if (isGone(error)) return <GoneLead leadId={leadId} />;
  if (error && !lead) return <Failure error={error} again={() => void refetch()} />;
  if (!lead || !desk || isMerged) return <Loading rows={10} />;
  const call =
    calls.data?.find((one) => one.id === picked) ??
    calls.data?.find(({ recordings }) => recordings.length > 0) ??
    calls.data?.[0];
  const dial = (column: string) =>
    line.dial(leadId, column, aboutLead(leadId).tellFailure, () => void navigate({ to: paths.work }));
  return (
    <>
      <LeadLine lead={lead} desk={desk} />
      <div className="lead-desk">
        <LeadCard
          lead={lead}
          columns={desk.columns}
          dial={dials ? dial : undefined}
          menu={<LeadActs lead={lead} columns={desk.columns} />}
        />
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
