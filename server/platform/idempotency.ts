import type { FastifyRequest } from 'fastify';
import type { Actor } from './actor.ts';
import { Last, lastly, query, settle } from './db.ts';
import { sql } from './sql.ts';
import { HttpError } from './errors.ts';
import { invalid } from './read.ts';
import type { Answer, Work } from './work.ts';
import type { Sweep } from './sweep.ts';

const TAKE = sql('platform/idempotency.take')`select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as taken`;

const KEPT = sql('platform/idempotency.kept')`
  select request_hash, sealed from idempotent_answers
   where account_id = $1 and subject = $2 and key = $3 and created_at > now() - interval '24 hours'`;

const KEEP = sql('platform/idempotency.keep')`
  insert into idempotent_answers (account_id, subject, key, request_hash, sealed) values ($1, $2, $3, $4, $5)
  on conflict (account_id, subject, key) do update
     set request_hash = excluded.request_hash, sealed = excluded.sealed, created_at = now()`;

/** A POST with an Idempotency-Key has its effect once in 24 hours; its answer is kept in the transaction of the effect, and repeated. */
export async function answerOnce(
  work: Work,
  actor: Actor,
  request: FastifyRequest,
  act: (work: Work) => Promise<Answer | Last<Answer>>,
): Promise<Answer | Last<Answer>> {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') return act(work);
  if (typeof key !== 'string' || key.length > 255)
    throw invalid({ 'Idempotency-Key': ['must have at most 255 characters'] });
  const subject = actor.user ? `user ${actor.user.id}` : 'account';
  // Keyed: from a bare hash in a dump a short body could be guessed.
  const hash = Buffer.from(work.secrets.sign(JSON.stringify([request.method, request.url, request.body ?? null])));
  const id = { account_id: actor.account.id, subject, key };

  // Held until the transaction ends. A second request with the same key meanwhile is told so instead of waiting.
  // Sent together, and still two statements: what was kept is looked for only when the lock is ours, or an answer that was kept in between
  // would be missed.
  const [[lock], [kept]] = await Promise.all([
    query<{ taken: boolean }>(work.db, TAKE, [JSON.stringify(id)]),
    query<{ request_hash: Buffer; sealed: Buffer }>(work.db, KEPT, [id.account_id, subject, key]),
  ]);
  if (!lock!.taken) {
    throw new HttpError(409, 'in_progress', 'A request with this Idempotency-Key is being worked on.', {
      retryAfter: 1,
    });
  }
  if (kept && !kept.request_hash.equals(hash)) {
    throw invalid({ 'Idempotency-Key': ['was used for another request'] });
  }
  if (kept) {
    const { headers, ...answer } = JSON.parse(work.secrets.open(kept.sealed)) as Answer;
    return { ...answer, headers: { ...headers, 'idempotent-replayed': 'true' } };
  }
  const done = await act(work);
  const answer = done instanceof Last ? await settle(work.db, done) : done;
  const sealed = work.secrets.seal(JSON.stringify(answer));
  const keep = { text: KEEP, values: [id.account_id, subject, key, hash, sealed] };
  return lastly(work.db, [keep], () => answer);
}

export const PAST_ANSWERS: Sweep = { table: 'idempotent_answers', past: `created_at < now() - interval '24 hours'` };
