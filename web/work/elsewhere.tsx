import type { ListAtPages } from '../../contract/list-pages.ts';
import { useQueues, useStanding } from '../live.ts';
import { Button } from '../ui/button.tsx';
import '../ui/panel.css';
import './elsewhere.css';

type Props = { lists: ListAtPages[]; listId: number; choose: (id: number) => void };

/** Where there is something to call meanwhile. */
export function Elsewhere({ lists, listId, choose }: Props) {
  const standing = useStanding();
  const isPaused = (list: number) =>
    (standing.find(({ id }) => id === list) ?? lists.find(({ id }) => id === list))?.paused;
  const others = useQueues().filter(
    ({ list_id, due, new: fresh }) => list_id !== listId && due + fresh > 0 && !isPaused(list_id),
  );
  if (others.length === 0) return null;
  return (
    <section className="panel" aria-labelledby="elsewhere">
      <h2 id="elsewhere">Leads are waiting in your other lists</h2>
      <p className="dim">Switch and keep going. What falls due here waits for you.</p>
      <ul className="elsewhere">
        {others.map(({ list_id, due, new: fresh }) => (
          <li key={list_id}>
            <div className="grow">
              <strong>{lists.find(({ id }) => id === list_id)?.name}</strong>
              <p>
                {due > 0 && <span className="due">{due.toLocaleString()} due, </span>}
                <span className="dim">{fresh.toLocaleString()} new</span>
              </p>
            </div>
            <Button variant="default" onClick={() => choose(list_id)}>
              Switch
            </Button>
          </li>
        ))}
      </ul>
    </section>
  );
}
