import { queryOptions, useQuery } from '@tanstack/react-query';
import type { RecordingTrouble } from '../../contract/recordings.ts';
import { get } from '../api.ts';
import { sayCount } from '../counts.ts';
import { sayWhenWithin } from '../times.ts';

const troubleQuery = queryOptions({
  queryKey: ['recordings', 'trouble'],
  queryFn: () => get<RecordingTrouble>('/recordings/trouble'),
  refetchInterval: 30_000,
});

const recordings = (count: number) => sayCount(count, 'recording');

/** Recordings that cannot be stored, and those that are lost. Nothing while all is well. */
export function RecordingsTrouble() {
  const { data } = useQuery(troubleQuery);
  if (!data || data.waiting + data.lost === 0) return null;
  const { waiting, since, reason, lost, lost_reason } = data;
  return (
    <div role="status">
      {waiting > 0 && (
        <p className="fault">
          {recordings(waiting)} {waiting === 1 ? 'waits' : 'wait'} to be stored: {reason} (since {sayWhenWithin(since!)}
          ). Nothing is lost; they are tried again by themselves.
        </p>
      )}
      {lost > 0 && (
        <p className="fault">
          {recordings(lost)} of the last seven days {lost === 1 ? 'is' : 'are'} lost: {lost_reason}.
        </p>
      )}
    </div>
  );
}
