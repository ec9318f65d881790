import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { executable, findChromium } from '../test/browser/chromium.mjs';

/** A Chromium that is told only what is measured: what the browser tests listen to costs the page time of its own. */
export type Browser = {
  send<T>(method: string, params?: object, sessionId?: string): Promise<T>;
  close(): Promise<void>;
};

export async function openChromium(more: string[] = []): Promise<Browser> {
  if (!findChromium(true)) throw new Error('There is no Chromium on this machine to show pages in.');
  const program = await executable(true);
  const profile = mkdtempSync(join(tmpdir(), 'leadline-chromium-'));
  const flags = [
    '--headless=new',
    '--no-sandbox',
    '--disable-gpu',
    '--no-first-run',
    '--disable-background-networking',
    ...more,
  ];
  const child = spawn(program, [...flags, '--remote-debugging-port=0', `--user-data-dir=${profile}`, 'about:blank'], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const url = await new Promise<string>((resolve, reject) => {
    let told = '';
    child.stderr.on('data', (data) => {
      told += String(data);
      const found = /listening on (ws:\S+)/.exec(told)?.[1];
      if (found) resolve(found);
    });
    child.once('close', () => reject(new Error(`Chromium did not start:\n${told}`)));
  });
  const socket = new WebSocket(url);
  await new Promise((resolve) => socket.addEventListener('open', resolve, { once: true }));
  const waiting = new Map<number, PromiseWithResolvers<never>>();
  socket.addEventListener('message', ({ data }) => {
    const { id, result, error } = JSON.parse(String(data)) as {
      id?: number;
      result: never;
      error?: { message: string };
    };
    if (id === undefined) return;
    if (error) waiting.get(id)?.reject(new Error(error.message));
    else waiting.get(id)?.resolve(result);
    waiting.delete(id);
  });
  let last = 0;
  const send = <T>(method: string, params: object = {}, sessionId?: string): Promise<T> => {
    const answer = Promise.withResolvers<never>();
    waiting.set(++last, answer);
    socket.send(JSON.stringify({ id: last, method, params, sessionId }));
    return answer.promise;
  };
  const close = async () => {
    child.kill('SIGTERM');
    await ended;
    rmSync(profile, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 });
  };
  return { send, close };
}

export type Page = {
  send<T>(method: string, params?: object): Promise<T>;
  look<T>(expression: string): Promise<T>;
  /** Waits until an expression is true. */
  until(expression: string): Promise<void>;
  close(): Promise<void>;
};

/** Without a context it is the browser's own, which remembers between pages. */
export async function openPage(browser: Browser, browserContextId?: string): Promise<Page> {
  const place = { url: 'about:blank', browserContextId };
  const { targetId } = await browser.send<{ targetId: string }>('Target.createTarget', place);
  const attached = { targetId, flatten: true };
  const { sessionId } = await browser.send<{ sessionId: string }>('Target.attachToTarget', attached);
  const send = <T>(method: string, params?: object) => browser.send<T>(method, params, sessionId);
  const look = async <T>(expression: string): Promise<T> => {
    const asked = { expression, returnByValue: true };
    return (await send<{ result: { value: T } }>('Runtime.evaluate', asked)).result.value;
  };
  const until = async (expression: string) => {
    for (const deadline = Date.now() + 30_000; Date.now() < deadline; await sleep(50)) {
      // While a page makes way for another there is nobody to ask.
      if (await look<boolean>(expression).catch(() => false)) return;
    }
    throw new Error(`The page never came to this: ${expression}`);
  };
  await send('Page.enable');
  const laptop = { width: 1_440, height: 900, deviceScaleFactor: 1, mobile: false };
  await send('Emulation.setDeviceMetricsOverride', laptop);
  return { send, look, until, close: () => browser.send('Target.closeTarget', { targetId }) };
}
