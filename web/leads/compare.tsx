import './leads.css';
import { Modal } from '@mantine/core';
import type { Desk } from '../../contract/queue.ts';
import { Duplicates } from './duplicates.tsx';
import type { Lead } from './queries.ts';

type Props = { lead: Lead; columns: Desk['columns']; close: () => void };

/** The leads that look the same, over whatever one is doing. */
export const Compare = ({ lead, columns, close }: Props) => (
  <Modal
    opened={lead.detected_duplicates.length > 0}
    onClose={close}
    title="Compare"
    size={860}
    transitionProps={{ duration: 120 }}
    closeButtonProps={{ 'aria-label': 'Close' }}
  >
    <Duplicates lead={lead} columns={columns} />
  </Modal>
);
