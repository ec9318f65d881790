import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse, OWNER } from '../../test/house.ts';
import { eventually } from '../../test/leadline.ts';

const house = await openHouse();

const submit = (path: string, values: Record<string, string>) =>
  fetch(house.address + path, {
    method: 'POST',
    redirect: 'manual',
    headers: { origin: house.address },
    body: new URLSearchParams(values),
  });

test('who does not want to be kept signed in gets a cookie that goes with the browser', async () => {
  const kept = await submit('/sign-in', { ...OWNER, keep: '1' });
  assert.match(kept.headers.get('set-cookie')!, /; Max-Age=1209600/);
  const { headers } = await submit('/sign-in', OWNER);
  assert.match(headers.get('set-cookie')!, /^leadline_session=[\w-]+; Path=\/; HttpOnly; SameSite=Lax$/);
  const cookie = headers.get('set-cookie')!.split(';', 1)[0]!;
  assert.equal((await fetch(`${house.address}/app/me`, { headers: { cookie } })).status, 200);
});

test('who signs in comes to where they were going, a filter of the leads as well, and never out of the house', async () => {
  const goes = async (to: string) => (await submit('/sign-in', { ...OWNER, to })).headers.get('location');
  const filtered = '/leads?lists=1,2&f=field.city:in:Ghent,Bruges%5C%2C+old&f=claimed_by:is:ann@example.com&view=7';
  assert.equal(await goes(filtered), filtered);
  for (const away of ['//example.com', '/\\example.com', 'https://example.com', '/a\r\nset-cookie: b=c'])
    assert.equal(await goes(away), '/');
});

test('a wrong password: one sentence, what was filled in stays, and the password is nowhere', async () => {
  const response = await submit('/sign-in', { email: '"><b>ann', password: 'a secret of mine', to: '/manage/users' });
  const text = await response.text();
  assert.deepEqual([response.status, text.match(/role="alert"/g)?.length], [401, 1]);
  assert.ok(text.includes('value="&quot;&gt;&lt;b&gt;ann"'));
  assert.ok(text.includes('name="to" value="/manage/users"'));
  assert.ok(!text.includes('a secret of mine') && !/<b>ann/.test(text));
});

test('a new password by link: the key is replaced unless one says otherwise, and an easy one is told at its field', async () => {
  const member = await house.join({ email: 'ann@example.com' });
  const works = async (key: string) => (await house.withKey(key)('GET', '/nowhere')).status === 404;
  const keyAfter = async (password: string) => {
    const ask = await house.signIn('ann@example.com', password);
    return (await ask('POST', '/keys/personal/show', { password })).body.key as string;
  };
  const reset = async (password: string, more: Record<string, string>) => {
    await house.pool.query("delete from mails where recipient = 'ann@example.com'");
    await submit('/forgotten', { email: 'ann@example.com' });
    const token = await eventually('a mail', () => house.resetTokenFor('ann@example.com'));
    const page = await (await fetch(`${house.address}/reset?token=${token}`)).text();
    assert.match(page, /name="replace_key"\s+value="1"\s+checked/);
    const easy = await submit('/reset', { token, email: 'ann@example.com', password: 'aaaaaaaaaa', ...more });
    const told = await easy.text();
    assert.equal(easy.status, 422);
    assert.ok(told.includes('Password is easily guessed: use a few unrelated words.') && !told.includes('aaaaaaaaaa'));
    assert.equal(/name="replace_key"\s+value="1"\s+checked/.test(told), more.replace_key === '1');
    assert.equal((await submit('/reset', { token, password, ...more })).status, 303);
  };
  await reset('tulip wagon moss', {});
  assert.equal(await works(member.key), true);
  await reset('kaffe kage cykel', { replace_key: '1' });
  assert.deepEqual([await works(member.key), await works(await keyAfter('kaffe kage cykel'))], [false, true]);
});

test('what is longer than any form or password is not worked on', async () => {
  assert.equal((await submit('/sign-in', { email: 'a@example.com', password: 'ﷺ'.repeat(1_500) })).status, 401);
  const large = await submit('/sign-in', { ...OWNER, more: 'x'.repeat(20_000) });
  assert.equal(large.status, 413);
});

test('the forms bring no script or style of their own; what they name comes from us', async () => {
  const text = await (await fetch(`${house.address}/sign-in`)).text();
  assert.ok(!/<style|style="|<script>|\son\w+="/.test(text));
  for (const [path, type] of [
    ['/assets/door.css', 'text/css'],
    ['/assets/door.js', 'text/javascript'],
    ['/assets/mark.svg', 'image/svg+xml'],
  ] as const) {
    assert.ok(text.includes(`"${path}"`), path);
    const asset = await fetch(house.address + path);
    assert.deepEqual([asset.status, asset.headers.get('content-type')!.split(';', 1)[0]], [200, type]);
  }
});

test('an address that leads nowhere is a page to a browser and JSON to a program', async () => {
  const ask = async (accept: string, path = '/nowhere') => {
    const response = await fetch(house.address + path, { headers: { accept } });
    return { status: response.status, type: response.headers.get('content-type')!, text: await response.text() };
  };
  const page = await ask('text/html,application/xhtml+xml,*/*;q=0.8');
  assert.deepEqual([page.status, page.type.split(';', 1)[0]], [404, 'text/html']);
  assert.match(page.text, /<h1>There is nothing here<\/h1>/);
  for (const [accept, path] of [
    ['*/*', '/nowhere'],
    ['text/html;q=0, */*', '/nowhere'],
    ['text/html', '/api/v9/leads'],
  ] as const) {
    const { status, type } = await ask(accept, path);
    assert.deepEqual([status, type.split(';', 1)[0]], [404, 'application/json'], `${path}, ${accept}`);
  }
});

test('where no mail can be sent, whoever forgot their password is told whom to ask, and no stranger gets a link', async () => {
  const page = await (await fetch(`${house.address}/forgotten`)).text();
  assert.match(page, /No mail can be sent from here\./);
  const response = await submit('/forgotten', { email: OWNER.email });
  const text = await response.text();
  assert.match(text, /<h1>Ask an owner for the link<\/h1>/);
  assert.match(text, /an owner of\s+Acme finds it/);
  assert.match(text, /<code>leadline owner reset<\/code>/);
  assert.ok(!/token=|is on its way/.test(text));
  const unknown = await (await submit('/forgotten', { email: 'nobody@example.com' })).text();
  assert.equal(unknown.replaceAll('nobody@example.com', OWNER.email), text, 'and nobody learns who is here');
});
