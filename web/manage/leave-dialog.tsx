import { useBlocker } from '@tanstack/react-router';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import './leave-dialog.css';

type Props = {
  unsaved: string[];
  /** It is there again when one comes back. */
  isKept?: boolean;
};

/** Whoever is about to leave is told what would be lost. */
export function LeaveDialog({ unsaved, isKept = false }: Props) {
  const isUnsaved = () => unsaved.length > 0;
  const { status, proceed, reset } = useBlocker({
    shouldBlockFn: ({ current, next }) => isUnsaved() && current.pathname !== next.pathname,
    enableBeforeUnload: isUnsaved,
    withResolver: true,
  });
  return (
    <Dialog opened={status === 'blocked'} onClose={() => reset?.()} title="Leave without saving">
      <div className="stack">
        <div className="said-before">
          <p>{unsaved.length === 1 ? 'One change is not saved:' : `${unsaved.length} changes are not saved:`}</p>
          <ul className="lost-list">
            {unsaved.map((label) => (
              <li key={label}>{label}</li>
            ))}
          </ul>
          {isKept && <p>It stays in this browser, and is here again when you come back.</p>}
        </div>
        <DialogFoot>
          <Button variant="default" data-autofocus onClick={() => reset?.()}>
            Stay here
          </Button>
          <Button variant={isKept ? 'filled' : 'danger'} onClick={() => proceed?.()}>
            {isKept ? 'Leave' : 'Discard and leave'}
          </Button>
        </DialogFoot>
      </div>
    </Dialog>
  );
}
