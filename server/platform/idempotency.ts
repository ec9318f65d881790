import type { FastifyRequest } from 'fastify';
import { sql } from 'kysely';
import type { Actor } from './actor.ts';
import { HttpError } from './errors.ts';
import { invalid } from './read.ts';
import type { Answer, Work } from './work.ts';
import type { Sweep } from './sweep.ts';

/** A POST with an Idempotency-Key has its effect once in 24 hours; its answer is kept in the transaction of the effect, and repeated. */
export async function answerOnce(
  work: Work,
  actor: Actor,
  request: FastifyRequest,
  act: (work: Work) => Promise<Answer>,
): Promise<Answer> {
  const key = request.headers['idempotency-key'];
  if (key === undefined || key === '') return act(work);
  if (typeof key !== 'string' || key.length > 255)
    throw invalid({ 'Idempotency-Key': ['must have at most 255 characters'] });
  const subject = actor.user ? `user ${actor.user.id}` : 'account';
  // Keyed: from a bare hash in a dump a short body could be guessed.
  const hash = Buffer.from(work.secrets.sign(JSON.stringify([request.method, request.url, request.body ?? null])));
  const id = { account_id: actor.account.id, subject, key };

  // Held until the transaction ends. A second request with the same key meanwhile is told so instead of waiting.
  const { rows } = await sql<{ taken: boolean }>`
    select pg_try_advisory_xact_lock(hashtextextended(${JSON.stringify(id)}, 0)) as taken`.execute(work.db);
  if (!rows[0]!.taken) {
    throw new HttpError(409, 'in_progress', 'A request with this Idempotency-Key is being worked on.', {
      retryAfter: 1,
    });
  }
  const kept = await work.db
    .selectFrom('idempotent_answers')
    .select(['request_hash', 'sealed'])
    .where('account_id', '=', id.account_id)
    .where('subject', '=', subject)
    .where('key', '=', key)
    .where('created_at', '>', sql<Date>`now() - interval '24 hours'`)
    .executeTakeFirst();
  if (kept && !kept.request_hash.equals(hash)) {
    throw invalid({ 'Idempotency-Key': ['was used for another request'] });
  }
  if (kept) {
    const { headers, ...answer } = JSON.parse(work.secrets.open(kept.sealed)) as Answer;
    return { ...answer, headers: { ...headers, 'idempotent-replayed': 'true' } };
  }
  const answer = await act(work);
  const row = {
    request_hash: hash,
    sealed: work.secrets.seal(JSON.stringify(answer)),
    created_at: sql<Date>`now()`,
  };
  await work.db
    .insertInto('idempotent_answers')
    .values({ ...id, ...row })
    .onConflict((conflict) => conflict.columns(['account_id', 'subject', 'key']).doUpdateSet(row))
    .execute();
  return answer;
}

export const PAST_ANSWERS: Sweep = { table: 'idempotent_answers', past: `created_at < now() - interval '24 hours'` };
