import assert from 'node:assert/strict';
import { spawn, type ChildProcess, type StdioOptions } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, globSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { atEnd } from '../database.ts';
import { eventually, makeFolder } from '../leadline.ts';
import { freePort } from '../../bench/processes.ts';

/** As W3C's WebDriver writes them, in both of its protocols. */
type Action = { type: 'keyDown' | 'keyUp'; value: string };

/** What the protocols have in common, and what the pages are tried with in browsers that Playwright does not drive as they are. */
export type Engine = {
  name: string;
  go: (url: string) => Promise<void>;
  /** The expression's value, by way of JSON. */
  evaluate: <T>(expression: string) => Promise<T>;
  perform: (actions: Action[]) => Promise<void>;
};

const PLACES = {
  firefox: ['/usr/bin/firefox-esr', '/usr/bin/firefox'].find((path) => existsSync(path)),
  webkit: globSync('/usr/lib/*/webkit2gtk-4.*/MiniBrowser').at(-1),
  driver: ['/usr/bin/WebKitWebDriver'].find((path) => existsSync(path)),
  screen: ['/usr/bin/Xvfb'].find((path) => existsSync(path)),
};

export const ENGINES = [
  { name: 'Firefox', isHere: PLACES.firefox !== undefined, open: openFirefox },
  { name: 'WebKit', isHere: Boolean(PLACES.webkit && PLACES.driver && PLACES.screen), open: openWebKit },
];

function start(program: string, args: string[], stdio: StdioOptions = 'ignore', env = {}): ChildProcess {
  const child = spawn(program, args, { stdio, env: { ...process.env, ...env }, detached: true });
  atEnd(async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    // With the processes that it has started.
    process.kill(-child.pid!, 'SIGKILL');
    await once(child, 'exit');
  });
  return child;
}

/** WebDriver BiDi: questions and answers over one socket. */
async function openFirefox(): Promise<Engine> {
  const child = start(
    PLACES.firefox!,
    ['--headless', '--no-remote', '--remote-debugging-port=0', '--profile', makeFolder()],
    ['ignore', 'ignore', 'pipe'],
  );
  const socket = new WebSocket(`${await listeningAt(child.stderr!)}/session`);
  await once(socket, 'open');
  type Answer = { id?: number; result?: unknown; error?: string; message?: string };
  const waiting = new Map<number, (answer: Answer) => void>();
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as Answer;
    waiting.get(answer.id ?? 0)?.(answer);
  });
  let asked = 0;
  const ask = async <T>(method: string, params: object): Promise<T> => {
    asked += 1;
    const id = asked;
    const answered = new Promise<Answer>((resolve) => waiting.set(id, resolve));
    socket.send(JSON.stringify({ id, method, params }));
    const { result, error, message } = await answered;
    if (error) throw new Error(`${method}: ${error}, ${message ?? ''}`);
    return result as T;
  };
  await ask('session.new', { capabilities: {} });
  const { contexts } = await ask<{ contexts: { context: string }[] }>('browsingContext.getTree', {});
  const { context } = contexts[0]!;
  return {
    name: 'Firefox',
    go: async (url) => void (await ask('browsingContext.navigate', { context, url, wait: 'complete' })),
    evaluate: async <T>(expression: string) => {
      const { result } = await ask<{ result: { value?: string } }>('script.evaluate', {
        expression: `JSON.stringify(${expression})`,
        target: { context },
        awaitPromise: true,
      });
      return (result.value === undefined ? undefined : JSON.parse(result.value)) as T;
    },
    perform: async (actions) =>
      void (await ask('input.performActions', { context, actions: [{ type: 'key', id: 'keys', actions }] })),
  };
}

async function listeningAt(stderr: Readable): Promise<string> {
  for await (const line of createInterface(stderr)) {
    const address = /ws:\/\/\S+/.exec(line)?.[0];
    if (address) {
      stderr.resume();
      return address;
    }
  }
  throw new Error('Firefox ended before it listened.');
}

/** WebDriver's first protocol: a request for each. WebKit has no headless mode, so it gets a screen that nobody sees. */
async function openWebKit(): Promise<Engine> {
  const screen = start(
    PLACES.screen!,
    ['-displayfd', '3', '-screen', '0', '1600x1000x24'],
    ['ignore', 'ignore', 'ignore', 'pipe'],
  );
  const [number] = (await once(screen.stdio[3] as Readable, 'data')) as [Buffer];
  const port = await freePort();
  start(PLACES.driver!, [`--port=${port}`], 'ignore', {
    DISPLAY: `:${String(number).trim()}`,
    XDG_CONFIG_HOME: makeFolder(),
    XDG_DATA_HOME: makeFolder(),
    XDG_CACHE_HOME: makeFolder(),
  });
  const ask = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(body && { body: JSON.stringify(body) }),
    });
    const { value } = (await answer.json()) as { value: T & { error?: string; message?: string } };
    if (!answer.ok) throw new Error(`${path}: ${value.error ?? ''}, ${value.message ?? ''}`);
    return value;
  };
  await eventually('the driver listens', () => ask('GET', '/status').catch(() => false));
  const { sessionId } = await ask<{ sessionId: string }>('POST', '/session', {
    capabilities: {
      alwaysMatch: { 'webkitgtk:browserOptions': { binary: PLACES.webkit, args: ['--automation'] } },
    },
  });
  const session = `/session/${sessionId}`;
  atEnd(() => ask('DELETE', session));
  await ask('POST', `${session}/window/rect`, { width: 1440, height: 900 });
  return {
    name: 'WebKit',
    go: async (url) => void (await ask('POST', `${session}/url`, { url })),
    evaluate: async <T>(expression: string) => {
      const script = `return JSON.stringify(${expression})`;
      const value = await ask<string | null>('POST', `${session}/execute/sync`, { script, args: [] });
      return (value === null ? undefined : JSON.parse(value)) as T;
    },
    perform: async (actions) =>
      void (await ask('POST', `${session}/actions`, { actions: [{ type: 'key', id: 'keys', actions }] })),
  };
}

const KEYS: Record<string, string> = { Enter: '\uE007', Control: '\uE009', Tab: '\uE004', Escape: '\uE00C' };

/** What the page said when something did not come. */
const SHOWN = `document.activeElement?.outerHTML.slice(0, 300) + document.body.innerText + document.querySelector('textarea')?.value`;

/** A person at the keys, who looks at the page. */
export function sitDown({ name, evaluate, perform }: Engine) {
  const press = (keys: string) => {
    const values = keys.split('+').map((key) => KEYS[key] ?? key);
    return perform([
      ...values.map((value) => ({ type: 'keyDown', value }) as const),
      ...values.toReversed().map((value) => ({ type: 'keyUp', value }) as const),
    ]);
  };
  const type = (text: string) =>
    perform(
      text.split('').flatMap((value) => [
        { type: 'keyDown', value },
        { type: 'keyUp', value },
      ]),
    );
  const see = (what: string, expression: string) =>
    eventually(`${what} in ${name}`, () => evaluate<boolean>(`Boolean(${expression})`)).catch(
      async (error: unknown) => {
        assert.fail(`${String(error)}\n${await evaluate<string>(SHOWN)}`);
      },
    );
  return {
    press,
    type,
    see,
    read: (text: string) => see(`one reads “${text}”`, `document.body.innerText.includes(${JSON.stringify(text)})`),
    leadIs: (lead: string) =>
      see(`the lead is ${lead}`, `document.querySelector('h1')?.innerText.includes(${JSON.stringify(lead)})`),
  };
}
