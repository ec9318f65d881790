import { useMutation } from '@tanstack/react-query';
import type { Static } from 'typebox';
import type { ExactCount, Total } from '../../../contract/lead-table.ts';
import { get } from '../../api.ts';
import { sayCount } from '../../counts.ts';
import { Button } from '../../ui/button.tsx';
import { Ago } from '../../ui/parts.tsx';

type Props = { total: Total | undefined; order: string; matching: string };

/** How many match, and in which order they stand. Those that are too many are counted when someone wants to know. */
export function CountLine({ total, order, matching }: Props) {
  const counting = useMutation({
    mutationFn: async () => ({
      ...(await get<Static<typeof ExactCount>>(`/leads/count${matching}`)),
      at: new Date().toISOString(),
    }),
  });
  const exact = counting.data;
  if (!total) return <p className="count-line" role="status" />;
  const { number, about } = exact ? { number: exact.number, about: false } : total;
  return (
    <div className="count-line">
      <p role="status">
        {about && 'About '}
        <b className="figures">{number.toLocaleString()}</b> {number === 1 ? 'lead' : 'leads'}
        {!counting.isPending && !exact && `, ${order}`}
        {exact && (
          <>
            , counted <Ago at={exact.at} />
          </>
        )}
        {counting.error && <span className="fault"> {counting.error.message}</span>}
      </p>
      {(about || exact) && (
        <Button
          size="compact"
          variant="default"
          aria-label={exact ? 'Count again' : `Count them instead of ${sayCount(number, 'lead')}`}
          loading={counting.isPending}
          onClick={() => counting.mutate()}
        >
          {counting.isPending ? 'Counting' : exact ? 'Again' : 'Count'}
        </Button>
      )}
    </div>
  );
}
