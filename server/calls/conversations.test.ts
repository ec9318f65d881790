import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { openCaller } from '../../test/caller.ts';
import { asIs, atEnd } from '../../test/database.ts';
import { openHouse } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';
import { query } from '../platform/db.ts';
import { holdLease } from '../platform/lease.ts';
import { createLog } from '../platform/log.ts';
import { takePhone } from '../phones/phones.ts';
import { LINE } from '../telephony/carrier.ts';
import { openEmbedded } from '../telephony/media/embedded/engine.ts';
import type { Media } from '../telephony/media/media.ts';
import { openConversations } from './conversations.ts';

const house = await openHouse();

test('A page that took the telephone while another was still being connected keeps it', async () => {
  const { db, node, account } = house;
  await holdLease(db, LINE, node);
  const agent = await house.join({ email: 'ann@example.com' });
  const [call] = await query<{ id: number }>(
    db,
    asIs(`insert into calls (account_id, user_id, direction, state, carrier, carrier_call_id, answered_at)
      values ($1, $2, 'outbound', 'active', 'test', 'test-1', now()) returning id`),
    [account.id, agent.id],
  );
  const [first, second] = [randomUUID(), randomUUID()];
  const nameOf = (page: string) => `${account.id}-${agent.id}-${page}-${call!.id}`;

  // The engine, which takes its time for the first page.
  const engine = openEmbedded({ publicIps: ['127.0.0.1'], ports: { first: 41_300, last: 41_319 } }, () => {});
  const { promise: held, resolve: letGo } = Promise.withResolvers<void>();
  const [connected, gone]: string[][] = [[], []];
  const media: Media = {
    ...engine,
    async connect(leg, offer) {
      const answer = await engine.connect(leg, offer);
      connected!.push(leg);
      if (leg === nameOf(first)) await held;
      return answer;
    },
    disconnect(leg) {
      gone!.push(leg);
      engine.disconnect(leg);
    },
  };
  const conversations = openConversations({ db, node, log: createLog('silent'), media });
  atEnd(async () => {
    conversations.stop();
    await engine.stop();
  });
  engine.begin('test-1');

  const offer = async (page: string) => {
    const caller = await openCaller();
    atEnd(async () => caller.close());
    assert.equal(await takePhone(db, node, { accountId: account.id, userId: agent.id, page }, true), true);
    await query(db, asIs('update phones set call_id = $2, offer_no = 1, offer = $3 where user_id = $1'), [
      agent.id,
      call!.id,
      caller.offer(),
    ]);
    await conversations.look();
  };
  await offer(first);
  await eventually('the engine has the first', () => connected!.includes(nameOf(first)));
  await offer(second);
  await eventually('the second is answered', async () => {
    await conversations.look();
    const values = [agent.id, second];
    const { rows } = await house.pool.query('select answer from phones where user_id = $1 and page = $2', values);
    return rows[0].answer !== null;
  });
  letGo();
  await eventually('one of them is let go', () => gone!.length > 0);
  await conversations.look();
  assert.deepEqual(gone, [nameOf(first)]);
});
