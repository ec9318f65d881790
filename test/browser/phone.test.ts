import assert from 'node:assert/strict';
import { after, describe, test } from 'node:test';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { besides, expectFitting, launch, openPage, withBrowser } from './browser.ts';
import { furnish, openService } from './service.ts';

const service = await openService();
const DESK = { viewport: { width: 1440, height: 900 }, locale: 'en-GB' };
/** Says 1,000 Hz, and says back what it hears. */
const [TONE, ECHO] = ['0380', '0390'];
const HERTZ = 1_000;

const opened: Promise<Browser>[] = [];
const begin = (switches: string[]) => {
  const browser = withBrowser.skip ? undefined : launch(switches);
  if (browser) opened.push(browser);
  return browser!;
};
const listening = begin(['--autoplay-policy=no-user-gesture-required']);
const strict = begin([]);
const deaf = begin(['--use-fake-ui-for-media-stream=deny']);
after(async () => Promise.all(opened.map(async (browser) => (await browser).close())));

/** What the page under test has open, for the test to look at. */
type Seen = {
  connections: RTCPeerConnection[];
  sockets: WebSocket[];
  loudness: (hertz: number) => number;
};

/** Runs in the page, before anything else. */
function lookOver(): void {
  const [connections, sockets]: [RTCPeerConnection[], WebSocket[]] = [[], []];
  let [context, analyser]: [AudioContext?, AnalyserNode?] = [];
  class Connection extends RTCPeerConnection {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      connections.push(this);
      this.addEventListener('track', ({ track }) => {
        void context?.close();
        context = new AudioContext();
        analyser = context.createAnalyser();
        analyser.fftSize = 8_192;
        context.createMediaStreamSource(new MediaStream([track])).connect(analyser);
      });
    }
  }
  class Socket extends WebSocket {
    constructor(address: string) {
      super(address);
      sockets.push(this);
    }
  }
  const loudness = (hertz: number) => {
    if (!context || !analyser) return -Infinity;
    const bins = new Float32Array(analyser.frequencyBinCount);
    analyser.getFloatFrequencyData(bins);
    const at = Math.round((hertz * analyser.fftSize) / context.sampleRate);
    return Math.max(...bins.subarray(at - 2, at + 3));
  };
  Object.assign(globalThis, {
    seen: { connections, sockets, loudness },
    RTCPeerConnection: Connection,
    WebSocket: Socket,
  });
}

const look = <T>(page: Page, how: (seen: Seen) => T | Promise<T>): Promise<T> =>
  page.evaluate(`(${how.toString()})(seen)`);

const phone = (page: Page) => page.getByRole('region', { name: 'Telephone' });
const says = (page: Page, words: string | RegExp) => phone(page).getByText(words).waitFor();
const press = (page: Page, name: string | RegExp) => phone(page).getByRole('button', { name }).click();

/** The tone stands clearly above frequencies where nothing is. */
const isHeard = async (page: Page): Promise<boolean> => {
  const [there, elsewhere] = await page.evaluate((hertz) => {
    const { loudness } = (globalThis as never as { seen: Seen }).seen;
    return [loudness(hertz), loudness(hertz * 2.37)] as const;
  }, HERTZ);
  return there > -60 && there - elsewhere > 25;
};
const hears = (page: Page) => eventually('the tone is heard', () => isHeard(page));
const hearsNot = (page: Page) => eventually('the tone is not heard', async () => !(await isHeard(page)));

/** How much has been said by the microphone so far: the line may be up before the telephone has a connection. */
const readSaid = (page: Page) =>
  look(page, async ({ connections }) => {
    for (const one of (await connections.at(-1)?.getStats())?.values() ?? [])
      if (one.type === 'media-source') return one.totalAudioEnergy as number;
    return 0;
  });

/** More than one where the first answer was late, as it may be on a busy machine. */
const countConnections = (page: Page) => look(page, ({ connections }) => connections.length);

async function dial(browser: Browser, ending: string, options = {}) {
  const house = await furnish(service);
  await house.addLeads(['Marlowe Freight', 'Second'], ending);
  const { page, complaints } = await openPage(browser, { ...DESK, ...options });
  await page.addInitScript(lookOver);
  await house.join(page, 'ann@example.com');
  await page.getByRole('button', { name: /^Dial/, disabled: false }).waitFor();
  await page.keyboard.press('d');
  await says(page, 'Connected');
  const line = async () =>
    (await page.evaluate(async () => (await fetch('/app/line')).json())) as { call: { id: number } | null };
  return { ...house, page, complaints, line, callId: (await line()).call!.id };
}

describe('the telephone', withBrowser, () => {
  test('the other end is heard; hold, mute, keys and the pause of the recording work by key and by button', async () => {
    const { page, complaints } = await dial(await listening, TONE);
    await hears(page);
    const offered = await look(page, ({ connections }) => connections[0]!.localDescription!.sdp);
    assert.match(offered, /^m=audio \d+ UDP\/TLS\/RTP\/SAVPF 0\r$/m, 'PCMU alone');

    await page.keyboard.press('p');
    await says(page, /^On hold/);
    await hearsNot(page);
    await press(page, /^Resume/);
    await says(page, 'Connected');
    await hears(page);

    await page.keyboard.press('m');
    await says(page, 'Connected, muted');
    await eventually('nothing is said', async () => {
      const before = await readSaid(page);
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_200)));
      return (await readSaid(page)) === before;
    });
    await press(page, /^Muted/);
    await eventually('it is said again', async () => {
      const before = await readSaid(page);
      await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_200)));
      return (await readSaid(page)) > before;
    });

    const sent: string[] = [];
    page.on('request', (request) => {
      if (request.url().endsWith('/digits')) sent.push((request.postDataJSON() as { digits: string }).digits);
    });
    await page.keyboard.press('k');
    const keys = page.getByRole('dialog', { name: 'Keys' });
    await page.keyboard.type('12#');
    await keys.getByRole('button', { name: '9' }).click();
    await keys.getByText('12#9', { exact: true }).waitFor();
    await page.keyboard.press('k');
    await keys.waitFor({ state: 'hidden' });
    await eventually('they were sent in order', async () => sent.join('') === '12#9');

    await page.keyboard.press('o');
    await says(page, 'Not recorded');
    await press(page, 'Not recorded');
    await says(page, 'Recording');
    await page.keyboard.press('h');
    await says(page, 'You hung up. Choose an outcome.');
    await eventually('nothing is open any more', () =>
      look(page, ({ connections, sockets }) =>
        [connections.at(-1)!.connectionState === 'closed', sockets.at(-1)!.readyState > 1].every(Boolean),
      ),
    );
    assert.deepEqual(complaints, []);
  });

  test('what one says comes back from an echo; the level moves with it, and stands still on hold', async () => {
    const { page } = await dial(await listening, ECHO, { reducedMotion: 'no-preference' });
    const highest = () =>
      page.evaluate(() =>
        [...document.querySelectorAll<HTMLElement>('.phone .level > span')].map((bar) => ({
          theirs: Number(bar.style.getPropertyValue('--theirs')),
          ours: Number(bar.style.getPropertyValue('--ours')),
        })),
      );
    await eventually('both ends move', async () => {
      const bars = await highest();
      return bars.some(({ ours }) => ours > 0.3) || bars.some(({ theirs }) => theirs > 0.3);
    });
    await eventually('the echo', async () => (await highest()).some(({ theirs }) => theirs > 0.3));
    await page.keyboard.press('p');
    await says(page, /^On hold/);
    await eventually('it is flat', async () => (await highest()).every(({ theirs }) => theirs < 0.1));
    await page.keyboard.press('h');
  });

  test('a page that is loaded again goes on with the call, muted as it was', async () => {
    const { page, callId, line } = await dial(await listening, TONE);
    await hears(page);
    await page.keyboard.press('m');
    await says(page, 'Connected, muted');
    await page.reload();
    await says(page, 'Connected, muted');
    await hears(page);
    assert.equal((await line()).call?.id, callId);
    assert.equal(await phone(page).getByText('another tab').count(), 0);

    // Over while the page is away, it leaves nobody muted in the next.
    const [desk, hangUp] = [page.url(), `/app/calls/${callId}/hang_up`];
    await page.goto(`${new URL(desk).origin}/health/live`);
    await page.evaluate((path) => fetch(path, { method: 'POST' }), hangUp);
    await page.goto(desk);
    await page
      .getByText(/^You hung up/)
      .first()
      .waitFor();
    await page.keyboard.press('d');
    await says(page, 'Connected');
    await hears(page);
    assert.equal(await phone(page).getByText('muted').count(), 0);
    await page.keyboard.press('h');
    await says(page, /^You hung up/);
  });

  test('a wire that breaks is opened again without a word; a connection that fails is started again', async () => {
    const { page } = await dial(await listening, TONE);
    await hears(page);
    await look(page, ({ sockets }) => sockets.at(-1)!.close());
    await eventually('another wire', () =>
      look(page, ({ sockets }) => sockets.length > 1 && sockets.at(-1)!.readyState === 1),
    );
    await hears(page);
    const fragment = () =>
      look(page, ({ connections }) => /a=ice-ufrag:(\S+)/.exec(connections.at(-1)!.localDescription!.sdp)![1]);
    const [before, connected] = [await fragment(), await countConnections(page)];
    await look(page, ({ connections }) => {
      const own = connections.at(-1)!;
      Object.defineProperty(own, 'connectionState', { configurable: true, get: () => 'failed' });
      own.dispatchEvent(new Event('connectionstatechange'));
      Reflect.deleteProperty(own, 'connectionState');
    });
    await eventually(
      'another way was offered and taken',
      async () =>
        (await fragment()) !== before &&
        (await look(page, ({ connections }) => connections.at(-1)!.signalingState === 'stable')),
    );
    assert.equal(await countConnections(page), connected, 'by the connection there was');
    await hears(page);
    await says(page, 'Connected');
    await page.keyboard.press('h');
  });

  test('one telephone a person: a second tab says where it is, and takes it', async () => {
    const { page } = await dial(await listening, TONE);
    await hears(page);
    const { page: second } = await openPage(await listening, {
      ...DESK,
      storageState: await page.context().storageState(),
    });
    await second.addInitScript(lookOver);
    await second.goto(page.url());
    await says(second, 'The telephone is in another tab.');
    assert.equal(await countConnections(second), 0);
    await expectFitting(second, 'a tab that is not the telephone');
    await second.setViewportSize(DESK.viewport);
    await press(second, 'Use it here');
    await hears(second);
    await says(page, 'The telephone is in another tab.');
    assert.equal(await look(page, ({ connections }) => connections.at(-1)!.connectionState), 'closed');
    await second.keyboard.press('h');
    await says(page, /^You hung up/);
  });

  test('the tab in which a lead is called from its own page is the telephone', async () => {
    const house = await furnish(service);
    await house.addLeads(['Marlowe Freight'], TONE);
    const [{ id }] = await house.api('GET', `/lists/${house.list.id}/leads`);
    const browser = await listening;
    const { page: other } = await openPage(browser, DESK);
    await other.addInitScript(lookOver);
    await house.join(other, 'ann@example.com');
    await other.goto(`${house.address}/preferences/credentials`);
    await other.getByRole('heading', { name: 'Credentials' }).waitFor();
    const { page } = await openPage(browser, { ...DESK, storageState: await other.context().storageState() });
    await page.addInitScript(lookOver);
    await page.goto(`${house.address}/leads/${id}`);
    await page.getByRole('button', { name: /^Call Work/ }).click();
    await page.waitForURL(/\/work$/);
    await says(other, 'The telephone is in another tab.');
    await hears(page);
    await page.keyboard.press('h');
    await says(page, /^You hung up/);
  });

  test('over other pages the call has the same switches, and going from one to another cuts nothing', async () => {
    const { page } = await dial(await listening, TONE);
    await hears(page);
    const before = await countConnections(page);
    await page.getByRole('button', { name: /: menu$/ }).click();
    await page.getByRole('menuitem', { name: 'Preferences' }).click();
    await page.getByRole('heading', { name: 'Credentials' }).waitFor();
    await press(page, /^Mute/);
    await says(page, 'Connected, muted');
    await page.keyboard.press('m');
    await phone(page).getByRole('button', { name: 'Mute M' }).waitFor();
    await page.keyboard.press('m');
    await says(page, 'Connected, muted');
    assert.equal(await countConnections(page), before);
    await hears(page);
    await page.getByRole('link', { name: 'Back to the lead' }).click();
    await phone(page).getByRole('button', { name: /^Hold/ }).waitFor();
    await says(page, 'Connected, muted');
    await page.keyboard.press('h');
    await says(page, /^You hung up/);
  });

  test('a call is passed on after asking: both show, and the two are connected or one goes back', async () => {
    const { page } = await dial(await listening, ECHO);
    const askFirst = async () => {
      await press(page, 'More of the telephone');
      await page.getByRole('menuitem', { name: 'Pass the call on' }).click();
      await page.getByLabel('Colleague or number').fill(`+44 20 7946 ${TONE}`);
      await page.getByRole('button', { name: 'Ask first' }).click();
      await says(page, /^With \+44/);
      await hears(page);
    };
    await askFirst();
    await expectFitting(page, 'asking someone else');
    await page.setViewportSize(DESK.viewport);
    await press(page, 'Back to Imogen');
    await says(page, 'Connected');
    await hearsNot(page);
    await askFirst();
    await press(page, 'Connect them');
    await page.getByRole('button', { name: /^Dial/, disabled: false }).waitFor();
    await page.getByRole('button', { name: 'Status: Ready. Change' }).waitFor();
  });

  test('without a microphone the call goes on, and one line says why and what to do', async () => {
    const { page } = await dial(await deaf, TONE);
    await says(page, 'Microphone is blocked.');
    await says(page, /Allow it in the address bar, then try again\./);
    await hears(page);
    await expectFitting(page, 'a call without a microphone');
    await page.setViewportSize(DESK.viewport);
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotReadableError'));
    });
    await press(page, 'Try again');
    await says(page, 'Another program has the microphone.');
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('', 'NotFoundError'));
    });
    await press(page, 'Try again');
    await says(page, 'No microphone.');
    const before = await countConnections(page);
    await page.evaluate(() => {
      navigator.mediaDevices.getUserMedia = async () => {
        const context = new AudioContext();
        const out = context.createMediaStreamDestination();
        const tone = context.createOscillator();
        tone.connect(out);
        tone.start();
        return out.stream;
      };
      navigator.mediaDevices.dispatchEvent(new Event('devicechange'));
    });
    await phone(page).getByText('No microphone.').waitFor({ state: 'hidden' });
    await eventually('it is heard without another offer', async () => (await readSaid(page)) > 0);
    assert.equal(await countConnections(page), before);

    // Loaded again nobody has touched it. Whatever looks into a page from outside counts as a touch, so the browser's word is said for it.
    await page.addInitScript(() => {
      const play = Reflect.get(HTMLMediaElement.prototype, 'play');
      let isTouched = false;
      addEventListener('pointerdown', () => (isTouched = true), { capture: true });
      HTMLMediaElement.prototype.play = function playOnceTouched() {
        return isTouched ? play.call(this) : Promise.reject(new DOMException('', 'NotAllowedError'));
      };
    });
    await page.reload();
    await says(page, 'The browser keeps the call silent until you click.');
    await press(page, 'Click to hear');
    await says(page, 'Microphone is blocked.');
    await hears(page);
    await page.keyboard.press('h');
    await says(page, /^You hung up/);
  });

  test('a headset that is pulled out is replaced by what there is, and it says so', async () => {
    const { page } = await dial(await strict, TONE);
    await page.keyboard.press('Escape');
    await eventually('it is used', async () => (await readSaid(page)) > 0);
    await look(page, ({ connections }) => {
      const { track } = connections.at(-1)!.getSenders()[0]!;
      track!.stop();
      track!.dispatchEvent(new Event('ended'));
    });
    await page.getByText(/^You are heard through /).waitFor();
    // The connection takes it up a moment later.
    await eventually('what is sent is of one that is there', () =>
      look(page, ({ connections }) => connections.at(-1)!.getSenders()[0]!.track?.readyState === 'live'),
    );
    await page.keyboard.press('h');
  });

  test('microphone and loudspeaker are chosen and tried under Preferences, and kept in the browser', async () => {
    const { join } = await furnish(service);
    const { page } = await openPage(await listening, DESK);
    await join(page, 'ann@example.com');
    await page.goto(new URL('/preferences/credentials', page.url()).href);
    const panel = page.getByRole('region', { name: 'Microphone and loudspeaker' });
    await panel.getByRole('button', { name: 'Try the microphone' }).click();
    await panel.getByText('Say something: the bar moves.').waitFor();
    const choice = panel.getByLabel('Microphone');
    await eventually('the devices have names', async () => (await choice.locator('option').count()) > 1);
    await choice.selectOption({ index: 1 });
    const name = await choice.locator('option:checked').textContent();
    await panel.getByRole('button', { name: /^Record 3 seconds/ }).click();
    await panel.getByRole('button', { name: 'Say something' }).waitFor();
    await panel.getByRole('button', { name: 'That is how you sound' }).waitFor();
    await panel.getByRole('button', { name: /^Record 3 seconds/ }).waitFor();
    await panel.getByRole('button', { name: 'Play a sound' }).click();
    await expectFitting(page, 'the choice of microphone and loudspeaker');
    await page.reload();
    await panel.getByRole('button', { name: 'Try the microphone' }).click();
    await eventually('it is still chosen', async () => (await choice.locator('option:checked').textContent()) === name);
  });

  test('a call is passed on to a colleague: declined it is back with a sentence, after asking it and its lead are theirs', async () => {
    const { page: ann, complaints, addLeads, join } = await dial(await listening, TONE);
    await addLeads(['Third'], '0399');
    await hears(ann);
    const { page: ben } = await openPage(await listening, DESK);
    await ben.addInitScript(lookOver);
    await join(ben, 'ben@example.com', undefined, 'Ben');
    await ben.getByRole('button', { name: /^Dial/, disabled: false }).waitFor();
    const heading = (page: Page, name: string) => page.getByRole('heading', { name, level: 1 }).waitFor();
    const dialog = ann.getByRole('dialog', { name: 'Pass the call on' });
    const open = async () => {
      await press(ann, 'More of the telephone');
      await ann.getByRole('menuitem', { name: 'Pass the call on' }).click();
      await dialog.getByRole('option', { name: 'Ben Free' }).waitFor();
      await dialog.getByRole('combobox').and(ann.locator(':focus')).waitFor();
    };

    await open();
    assert.equal(await dialog.getByRole('button', { name: 'Pass on' }).isDisabled(), true, 'nobody is meant yet');
    await dialog.getByRole('option', { name: 'Ben Free' }).click();
    await dialog.getByRole('button', { name: 'Pass on' }).click();
    await says(ann, 'Ringing Ben, who gets the call');
    await hearsNot(ann);
    await says(ben, 'Ann passes Marlowe Freight on to you');
    await ben.keyboard.press('h');
    await ann.getByText('Ben declined. You are with Marlowe Freight again.').waitFor();
    await hears(ann);

    // By keyboard: a name, and Enter asks first.
    await open();
    await ann.keyboard.type('zoe');
    await dialog.getByText('Nobody of that name is here.').waitFor();
    await dialog.getByRole('combobox').fill('be');
    await ann.keyboard.press('Enter');
    await says(ann, 'Ringing Ben');
    await says(ben, 'Ann asks you about Marlowe Freight');
    await heading(ben, 'Second');
    await ben.keyboard.press('d');
    await says(ann, 'With Ben');
    await says(ben, 'Ann asks you about Marlowe Freight');
    await heading(ben, 'Second');
    await press(ann, 'Connect them');
    await ann.getByText('Ben has Marlowe Freight now. You are free.').waitFor();
    await heading(ben, 'Marlowe Freight');
    await hears(ben);
    await heading(ann, 'Third');
    await ben.keyboard.press('h');
    await says(ben, 'You hung up. Choose an outcome.');
    // In the moment in which the lead becomes Ben's, a page that keeps it open for Ann is told so.
    assert.deepEqual(besides(complaints, /status of 409/), []);
  });

  test('a colleague who puts one on hold is named, and only they end it', async () => {
    const { join, app, addLeads } = await furnish(service);
    await addLeads(['First', 'Second'], TONE);
    const [{ page: ann }, { page: ben }] = [
      await openPage(await listening, DESK),
      await openPage(await listening, DESK),
    ];
    await join(ann, 'ann@example.com');
    await join(ben, 'ben@example.com', undefined, 'Ben');
    const users = (await app('GET', '/colleagues')) as { id: number; email: string }[];
    const { id } = users.find(({ email }) => email === 'ben@example.com')!;
    await ann.evaluate(
      (user_id) =>
        fetch('/app/calls', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ call: { user_id } }),
        }),
      id,
    );
    await says(ann, 'Ringing Ben');
    await says(ben, 'Ann is calling');
    await ben.keyboard.press('d');
    for (const page of [ann, ben]) await says(page, 'Connected');
    // What a call can be done with is loaded apart from what says that there is one.
    await ben.getByRole('button', { name: /^Hold/ }).waitFor();
    await ben.keyboard.press('p');
    await says(ann, /^Ben put you on hold/);
    await says(ben, /^On hold/);
    await ann.keyboard.press('p');
    await says(ann, /^On hold, and by Ben too/);
    await press(ann, /^Resume/);
    await says(ann, /^Ben put you on hold/);
    await press(ben, /^Resume/);
    for (const page of [ann, ben]) await says(page, 'Connected');
    await ann.keyboard.press('h');
  });

  test('with its page closed a call ends, and its record stays', async () => {
    const { page, callId, api } = await dial(await listening, TONE);
    await hears(page);
    await eventually('it was noted that the page is there', async () => {
      const { rows } = await service.pool.query('select page_seen_at from calls where id = $1', [callId]);
      return rows[0].page_seen_at !== null;
    });
    await page.close();
    await eventually(
      'it ended',
      async () => ((await api('GET', `/calls/${callId}`)) as { state: string }).state === 'completed',
      60_000,
    );
  });
});
