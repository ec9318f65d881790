import assert from 'node:assert/strict';
import { test } from 'node:test';
import { holdCalls } from '../../test/held-rows.ts';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';

const house = await openHouse();
const switchboard = await house.openLine();
const api = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
await owner('PATCH', '/account', { account: { caller_number: '+4570101010', caller_name: 'Acme', country: 'DK' } });
const list = (await api('POST', '/lists', { list: { name: 'Calls' } })).body.id as number;

const reaches = (id: number, state: string) =>
  eventually(`call ${id} is ${state}`, async () => (await api('GET', `/calls/${id}`)).body.state === state);

async function prepare(name: string) {
  const { ask } = await house.join({ email: `${name}@example.com`, listing_ids: [list] });
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: '+4533112280' } })).body.id;
  return { ask, lead: lead as number };
}

type Prepared = Awaited<ReturnType<typeof prepare>>;

/** A call that lasts until someone hangs up. */
const begin = async ({ ask, lead }: Prepared): Promise<number> =>
  (await ask('POST', '/calls', { call: { lead_id: lead } })).body.id;

async function call(prepared: Prepared): Promise<number> {
  const id = await begin(prepared);
  await reaches(id, 'active');
  return id;
}
const LAST_SEEN = `update calls set page_seen_at = now() - interval '11 seconds' where id = $1`;

test('a page that could not say that it is there while the database was away is not missed at once', async () => {
  const next = await prepare('next');
  const [left, held] = [await call(await prepare('left')), await call(await prepare('held'))];
  await house.pool.query(LAST_SEEN, [left]);
  // Nobody is missed for a while after a start either.
  await reaches(left, 'completed');

  const client = await house.pool.connect();
  await client.query('begin');
  await client.query('lock table simulations in access exclusive mode');
  const cut = `
    select pg_terminate_backend(pid) from pg_locks
     where relation = 'simulations'::regclass and database = (select oid from pg_database where datname = current_database())
       and not granted`;
  await eventually('a look is cut off', async () => (await client.query(cut)).rows.length > 0);
  await client.query(LAST_SEEN, [held]);
  await client.query('commit');
  client.release();
  // Whatever is dialled is dialled by a look.
  const id = await begin(next);
  await eventually('it is dialled', async () => {
    const { rows } = await house.pool.query('select dialled_at from calls where id = $1', [id]);
    return rows[0].dialled_at !== null;
  });
  const { rows } = await house.pool.query('select state, hang_up_at from calls where id = $1', [held]);
  assert.deepEqual(rows, [{ state: 'active', hang_up_at: null }]);
});

test('a call that was asked for before the line was away for long is not dialled when it is back: it failed, and that is told', async () => {
  const { ask } = await house.join({ email: 'patient@example.com', listing_ids: [list] });
  const webhook = { event: 'new_call', target_url: 'http://127.0.0.1:9/never' };
  assert.equal((await api('POST', '/webhooks', { webhook })).status, 201);
  const number = '+4533112202';
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: number } })).body.id;
  // Nobody dials it for an hour.
  const letGo = await holdCalls(
    house.pool,
    `new.destination_number = '${number}' and old.dialled_at is null and new.dialled_at is not null`,
  );
  const { id } = (await ask('POST', '/calls', { call: { lead_id: lead } })).body;
  await house.pool.query(`update calls set rang_at = now() - interval '1 hour' where id = $1`, [id]);
  await letGo();
  await reaches(id, 'completed');
  const { rows } = await house.pool.query(
    'select disposition, ended_by, answered_at, carrier_call_id from calls where id = $1',
    [id],
  );
  assert.deepEqual(rows, [{ disposition: 'failed', ended_by: 'line', answered_at: null, carrier_call_id: null }]);
  const line = (await ask('GET', '/line')).body;
  assert.deepEqual([line.call, line.wrapping_up.id, line.wrapping_up.ended_by], [null, id, 'line']);
  const told = await house.pool.query('select id from deliveries where resource = $1', [`/api/v2/calls/${id}`]);
  assert.equal(told.rowCount, 1);
});

test('a text that was sent is not said to have failed because that could not be written down at first', async () => {
  const { ask } = await house.join({ email: 'writer@example.com', listing_ids: [list] });
  const lead = (await api('POST', `/lists/${list}/leads`, { lead: { work_office_phone: '+4533112201' } })).body.id;
  await house.pool.query(`
    create sequence refusals;
    create function refuse_name() returns trigger language plpgsql as $$
      begin if nextval('refusals') <= 2 then raise exception 'not yet'; end if; return new; end $$;
    create trigger refuse_name before update of carrier_text_id on texts for each row execute function refuse_name()`);
  await ask('POST', `/leads/${lead}/texts`, { text: { body: 'Hello' } });
  const fate = await eventually('its fate is known', async () => {
    const [text] = (await ask('GET', `/leads/${lead}/texts`)).body;
    return ['delivered', 'failed'].includes(text.state) && text;
  });
  assert.deepEqual([fate.state, fate.error], ['delivered', null]);
});

test('calls that end because the service stops were ended by the line, and not by whom they were with', async () => {
  const prepared = await prepare('stopped');
  const id = await call(prepared);
  await switchboard.stop();
  await reaches(id, 'completed');
  const { rows } = await house.pool.query('select disposition, ended_by from calls where id = $1', [id]);
  assert.deepEqual(rows, [{ disposition: 'normal', ended_by: 'line' }]);
});
