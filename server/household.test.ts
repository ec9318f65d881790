import assert from 'node:assert/strict';
import { request } from 'node:http';
import { describe, test } from 'node:test';
import { send } from '../test/house.ts';
import { createTestDatabase } from '../test/database.ts';
import { eventually, makeInstallation, runLeadline, startLeadline } from '../test/leadline.ts';

const OWNER_EMAIL = 'ann@example.com';
const OWNER_PASSWORD = 'a whole sentence of mine';
const ACCOUNT_API_KEY = 'a-key-of-our-own-with-32-characters';

/** Settings of an installation in which nothing has happened yet. */
const newInstallation = async () => ({
  DATABASE_URL: (await createTestDatabase()).url,
  SECRET_KEY: 'of this one installation, 32 characters',
});

const invite = (address: string, key: string, email: string) =>
  send(
    `${address}/api/v2/users`,
    'POST',
    { accept_charge_upon_invitation_acceptance: '1', user: { email } },
    { authorization: `Token "${key}"` },
  );

describe('the first account', () => {
  test('`leadline key` prints a key and nothing else, with or without a running service, and makes the account', async () => {
    const DATA_DIR = makeInstallation();
    const before = await startLeadline({ env: { DATA_DIR } });
    const first = await runLeadline(['key'], { env: { DATA_DIR } });
    assert.match(first.output, /^ll_acct_[\w-]{43}\n$/);
    await before.stop();
    assert.deepEqual(await runLeadline(['key'], { env: { DATA_DIR } }), first);
    const leadline = await startLeadline({ env: { DATA_DIR } });
    assert.equal((await invite(leadline.address, first.output.trim(), 'bob@example.com')).status, 201);
    // Nobody can sign in yet: the link is still there, and the one printed before the account was made is as good.
    const codes = [before, leadline].map(({ output }) => /first-run\?code=([\w-]{16})"/.exec(output())?.[1]);
    assert.ok(codes[0]);
    assert.equal(codes[0], codes[1]);
    await leadline.stop();
  });

  test('OWNER_EMAIL, OWNER_PASSWORD and ACCOUNT_API_KEY make it without a browser, once', async () => {
    const env = { ...(await newInstallation()), OWNER_EMAIL, OWNER_PASSWORD, ACCOUNT_API_KEY };
    const EASY = 'leadline2026';
    const refused = await runLeadline(['serve'], { env: { ...env, PORT: '0', OWNER_PASSWORD: EASY } });
    assert.equal(refused.code, 1);
    assert.match(refused.output, /OWNER_PASSWORD is easily guessed: use a few unrelated words\./);
    const first = await startLeadline({ env });
    assert.equal((await invite(first.address, ACCOUNT_API_KEY, 'bob@example.com')).status, 201);
    const signIn = (address: string, password: string) =>
      send(`${address}/app/session`, 'POST', { email: OWNER_EMAIL, password }, { origin: address });
    assert.equal((await signIn(first.address, OWNER_PASSWORD)).status, 201);
    assert.doesNotMatch(first.output(), /"link"/);
    await first.stop();

    const second = await startLeadline({
      env: { ...env, OWNER_PASSWORD: EASY, ACCOUNT_API_KEY: 'x'.repeat(40) },
    });
    await eventually('one line', () => second.output().includes('are ignored: there is an account already'));
    assert.equal((await signIn(second.address, OWNER_PASSWORD)).status, 201);
    assert.equal((await invite(second.address, 'x'.repeat(40), 'cleo@example.com')).status, 401);
    await second.stop();
    for (const secret of [OWNER_PASSWORD, ACCOUNT_API_KEY])
      assert.ok(!(first.output() + second.output()).includes(secret));
  });

  test('the page behind the link makes the account with its key and its owner, for the code alone, and once', async () => {
    const leadline = await startLeadline({ env: { ...(await newInstallation()), ACCOUNT_API_KEY } });
    const code = await eventually('a code', () => /first-run\?code=([\w-]+)/.exec(leadline.output())?.[1]);
    const submit = (values: Record<string, string>) =>
      fetch(`${leadline.address}/first-run`, {
        method: 'POST',
        redirect: 'manual',
        headers: { origin: leadline.address },
        body: new URLSearchParams({
          account: 'Acme',
          base_url: leadline.address,
          email: OWNER_EMAIL,
          password: OWNER_PASSWORD,
          ...values,
        }),
      });
    assert.equal((await submit({ code: 'wrong' })).status, 422);
    assert.equal((await submit({ code, email: 'x' })).status, 422);
    // All faults at once; a password that is not among them need not be typed again, one that is has to be.
    const refused = await (await submit({ code, email: 'x', account: '', country: '', base_url: 'x' })).text();
    for (const fault of [
      'Your e-mail is not a valid e-mail address.',
      'Account name must have 1 to 255 characters.',
      'Country must be chosen.',
      'Address of this service must be an http(s) address without a path.',
    ])
      assert.ok(refused.includes(fault), fault);
    assert.ok(refused.includes(`value="${OWNER_PASSWORD}"`));
    assert.ok(!(await (await submit({ code, password: 'aaaaaaaaaaaa' })).text()).includes('aaaaaaaaaaaa'));
    assert.ok(!(await (await submit({ code: 'wrong', password: 'short' })).text()).includes('value="short"'));
    const both = await Promise.all([
      submit({ code }),
      submit({ code, email: 'other@example.com', base_url: 'http://elsewhere.example.com' }),
    ]);
    const entered = both.filter((response) => response.headers.has('set-cookie'));
    assert.equal(entered.length, 1);
    assert.equal((await submit({ code })).headers.get('location'), '/sign-in');
    assert.equal((await invite(leadline.address, ACCOUNT_API_KEY, 'bob@example.com')).status, 201);
    await leadline.stop();
  });
});

describe('more accounts', () => {
  test('each gets its own owner by its own link', async () => {
    const env = await newInstallation();
    const leadline = await startLeadline({ env: { ...env, OWNER_EMAIL, OWNER_PASSWORD } });
    const { output } = await runLeadline(
      ['account', 'add', '--name', 'Second', '--base-url', 'http://second.example.com'],
      { env },
    );
    const [, code] = /code=([\w-]+)/.exec(output)!;
    const begin = (host: string, values: Record<string, string>) =>
      new Promise<number>((resolve) => {
        const body = new URLSearchParams({
          account: 'Second',
          base_url: 'http://second.example.com',
          email: 'bob@example.com',
          password: OWNER_PASSWORD,
          ...values,
        });
        const headers = { host, origin: `http://${host}`, 'content-type': 'application/x-www-form-urlencoded' };
        // fetch would not let us choose the host.
        request(`${leadline.address}/first-run`, { method: 'POST', headers }, (response) => {
          response.resume();
          resolve(response.headers['set-cookie'] ? 201 : response.statusCode!);
        }).end(body.toString());
      });
    assert.equal(await begin('second.example.com', { code: 'wrong' }), 422);
    // Its address is the operator's to decide: another account's is not taken.
    assert.equal(await begin('second.example.com', { code: code!, base_url: leadline.address }), 201);
    const key = (await runLeadline(['key'], { env })).output.trim();
    assert.equal((await invite(leadline.address, key, 'still@example.com')).status, 201);
    assert.equal(await begin('second.example.com', { code: code! }), 303);
    await leadline.stop();
  });

  test('`leadline account add` makes one with an address and a key of its own', async () => {
    const env = await newInstallation();
    await runLeadline(['key'], { env });
    const add = (...args: string[]) => runLeadline(['account', 'add', ...args], { env });
    const { code, output } = await add('--name', 'Second', '--base-url', 'https://second.example.com');
    assert.equal(code, 0);
    assert.match(output, /^Its owner is made at https:\/\/second\.example\.com\/first-run\?code=[\w-]{16}\nll_acct_/);
    assert.match(
      (await add('--name', 'Third', '--base-url', 'https://second.example.com')).output,
      /belongs to another account/,
    );
    // Whoever was cut off before they could read it asks again, until someone has entered.
    assert.equal((await add('--name', 'Second', '--base-url', 'https://second.example.com')).output, output);
    for (const args of [
      [],
      ['--name', 'x'],
      ['--name', 'x', '--base-url', 'second.example.com'],
      ['--name', ' ', '--base-url', 'https://x.example.com'],
    ]) {
      assert.match((await add(...args)).output, /^Name the account and its address/);
    }
  });
});
