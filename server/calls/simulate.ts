import type { Static } from 'typebox';
import type { Simulation } from '../../contract/calls.ts';
import type { Actor } from '../platform/actor.ts';
import { query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { invalid } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import type { Happening } from '../telephony/carrier.ts';

const WISH = sql('calls/simulate.wish')`
  insert into simulations (account_id, happening) values ($1, $2)`;

/** Wants something to come from outside; the simulated line makes it so. */
export async function simulate(work: Work, actor: Actor, given: Static<typeof Simulation>): Promise<void> {
  const happening = read(given);
  await query(work.db, WISH, [actor.account.id, JSON.stringify(happening)]);
  work.nudge('line');
}

function read({ kind, from, body, seconds, ...given }: Static<typeof Simulation>): Happening {
  const to = given.to ?? null;
  if (!/\d{2}/.test(from.replaceAll(/\D/g, ''))) throw invalid({ from: ['must be a phone number'] });
  if (kind !== 'inbound_text') return { kind, from, to, ...(seconds !== undefined && { seconds }) };
  if (!body?.trim()) throw invalid({ body: ['must not be empty'] });
  return { kind, from, to, body };
}
