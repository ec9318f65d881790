import { Dialog } from '../ui/dialog.tsx';
import { AddLead } from './add-lead.tsx';

type Props = { listId: number; close: () => void; open: (leadId: number) => void };

/** The same form over the page. */
export const AddLeadDialog = ({ listId, close, open }: Props) => (
  <Dialog opened onClose={close} title="Add a lead" size={720} closeOnClickOutside={false}>
    <AddLead
      listId={listId}
      close={close}
      open={(leadId) => {
        close();
        open(leadId);
      }}
    />
  </Dialog>
);
