import { basename } from 'node:path';
import type { RecordingTrouble } from '../../contract/recordings.ts';
import type { Actor } from '../platform/actor.ts';
import { query, type Db } from '../platform/db.ts';
import { doEach } from '../platform/each.ts';
import { sql } from '../platform/sql.ts';
import type { Reading, Work } from '../platform/work.ts';
import type { Report } from '../telephony/carrier.ts';
import type { Gap } from './peaks.ts';
import { keyOf, type Store } from './store.ts';

type Recorded = Pick<Extract<Report, { kind: 'recorded' }>, 'part' | 'at' | 'file'>;
type Lost = Pick<Extract<Report, { kind: 'recording_lost' }>, 'part' | 'at' | 'reason'>;

const NOTE = sql('recordings/recordings.note')`
  insert into recordings (account_id, call_id, part, started_at, file) values ($1, $2, $3, $4, $5)
   on conflict do nothing`;

/** A recording is there, in the incoming folder of some machine; it can be fetched when it is stored. */
export async function noteRecording({ db }: Work, accountId: number, callId: number, recorded: Recorded) {
  const { part, at, file } = recorded;
  await query(db, NOTE, [accountId, callId, part, at, basename(file)]);
}

const NOTE_LOST = sql('recordings/recordings.note_lost')`
  insert into recordings (account_id, call_id, part, started_at, removed_at, error, failed_at)
  values ($1, $2, $3, $4, now(), $5, now()) on conflict do nothing`;

/** The call was recorded, and what was recorded could not even be written down. */
export async function noteLost({ db }: Work, accountId: number, callId: number, { part, at, reason }: Lost) {
  await query(db, NOTE_LOST, [accountId, callId, part, at, reason]);
}

const OF_CALL = sql('recordings/recordings.of_call')`
  select ready_at is not null as stored, removed_at is not null as removed, seconds, peaks, gaps from recordings
   where account_id = $1 and call_id = $2 order by id`;

export type KeptRecording = {
  stored: boolean;
  removed: boolean;
  seconds: number | null;
  peaks: Buffer | null;
  gaps: Gap[];
};

/** What there is of a call, and what there was; whoever asks has made sure that it may be known. */
export const listRecordings = ({ db }: Reading, accountId: number, callId: number): Promise<KeptRecording[]> =>
  query<KeptRecording>(db, OF_CALL, [accountId, callId]);

// Usually a matter of a second. What nobody has tried for a minute waits on a machine that is away.
const TROUBLE = sql('recordings/recordings.trouble')`
  with waits as (
    select coalesce(error, 'the machine they are on is away') as reason, coalesce(failed_at, noted_at) as since
      from recordings where account_id = $1 and file is not null
        and (error is not null or noted_at < now() - interval '1 minute')
  ), lost as (
    select error as reason from recordings
     where account_id = $1 and error is not null and file is null and failed_at > now() - interval '7 days'
  )
  select (select count(*) from waits) as waiting, (select min(since) from waits) as since,
         (select mode() within group (order by reason) from waits) as reason,
         (select count(*) from lost) as lost, (select mode() within group (order by reason) from lost) as lost_reason`;

/** What an owner has to know of: recordings that cannot be stored, and those of the last week that are lost. */
export async function readTrouble({ db }: Reading, { account }: Actor): Promise<RecordingTrouble> {
  const [row] = await query<Omit<RecordingTrouble, 'since'> & { since: Date | null }>(db, TROUBLE, [account.id]);
  return { ...row!, since: row!.since?.toISOString() ?? null };
}

const KEEPING = sql('recordings/recordings.keeping')`
  select id from accounts where recordings_keep_days is not null`;

const OLD = sql('recordings/recordings.old')`
  select r.account_id, r.id, r.started_at from recordings r join accounts a on a.id = r.account_id
   where r.account_id = $1 and r.removed_at is null and r.ready_at is not null
     and r.started_at < now() - a.recordings_keep_days * interval '1 day'
     and (r.started_at, r.id) > (coalesce($2::timestamptz, '-infinity'), $3::bigint)
   order by r.started_at, r.id limit 1000`;

const REMOVE = sql('recordings/recordings.remove')`
  update recordings set removed_at = now() where account_id = $1 and id = $2`;

/** What is older than its account keeps. */
export async function removeOldRecordings(db: Db, store: Store): Promise<void> {
  const remove = async (one: Old) => {
    await store.remove(keyOf(one));
    await query(db, REMOVE, [one.account_id, one.id]);
  };
  await doEach(await query<{ id: number }>(db, KEEPING, []), ({ id }) => doEach(listOld(db, id), remove));
}

type Old = { account_id: number; id: number; started_at: Date };

/** Behind each other, so that one that cannot be removed is passed. */
async function* listOld(db: Db, accountId: number): AsyncGenerator<Old> {
  for (let last: Old | undefined; ;) {
    const some = await query<Old>(db, OLD, [accountId, last?.started_at ?? null, last?.id ?? 0]);
    yield* some;
    last = some.at(-1);
    if (!last) return;
  }
}
