import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, send, OWNER } from '../../test/house.ts';
import { atEnd } from '../../test/database.ts';
import { query } from '../platform/db.ts';
import { createLog } from '../platform/log.ts';
import { joinNodes } from '../platform/nodes.ts';
import { startSwitchboard } from './switchboard.ts';

const sleep = (ms: number) => new Promise((r) => setTimeout(r, ms));
const log = createLog('silent');
async function fakeLine(house: any, over: any = {}) {
  const node = await joinNodes(house.db, 'serve', log);
  const seen: string[] = [];
  let n = 0;
  const carrier: any = {
    name: 'fake',
    dial: async () => { const id = `f-${Date.now()}-${n++}`; seen.push(`dial ${id}`); return id; },
    answer: async () => {},
    hangUp: async (id: string) => void seen.push(`hangUp ${id}`),
    sendText: async () => { seen.push('text'); return `t-${n++}-${Date.now()}`; },
    stop: async () => {},
    ...over.carrier,
  };
  const board = startSwitchboard({ db: over.db ?? house.db, transact: over.transact ?? house.transact, store: over.store ?? house.store, log, nodeId: node.id, openCarrier: (r: any) => { over.onReport?.(r); return carrier; } });
  return { board, seen, carrier };
}
const callRow = async (house: any, id: number) => (await house.pool.query('select state, disposition, dialled_at, hang_up_at, carrier_call_id, answered_at, ended_at from calls where id=$1', [id])).rows[0];

test('A store hang blocks line and lease', async () => {
  const house = await openHouse();
  const owner = await house.signIn(OWNER.email, OWNER.password);
  const store = { ...house.store, take: () => sleep(40_000) as any };
  const { board, seen } = await fakeLine(house, { store });
  await sleep(500);
  const first = (await owner('POST', '/calls', { call: { number: '+4533112201' } })).body.id;
  await sleep(700);
  console.log('A first', await callRow(house, first), seen);
  await house.pool.query(`insert into recordings (account_id, call_id, part, started_at, file) values ($1,$2,'1',now(),'/tmp/none')`, [house.account.id, first]);
  await sleep(1500);
  console.log('A hangup', (await owner('POST', `/calls/${first}/hang_up`)).status);
  await sleep(12_000);
  console.log('A after 13 s', await callRow(house, first), seen, (await house.pool.query('select expires_at < now() as expired, now()-expires_at as since from leases')).rows);
  atEnd(() => board.stop());
  await sleep(1);
});

test('B learnId fails', async () => {
  const house = await openHouse();
  const owner = await house.signIn(OWNER.email, OWNER.password);
  let mode = 'ok';
  let dialledOnce = 0;
  const transact: any = async (act: any) => {
    if (mode === 'one' ) { mode = 'ok'; throw new Error('Connection terminated unexpectedly'); }
    if (mode === 'two' && dialledOnce++ < 2) throw new Error('Connection terminated unexpectedly');
    return house.transact(act);
  };
  const { board, seen } = await fakeLine(house, { transact });
  await sleep(500);
  mode = 'one';
  const a = (await owner('POST', '/calls', { call: { number: '+4533112201' } })).body.id;
  await sleep(2000);
  console.log('B1', await callRow(house, a), seen);
  mode = 'two';
  const b = (await owner('POST', '/calls', { call: { number: '+4533112201' } })).body.id;
  await sleep(1500);
  console.log('B2 hang_up', (await owner('POST', `/calls/${b}/hang_up`)).status);
  await sleep(5000);
  console.log('B2', await callRow(house, b), seen);
  console.log('B2 next', (await owner('POST', '/calls', { call: { number: '+4533112201' } })).body);
  await board.stop();
});

test('C give-up race', async () => {
  const house = await openHouse();
  const owner = await house.signIn(OWNER.email, OWNER.password);
  const slow = new Proxy(house.db, { get(t: any, k) { if (k === 'executeQuery') return async (q: any, ...r: any[]) => { if (q.sql.includes('set dialled_at')) await sleep(100); return t.executeQuery(q, ...r); }; const v = t[k]; return typeof v === 'function' ? v.bind(t) : v; } });
  const { board, seen } = await fakeLine(house, { db: slow });
  await sleep(500);
  const a = (await owner('POST', '/calls', { call: { number: '+4533112201' } })).body.id;
  board.nudge(); await sleep(20);
  await owner('POST', `/calls/${a}/hang_up`); board.nudge();
  await sleep(4000);
  console.log('C', await callRow(house, a), seen);
  await board.stop();
});

test('I text refused by carrier', async () => {
  const house = await openHouse();
  const api = house.withKey(house.key);
  const owner = await house.signIn(OWNER.email, OWNER.password);
  const list = (await api('POST', '/lists', { list: { name: 'T' } })).body.id;
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: '+4533112299' } })).body.id;
  const { board, seen } = await fakeLine(house, { carrier: { sendText: async () => { throw new Error('21211'); } } });
  await sleep(300);
  await owner('POST', `/leads/${lead}/texts`, { text: { body: 'hi' } });
  await sleep(4000);
  console.log('I', (await owner('GET', `/leads/${lead}/texts`)).body.map((t: any) => [t.state, t.error]));
  await board.stop();
});

test('E unknown to the carrier stays open', async () => {
  const house = await openHouse();
  const owner = await house.signIn(OWNER.email, OWNER.password);
  await house.openLine();
  await sleep(600);
  const { rows: [u] } = await house.pool.query('select id from users limit 1');
  const { rows: [c] } = await house.pool.query(`insert into calls (account_id, direction, user_id, destination_number, state, answered_at, carrier, carrier_call_id, dialled_at) values ($1,'outbound',$2,'+4533112201','active',now(),'simulated','sim-gone',now()) returning id`, [house.account.id, u.id]);
  console.log('E hang', (await owner('POST', `/calls/${c.id}/hang_up`)).status);
  await sleep(5000);
  console.log('E', await callRow(house, c.id), (await owner('POST', '/calls', { call: { number: '+4533112201' } })).body.code);
});
