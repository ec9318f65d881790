import type { Actor } from '../platform/actor.ts';
import { query, type Db } from '../platform/db.ts';
import { isHeldBy } from '../platform/lease.ts';
import type { Node as WholeNode } from '../platform/nodes.ts';
import { sql } from '../platform/sql.ts';
import type { Work } from '../platform/work.ts';
import { LINE } from '../telephony/carrier.ts';

/**
 * Which page is a person's telephone. A row a person, so that it is one of all their tabs, browsers and nodes; and by the same row, what the
 * page offers comes to the node that holds the line, and its answer back.
 */

/** This process, as far as it is known here. */
export type Node = Pick<WholeNode, 'id' | 'silent'>;

export type Page = { accountId: number; userId: number; page: string };

/** A page that is loaded anew, or whose connection broke, finds its telephone where it was. */
const KEPT = `interval '5 seconds'`;

/** No time decides whether a node is there: who lives knows which of its sockets are open. */
const isFree = (row: string, silent: string) => `(
  ${row}.left_at not between now() - ${KEPT} and now() + ${KEPT} or ${row}.node_id = any (${silent})
  or not exists (select from nodes n where n.id = ${row}.node_id))`;

const TAKE = sql('phones/phones.take')`
  insert into phones as p (account_id, user_id, page, node_id) values ($1, $2, $3, $4)
  on conflict (account_id, user_id) do update set page = excluded.page, node_id = excluded.node_id, left_at = null,
    call_id = null, offer_no = null, offer = null, answer_no = null, answer = null, fault = null
   where $5 or p.page = excluded.page or ${isFree('p', '$6::bigint[]')}
  returning user_id`;

/** Whether the page is the telephone from now on: because it says so, or because no other is. */
export async function takePhone(db: Db, node: Node, { accountId, userId, page }: Page, take: boolean) {
  return (await query(db, TAKE, [accountId, userId, page, node.id, take, node.silent()])).length > 0;
}

const LEAVE = sql('phones/phones.leave')`
  update phones set left_at = now() where account_id = $1 and user_id = $2 and page = $3 and node_id = $4`;

/** Its socket closed; it may come back. */
export async function leavePhone(db: Db, node: Node, { accountId, userId, page }: Page): Promise<void> {
  await query(db, LEAVE, [accountId, userId, page, node.id]);
}

const GIVE_UP = sql('phones/phones.give_up')`
  delete from phones where account_id = $1 and user_id = $2 and page = $3`;

/** It will not come back: nobody is signed in there any more. */
export async function giveUpPhone(db: Db, { accountId, userId, page }: Page): Promise<void> {
  await query(db, GIVE_UP, [accountId, userId, page]);
}

export type Phone = {
  account_id: number;
  user_id: number;
  page: string;
  free: boolean;
  answer_no: number | null;
  answer: string | null;
  fault: string | null;
};

const LOOK = sql('phones/phones.look')`
  select p.account_id, p.user_id, p.page, ${isFree('p', '$3::bigint[]')} as free, p.answer_no, p.answer, p.fault
    from unnest($1::bigint[], $2::bigint[]) as here (account_id, user_id)
    join phones p on p.account_id = here.account_id and p.user_id = here.user_id`;

/** The telephones of these people, wherever they are. */
export const lookAtPhones = (db: Db, node: Node, people: Pick<Page, 'accountId' | 'userId'>[]): Promise<Phone[]> =>
  query<Phone>(db, LOOK, [people.map(({ accountId }) => accountId), people.map(({ userId }) => userId), node.silent()]);

const OFFER = sql('phones/phones.offer')`
  update phones set call_id = $4, offer_no = $5, offer = $6, answer_no = null, answer = null, fault = null
   where account_id = $1 and user_id = $2 and page = $3 returning user_id`;

/** Wants to be heard in a call. Whoever holds the line answers. False where the page is not the telephone. */
export async function offerSound(
  work: Work,
  { account, user }: Actor,
  offer: { page: string; callId: number; no: number; sdp: string },
): Promise<boolean> {
  work.nudge('line');
  const values = [account.id, user!.id, offer.page, offer.callId, offer.no, offer.sdp];
  return (await query(work.db, OFFER, values)).length > 0;
}

export type Offer = { account_id: number; user_id: number; page: string; call_id: number; no: number; sdp: string };

const OFFERS = sql('phones/phones.offers')`
  select account_id, user_id, page, call_id, offer_no as no, offer as sdp from phones
   where offer is not null and ${isHeldBy(LINE, '$1')}`;

/** What no one has answered yet. */
export const findOffers = async (db: Db, node: Node): Promise<Offer[]> =>
  (await query<{ [key in keyof Offer]: Offer[key] | null }>(db, OFFERS, [node.id])) as Offer[];

const ANSWER = sql('phones/phones.answer')`
  update phones set offer = null, answer_no = offer_no, answer = $5, fault = $6
   where account_id = $1 and user_id = $2 and page = $3 and offer_no = $4 returning user_id`;

type Answered = { sdp: string } | { fault: string };

/** False where another offer, or another page, came meanwhile: then it is not answered. */
export async function answerOffer(db: Db, { account_id, user_id, page, no }: Offer, answered: Answered) {
  const [sdp, fault] = 'sdp' in answered ? [answered.sdp, null] : [null, answered.fault];
  return (await query(db, ANSWER, [account_id, user_id, page, no, sdp, fault])).length > 0;
}
