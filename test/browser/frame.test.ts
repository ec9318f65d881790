import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import {
  expectFitting,
  intercept,
  keysWake,
  lateIsThere,
  lingerNotices,
  openBrowser,
  openPage,
  withBrowser,
} from './browser.ts';
import { furnish, openService } from './service.ts';

const service = await openService();

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const leadIs = (page: Page, name: string) => heading(page).getByText(name, { exact: true }).waitFor();
const phone = (page: Page) => page.getByRole('region', { name: 'Telephone' });
const status = (page: Page, doing: string) => page.getByRole('button', { name: `Status: ${doing}. Change` }).waitFor();
/** By the menu, so that the page stays loaded. */
const goTo = async (page: Page, place: string) => {
  await page.getByRole('button', { name: /: menu$/ }).click();
  await page.getByRole('menuitem', { name: place }).click();
};
const DESK = { viewport: { width: 1440, height: 900 } };

describe('the frame', withBrowser, () => {
  test('a call goes on over every page: who it is with, back to the lead, hang up; then the lead waits for its outcome', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight', 'Second'], '0303');
    const { page, complaints } = await openPage(await openBrowser(), DESK);
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    await status(page, 'Ready');
    await page.keyboard.press('d');
    await phone(page).getByText('Connected').waitFor();
    await status(page, 'On a call');

    await goTo(page, 'Preferences');
    await page.getByRole('heading', { name: 'Credentials' }).waitFor();
    await phone(page).getByText('Marlowe Freight, Imogen').waitFor();
    await phone(page).getByText('Connected').waitFor();
    await phone(page).getByRole('timer').waitFor();
    await page.getByRole('img', { name: 'In a call' }).waitFor();
    const bar = (await phone(page).boundingBox())!;
    const title = (await page.getByRole('heading', { name: 'Credentials' }).boundingBox())!;
    assert.ok(bar.y + bar.height <= title.y, 'above the page, not over it');
    await expectFitting(page, 'a page in a call');
    await page.setViewportSize(DESK.viewport);

    await page.getByRole('link', { name: 'Back to the lead' }).click();
    await leadIs(page, 'Marlowe Freight');
    await phone(page).getByText('Connected').waitFor();
    await goTo(page, 'Preferences');
    await page.getByRole('heading', { name: 'Credentials' }).waitFor();
    await phone(page).getByText('Connected').waitFor();
    await page.keyboard.press('h');
    await phone(page).getByText('You hung up. The lead waits for its outcome.').waitFor();
    await page.getByRole('link', { name: 'Back to the lead' }).click();
    await leadIs(page, 'Marlowe Freight');
    await status(page, 'Wrapping up');
    await phone(page).getByText('You hung up. Choose an outcome.').waitFor();
    await page.keyboard.press('w');
    await page.keyboard.press('Enter');
    await leadIs(page, 'Second');
    await status(page, 'Ready');
    assert.deepEqual(complaints, []);
  });

  test('a stream that is refused is asked for anew long before whose page is silent is missed in a call', async () => {
    const { join } = await furnish(service);
    const { page } = await openPage(await openBrowser(), DESK);
    let asked = 0;
    await page.route('**/app/live*', (route) => {
      asked += 1;
      return route.fulfill({ status: 503, body: '' });
    });
    await page.addInitScript(() => {
      const Own = EventSource;
      const opened: EventSource[] = [];
      const isRefused = () => opened.at(-1)?.readyState === Own.CLOSED;
      const Noted = class extends Own {
        constructor(address: string) {
          super(address);
          opened.push(this);
        }
      };
      Object.assign(globalThis, { EventSource: Noted, isRefused });
    });
    await page.clock.install();
    await join(page, 'ann@example.com');
    const refused = () =>
      eventually('it is refused', () =>
        page.evaluate(() => (globalThis as unknown as { isRefused(): boolean }).isRefused()),
      );
    await refused();
    await page.clock.pauseAt(Date.now() + 60_000);
    for (let turn = 0; turn < 3; turn += 1) {
      await refused();
      const before = asked;
      await page.clock.runFor(2_300);
      await eventually('it is asked again', () => asked > before);
    }
  });

  test('a call that comes in rings on any page, in the title and as a notification; answered it leads to the lead, left to ring it goes', async () => {
    const { app, addLeads, join, holdCalls } = await furnish(service);
    await addLeads(['Pennybridge Foods'], '0277');
    const { page } = await openPage(await openBrowser(), DESK);
    await page.context().grantPermissions(['notifications']);
    await page.addInitScript(() => {
      const told: string[] = [];
      let tones = 0;
      Object.assign(globalThis, { told, tones: () => tones });
      class Told extends EventTarget {
        static permission = 'granted';
        constructor(title: string) {
          super();
          told.push(title);
        }
        close() {}
      }
      Object.assign(globalThis, { Notification: Told });
      document.hasFocus = () => false;
      class Heard extends AudioContext {
        override createOscillator() {
          tones += 1;
          return super.createOscillator();
        }
      }
      Object.assign(globalThis, { AudioContext: Heard });
    });
    await join(page, 'ann@example.com');
    await leadIs(page, 'Pennybridge Foods');
    await goTo(page, 'Preferences');
    await page.getByRole('heading', { name: 'Credentials' }).waitFor();
    const before = await page.title();
    const card = page.getByRole('region', { name: 'Someone calls', exact: true });

    // It rings for as long as one looks.
    const letGo = await holdCalls();
    await app('POST', '/simulate', { kind: 'inbound_call', from: '+442079460277' });
    await card.getByText('Pennybridge Foods').waitFor();
    await card.getByText('Imogen, +44 20 7946 0277').waitFor();
    await card.getByText('A lead in Fleet charging, New. If nobody answers, it is due now.').waitFor();
    await eventually('the title', async () => (await page.title()) === 'Pennybridge Foods is calling');
    await eventually('a notification and a sound', () =>
      page.evaluate(() => {
        const { told, tones } = globalThis as unknown as { told: string[]; tones: () => number };
        return told.includes('Pennybridge Foods is calling') && tones() > 0;
      }),
    );
    await expectFitting(page, 'a page while someone calls');
    await page.setViewportSize(DESK.viewport);
    assert.equal((await card.boundingBox())!.width, 392);
    await card.getByRole('button', { name: 'Let it ring' }).click();
    await card.waitFor({ state: 'hidden' });
    await eventually('the title is the page’s again', async () => (await page.title()) === before);
    await letGo();

    await app('POST', '/simulate', { kind: 'inbound_call', from: '+442079460277', seconds: 2 });
    await card.getByText('Pennybridge Foods').waitFor();
    await page.keyboard.press('d');
    await leadIs(page, 'Pennybridge Foods');
    await phone(page).getByText('They hung up. Choose an outcome.').waitFor();
  });

  test('whether calls show behind other windows is asked for once, by a button with its reason; without HTTPS the page says so', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['First'], '0303');
    const browser = await openBrowser();
    const { page } = await openPage(browser, DESK);
    await page.addInitScript(() => {
      let asked = 0;
      Object.assign(globalThis, { asked: () => asked });
      const Asked = Object.assign(() => {}, {
        permission: 'default',
        requestPermission: async () => {
          asked += 1;
          return (Asked.permission = 'granted');
        },
      });
      Object.assign(globalThis, { Notification: Asked });
    });
    await join(page, 'ann@example.com');
    await goTo(page, 'Preferences');
    await page.getByText(/^While another window is in front/).waitFor();
    const asked = () => page.evaluate(() => (globalThis as unknown as { asked: () => number }).asked());
    assert.equal(await asked(), 0);
    await page.getByRole('button', { name: 'Show notifications' }).click();
    await page.getByText('A notification says who calls while another window is in front.').waitFor();
    assert.equal(await page.getByRole('button', { name: 'Show notifications' }).count(), 0);
    assert.equal(await asked(), 1);

    await page.addInitScript(() => Object.defineProperty(globalThis, 'isSecureContext', { value: false }));
    await page.reload();
    await page.getByText(/^This address has no HTTPS/).waitFor();
  });

  test('what comes late and does not come says so, and comes with a reload', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['First'], '0303');
    const { page } = await openPage(await openBrowser(), DESK);
    await intercept(page, '**/assets/late-*.js', (route) => route.abort());
    await join(page, 'ann@example.com');
    await leadIs(page, 'First');
    const told = page.getByRole('alert').filter({ hasText: 'Notices and search could not be loaded' });
    await told.waitFor();
    await expectFitting(page, 'what was not loaded');
    await page.unroute('**/assets/late-*.js');
    await told.getByRole('button', { name: 'Reload' }).click();
    await leadIs(page, 'First');
    await lateIsThere(page);
    assert.equal(await told.count(), 0);
  });

  test('a call goes on whose dialogs or bar do not come, and says so', async () => {
    const { addLeads, join } = await furnish(service);
    await addLeads(['First'], '0303');
    const { page } = await openPage(await openBrowser(), DESK);
    await intercept(page, /\/assets\/(call-bar|pass-on-dialog)-.*\.js/, (route) => route.abort());
    await join(page, 'ann@example.com');
    await leadIs(page, 'First');
    await keysWake(page);
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.getByRole('button', { name: 'More of the telephone' }).click();
    await page.getByRole('menuitem', { name: 'Pass the call on' }).click();
    const part = page.getByRole('alert').filter({ hasText: 'This part of the telephone' });
    await part.waitFor();
    await expectFitting(page, 'a dialog that was not loaded');
    await page.setViewportSize(DESK.viewport);
    await part.getByRole('button', { name: 'Close' }).click();
    await part.waitFor({ state: 'detached' });
    await goTo(page, 'Preferences');
    const told = page.getByRole('alert').filter({ hasText: 'Your call goes on' });
    await told.waitFor();
    await expectFitting(page, 'a call whose bar was not loaded');
    await page.setViewportSize(DESK.viewport);
    await page.getByRole('link', { name: /^Work/ }).click();
    await phone(page)
      .getByRole('button', { name: /^Hang up/ })
      .click();
    await phone(page)
      .getByText(/^You hung up/)
      .waitFor();
    assert.equal(await told.count(), 0);
  });

  test('a service that is frozen is noticed; what was being saved says so, and is saved once when it goes on', async (context) => {
    const { api, addLeads, join, list } = await furnish(service);
    await addLeads(['First', 'Second'], '0303');
    const { page } = await openPage(await openBrowser(), DESK);
    await lingerNotices(page);
    await join(page, 'ann@example.com');
    await leadIs(page, 'First');
    // What says so is there by now, as it is for everyone who does not freeze in the first second.
    await lateIsThere(page);
    const began = performance.now();
    process.kill(service.pid, 'SIGSTOP');
    try {
      await page.getByText(/^Reconnecting/).waitFor();
      context.diagnostic(`noticed after ${Math.round(performance.now() - began)} ms`);
      await page.keyboard.press('w');
      await page.keyboard.press('Enter');
      await page.getByText('Not saved yet').waitFor();
      await leadIs(page, 'First');
    } finally {
      process.kill(service.pid, 'SIGCONT');
    }
    await page.getByText('Saved now.').waitFor();
    await leadIs(page, 'Second');
    await page.getByText(/^Reconnecting/).waitFor({ state: 'hidden' });
    const leads = (await api('GET', `/lists/${list.id}/leads`)) as { id: number; primary_identifier: string }[];
    const { id } = leads.find(({ primary_identifier }) => primary_identifier === 'First')!;
    const { events } = (await api('GET', `/leads/${id}`)) as { events: { kind: string }[] };
    assert.deepEqual(
      events.map(({ kind }) => kind),
      ['winner', 'lead_created'],
    );
  });

  test('whoever is away for a reason gets no lead and is not rung; colleagues see it; back again, a lead comes', async () => {
    const { app, addLeads, join, holdCalls } = await furnish(service);
    await addLeads(['First', 'Second'], '0202');
    const browser = await openBrowser();
    const [{ page: ann }, { page: bo }] = [await openPage(browser, DESK), await openPage(browser, DESK)];
    await join(ann, 'ann@example.com');
    await join(bo, 'bo@example.com');
    await heading(ann).waitFor();
    await heading(bo).waitFor();
    await ann.getByRole('button', { name: 'Status: Ready. Change' }).click();
    await ann.getByRole('menuitem', { name: 'Lunch' }).click();
    await ann.getByText(/^Away: Lunch, since /).waitFor();
    await bo.getByRole('img', { name: 'Ann, away: Lunch' }).waitFor();
    await expectFitting(ann, 'the desk of someone who is away');
    await ann.getByRole('button', { name: 'Status: Lunch. Change' }).waitFor();
    await ann.setViewportSize(DESK.viewport);
    await ann.reload();
    await ann.getByText(/^Away: Lunch, since /).waitFor();
    const letGo = await holdCalls();
    await app('POST', '/simulate', { kind: 'inbound_call', from: '+442079460202' });
    await bo.getByText(/is calling$/).waitFor();
    assert.equal(await ann.getByText(/is calling$/).count(), 0);
    await ann.keyboard.press('n');
    await heading(ann).waitFor();
    await status(ann, 'Ringing');
    await letGo();
  });

  test('the softphone keeps its height in every state, and says what the line does', async () => {
    const { addLeads, join, holdCalls } = await furnish(service);
    await addLeads(['Nobody there'], '0340');
    await addLeads(['Somebody'], '0303');
    const { page } = await openPage(await openBrowser(), DESK);
    await join(page, 'ann@example.com');
    await leadIs(page, 'Nobody there');
    const heights = async () => {
      const all: number[] = [];
      for (const width of [1440, 900, 390]) {
        await page.setViewportSize({ width, height: 900 });
        await page.waitForFunction(
          (isOne) => document.querySelector('.desk')?.classList.contains('one-column') === isOne,
          width < 1_100,
        );
        all.push((await phone(page).boundingBox())!.height);
      }
      await page.setViewportSize(DESK.viewport);
      return all;
    };
    const ready = await heights();
    const letGo = await holdCalls();
    await page.keyboard.press('d');
    await phone(page).getByText('Ringing +44 20 7946 0340').waitFor();
    await status(page, 'Calling');
    assert.deepEqual(await heights(), ready, 'ringing');
    await letGo();
    await phone(page).getByText('No answer').first().waitFor();
    assert.deepEqual(await heights(), ready, 'not reached');
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await leadIs(page, 'Somebody');
    await page.keyboard.press('d');
    await phone(page).getByText('Connected').waitFor();
    assert.deepEqual(await heights(), ready, 'connected');
    await page.keyboard.press('h');
    await phone(page).getByText('You hung up. Choose an outcome.').waitFor();
    assert.deepEqual(await heights(), ready, 'over');
  });
});
