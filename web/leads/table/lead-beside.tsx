import { IconArrowsDiagonal, IconX } from '@tabler/icons-react';
import { isGone } from '../../api.ts';
import { IconButton } from '../../ui/button.tsx';
import { useNoticesOf } from '../../ui/notices.ts';
import { Empty, Failure, Loading } from '../../ui/parts.tsx';
import { Feed } from '../feed.tsx';
import { LeadCard } from '../lead-card.tsx';
import { LeadPlace } from '../local-time.tsx';
import { NoteForm } from '../note-form.tsx';
import { useLead } from '../queries.ts';
import { useSurvivor } from '../survivor.ts';
import './lead-beside.css';

type Props = { leadId: number; open: (leadId: number) => void; close: () => void; openPage: () => void };

/** The lead of a row, beside the table: its card and all that happened, as on its own page. */
export const LeadBeside = ({ leadId, open, close, openPage }: Props) => (
  <section className="lead-beside" aria-label="The lead beside the table">
    <div className="lead-beside-bar">
      <IconButton label="Open its page" title="Open its page (O)" onClick={openPage}>
        <IconArrowsDiagonal size={16} stroke={1.75} aria-hidden />
      </IconButton>
      <IconButton label="Close" title="Close (Esc)" onClick={close}>
        <IconX size={16} stroke={1.75} aria-hidden />
      </IconButton>
    </div>
    <LeadPlace key={leadId} leadId={leadId}>
      <Open leadId={leadId} open={open} />
    </LeadPlace>
  </section>
);

function Open({ leadId, open }: Pick<Props, 'leadId' | 'open'>) {
  const { lead, desk, error, refetch } = useLead(leadId);
  const isMerged = useSurvivor(leadId, lead, open);
  useNoticesOf(leadId);
  if (isGone(error)) return <Empty title="This lead is not there any more." />;
  if (error && !lead) return <Failure error={error} again={() => void refetch()} />;
  if (!lead || !desk || isMerged) return <Loading rows={8} />;
  return (
    <>
      <LeadCard lead={lead} columns={desk.columns} />
      <Feed leadId={leadId} />
      <NoteForm leadId={leadId} />
    </>
  );
}
