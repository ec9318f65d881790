import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { promisify } from 'node:util';
import { Compile } from 'typebox/schema';
import { Notification } from '../contract/webhooks.ts';
import { runTool } from './check.ts';
import { openHouse, OWNER } from './house.ts';
import { eventually, makeFolder } from './leadline.ts';
import { freePort } from '../bench/processes.ts';

/** docs/api.md, run block by block as a reader would, against a service with its usual limits. */

const ROOT = join(import.meta.dirname, '..');
const run = promisify(execFile);
const page = readFileSync(join(ROOT, 'docs/api.md'), 'utf8');
const blocks = [...page.matchAll(/^```(\w*)\n([^]*?)^```$/gm)].map(([, language, text]) => ({ language, text: text! }));
const of = (language: string) => blocks.filter((one) => one.language === language).map(({ text }) => text);

/** What a block says that it prints, behind `# →` or `// →`; `…` stands for anything. */
const promised = (text: string) => [...text.matchAll(/^(?:#|\/\/) → (.*)$/gm)].map(([, line]) => line!);

function expectPrinted(text: string, printed: string): void {
  const lines = promised(text).map((line) =>
    line
      .split('…')
      .map((part) => RegExp.escape(part))
      .join('[^]*'),
  );
  assert.match(printed.trim(), new RegExp(`^${lines.join('\\s+')}$`), text);
}

const house = await openHouse({ APP_LIMITS: 'off' });
const owner = await house.signIn(OWNER.email, OWNER.password);
// The links of pages lead to the account's own address.
assert.equal((await owner('PATCH', '/account', { account: { base_url: house.address } })).status, 200);
const env = { ...process.env, LEADLINE_URL: house.address, LEADLINE_KEY: house.key };

/** The files that the page tells its readers to write: each names itself in its first line. */
const folder = makeFolder();
const nameOf = (text: string) => /^\/\/ (\S+\.ts)\n/.exec(text)![1]!;
for (const text of of('ts')) writeFileSync(join(folder, nameOf(text)), text);
writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));

test('the page has blocks of commands, of TypeScript and one of what is sent, and no others', () => {
  assert.deepEqual(new Set(blocks.map(({ language }) => language)), new Set(['sh', 'ts', 'json']));
  for (const text of of('json')) assert.ok(Compile(Notification).Check(JSON.parse(text)), text);
});

test('the TypeScript compiles', async () => {
  const options = { ...readOptions(), types: ['node'], noEmit: true };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*.ts'] }));
  const { code, output } = await runTool('tsc', ['-p', folder]);
  assert.equal(code, 0, output);
});

const readOptions = (): object =>
  (JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8')) as { compilerOptions: object }).compilerOptions;

test('every block prints what the page says, one after the other', async () => {
  const shell = openShell();
  for (const { language, text } of blocks) {
    if (language === 'sh') expectPrinted(text, await shell(text));
    if (language !== 'ts' || promised(text).length === 0) continue;
    const { stdout } = await run(process.execPath, [nameOf(text)], { cwd: folder, env });
    expectPrinted(text, stdout);
  }
});

/** One shell for the whole page, as readers have it. */
function openShell(): (text: string) => Promise<string> {
  const child = spawn('bash', ['-euo', 'pipefail'], { cwd: folder, env });
  after(() => child.kill('SIGKILL'));
  let [printed, complaints] = ['', ''];
  child.stdout.on('data', (data) => (printed += String(data)));
  child.stderr.on('data', (data) => (complaints += String(data)));
  return async (text) => {
    printed = '';
    child.stdin.write(`${text}echo; echo '@@ done'\n`);
    await eventually('the block is through', () => {
      assert.equal(child.exitCode, null, `${text}\n${printed}${complaints}`);
      return printed.endsWith('@@ done\n');
    });
    return printed.replaceAll('\r', '').slice(0, -'@@ done\n'.length);
  };
}

test('winner.ts hears of a winner, once, and believes nobody else', async () => {
  const port = await freePort();
  const target_url = `http://127.0.0.1:${port}/`;
  const [list] = (await owner('GET', '/lists')).body;
  const { body: subscription } = await owner('POST', `/lists/${list.id}/webhook`, {
    webhook: { event: 'winner', target_url },
  });
  const child = spawn(process.execPath, ['winner.ts'], {
    cwd: folder,
    env: { ...env, WEBHOOK_SECRET: subscription.secret, PORT: String(port) },
  });
  after(() => child.kill('SIGKILL'));
  let printed = '';
  child.stdout.on('data', (data) => (printed += String(data)));
  const post = (headers = {}) => fetch(target_url, { method: 'POST', body: '{"resource_url":"x"}', headers });
  const { status } = await eventually('it listens', () => post().catch(() => undefined));
  assert.equal(status, 401);

  for (const company_name of ['Fir', 'Gorse']) {
    const { body: lead } = await owner('POST', `/lists/${list.id}/leads`, { lead: { company_name } });
    await owner('POST', `/leads/${lead.id}/winner`, { lead: { category: 'Order' } });
    await eventually('it heard', () => printed.includes(`${company_name} won: Order\n`));
  }
  const { body: deliveries } = await owner('GET', `/deliveries?webhook_id=${subscription.id}`);
  await owner('POST', `/deliveries/${deliveries[0].id}/redeliver`);
  await eventually('it came again', async () => {
    const [again] = (await owner('GET', `/deliveries?webhook_id=${subscription.id}`)).body;
    return again.log.length === 2;
  });
  assert.equal(printed, 'Fir won: Order\nGorse won: Order\n');
});
