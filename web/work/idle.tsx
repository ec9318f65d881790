import { Button } from '@mantine/core';
import { useQueues } from '../live.ts';
import { sayTime, sayWhen, daysFromToday } from '../times.ts';
import { Key } from '../ui/parts.tsx';
import type { ListRow } from '../../contract/lists.ts';

type Props = {
  nextDueAt: string | null;
  lists: ListRow[];
  listId: number;
  choose: (id: number) => void;
  again: () => void;
};

/** Nothing to call just now: when there will be, and what else could be done. */
export function Idle({ nextDueAt, lists, listId, choose, again }: Props) {
  const others = useQueues().filter(({ list_id, due, new: fresh }) => list_id !== listId && due + fresh > 0);
  const title = nextDueAt
    ? `All caught up until ${daysFromToday(nextDueAt) === 0 ? sayTime(nextDueAt) : sayWhen(nextDueAt)}`
    : 'All caught up';
  return (
    <section className="panel empty" aria-label="Nothing to call">
      <strong>{title}</strong>
      <p>
        {nextDueAt
          ? `The next call back opens by itself when it falls due, ${sayWhen(nextDueAt)}.`
          : 'There is nothing left to call in this list. New leads and call backs open by themselves.'}
      </p>
      <Button onClick={again} rightSection={<Key>N</Key>}>
        Look again
      </Button>
      {others.length > 0 && (
        <>
          <p>Other lists have leads waiting:</p>
          {others.map(({ list_id, due, new: fresh }) => (
            <Button key={list_id} variant="default" onClick={() => choose(list_id)}>
              {lists.find(({ id }) => id === list_id)?.name}: {due} due, {fresh} new
            </Button>
          ))}
        </>
      )}
    </section>
  );
}
