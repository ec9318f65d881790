import type { Desk } from '../../contract/queue.ts';
import { Duplicates } from './duplicates.tsx';
import type { Lead } from './queries.ts';
import { Dialog } from '../ui/dialog.tsx';

type Props = { lead: Lead; columns: Desk['columns']; close: () => void };

/** The leads that look the same, over whatever one is doing. */
export const Compare = ({ lead, columns, close }: Props) => (
  <Dialog opened={lead.detected_duplicates.length > 0} onClose={close} title="Compare" size={860}>
    <Duplicates lead={lead} columns={columns} />
  </Dialog>
);
