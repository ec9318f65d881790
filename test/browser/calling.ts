import { existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { request } from 'undici';
import { eventually, makeFolder } from '../leadline.ts';
import { makeTone, readRecording, readSound, writeMono, type Recording } from '../sound.ts';
import { launch, openPage } from './browser.ts';
import { openEar, OWN, type Ear } from './ear.ts';
import { furnish, type Service } from './service.ts';

/** Agents who call from the desk, in a browser whose microphone hums a note. */

let opened: Promise<Browser> | undefined;
after(async () => (await opened)?.close());

export function openHummingBrowser(switches: string[] = [], nice = 0): Promise<Browser> {
  opened ??= (async () => {
    const microphone = join(makeFolder(), 'microphone.wav');
    writeFileSync(microphone, writeMono(makeTone(OWN, 10, 48_000), 48_000));
    return launch([`--use-file-for-fake-audio-capture=${microphone}`, ...switches], nice);
  })();
  return opened;
}

export type Agent = Awaited<ReturnType<typeof openDesk>>;

/** An account of its own, and its agent at the desk with a lead whose number ends so. `before`: what is done to the page first. */
export async function openDesk(service: Service, ending: string, before?: (page: Page) => Promise<void>) {
  const house = await furnish(service);
  await house.addLeads(['Marlowe Freight'], ending);
  const { page, complaints } = await openPage(await openHummingBrowser(), { viewport: { width: 1440, height: 900 } });
  const ear: Ear = await openEar(page);
  await before?.(page);
  await house.join(page, 'ann@example.com');
  await page.getByRole('heading', { level: 1 }).getByText('Marlowe Freight', { exact: true }).waitFor();
  const calls = async () => (await house.api('GET', '/calls')) as { id: number; direction: string; state: string }[];

  return {
    ...house,
    page,
    ear,
    complaints,
    /** Settles when someone has answered. */
    async dial(): Promise<number> {
      await page.keyboard.press('d');
      await page.getByText('Connected').waitFor();
      const [call] = await calls();
      return call!.id;
    },
    calls,
    /** Through the link that the API gives, as anyone gets it. */
    recordingOf: async (id: number): Promise<Recording> => {
      const { recordings } = await eventually('it is stored', async () => {
        const call = await house.api('GET', `/calls/${id}`);
        return call.recordings.length > 0 && call;
      });
      return readSound(await fetchFile(service, house.address, recordings[0].url));
    },
    /** As far as it is written. */
    recordedSoFar: async (id: number): Promise<Recording> => {
      const part = await partOf(service, house.id, id);
      await eventually('it is being recorded', () => existsSync(part) && statSync(part).size >= 44);
      return readRecording(part, { isGrowing: true });
    },
    async over(id: number) {
      return eventually('the call is over', async () => {
        const call = await house.api('GET', `/calls/${id}`);
        return call.state === 'completed' && call;
      });
    },
  };
}

/** Whoever hangs up before is not recorded. */
export async function isOnRecord(service: Service, accountId: number, id: number): Promise<void> {
  const part = await partOf(service, accountId, id);
  await eventually('some of it is on record', () => existsSync(part) && statSync(part).size > 44);
}

/** The file that is being written. */
export async function partOf({ pool, incoming }: Service, accountId: number, id: number): Promise<string> {
  const found = await pool.query('select carrier_call_id from calls where account_id = $1 and id = $2', [
    accountId,
    id,
  ]);
  return join(incoming, `${found.rows[0].carrier_call_id}.wav.part`);
}

async function fetchFile({ address }: Service, own: string, link: string): Promise<Buffer> {
  const { pathname, search } = new URL(link, own);
  const answer = await request(address + pathname + search, { headers: { host: new URL(own).host } });
  if (answer.statusCode !== 200) throw new Error(`${link}: ${answer.statusCode}`);
  return Buffer.from(await answer.body.arrayBuffer());
}
