import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { test } from 'node:test';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { openBrowser, openPage, withBrowser } from './browser.ts';
import { openService, OWNER } from './service.ts';

const run = promisify(execFile);
const service = await openService();
const { address, key, ask } = await service.addAccount();
const api = async (method: string, path: string, body?: unknown) =>
  (await ask(method, `/api/v2${path}`, body, { authorization: `Token "${key}"` })).body;

/** In an order in which each finds what it is about, some more than once. */
const ORDER = [
  'createList',
  'createList',
  'createLead',
  'createLead',
  'createLead',
  'inviteUser',
  'subscribeToList',
  'subscribeToAccount',
];

/** The command that the reference shows for an operation, as its button copies it. */
async function copyCommand(page: Page, tag: string, method: string, path: string): Promise<string> {
  const anchor = `tag/${tag.toLowerCase()}/${method.toUpperCase()}${path}`;
  await page.goto(`${address}/docs#${anchor}`);
  const section = page.locator(`section[id$="/${anchor}"]`);
  await section.locator('pre').filter({ hasText: 'curl' }).first().hover();
  await page.evaluate(() => navigator.clipboard.writeText(''));
  await section.getByRole('button', { name: 'cURL Copy' }).click();
  return eventually('it is copied', () => page.evaluate(() => navigator.clipboard.readText()));
}

test('every command of the reference does what it says when it is pasted with a key', withBrowser, async () => {
  const { page, complaints } = await openPage(await openBrowser(), {
    viewport: { width: 1280, height: 900 },
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  const { paths } = await api('GET', '/openapi.json');
  const operations = Object.entries<any>(paths).flatMap(([path, methods]) =>
    Object.entries<any>(methods).map(([method, { operationId, tags, responses }]) => ({
      path,
      method,
      operationId,
      tag: tags[0] as string,
      status: Object.keys(responses)[0]!,
    })),
  );
  // What the examples are about and no operation makes: the one who is given a lead, and a call.
  const ellen = { accept_charge_upon_invitation_acceptance: '1', user: { email: 'ellen@example.com' } };
  await api('POST', '/users', ellen);
  const signedIn = await ask('POST', '/app/session', OWNER, { origin: address });
  const cookie = [signedIn.headers['set-cookie']].flat()[0]!.split(';', 1)[0]!;
  await ask('POST', '/app/calls', { call: { number: '+4533112230' } }, { cookie, origin: address });

  const rest = operations.map(({ operationId }) => operationId as string).filter((id) => !ORDER.includes(id));
  const went: [name: string, status: string][] = [];
  for (const id of [...ORDER, ...rest]) {
    const { tag, method, path } = operations.find(({ operationId }) => operationId === id)!;
    const command = (await copyCommand(page, tag, method, path)).replace('API_KEY', key).trim();
    const { stdout } = await run('bash', ['-c', `${command} --silent --output /dev/null --write-out '%{http_code}'`]);
    went.push([id, stdout]);
  }
  assert.deepEqual(
    went,
    went.map(([id]) => [id, operations.find(({ operationId }) => operationId === id)!.status]),
  );
  assert.deepEqual(
    complaints.filter((one) => !one.startsWith('@scalar/')),
    [],
  );
});
