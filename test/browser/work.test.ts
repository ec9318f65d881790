import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { request } from 'undici';
import { eventually } from '../leadline.ts';
import {
  expectFitting,
  intercept,
  keysWake,
  lateIsThere,
  hears,
  lingerNotices,
  openBrowser,
  openPage,
  withBrowser,
} from './browser.ts';
import { furnish, openService, HOSTILE, signInAtDoor } from './service.ts';

const service = await openService();

const heading = (page: Page) => page.getByRole('heading', { level: 1 });
const leadIs = (page: Page, name: string) => heading(page).getByText(name, { exact: true }).waitFor();
/** Ann with the first of these leads open. `setsClock`: the test makes time go by. */
const sitDown = async (leads: string[], setsClock = false) => {
  const house = await furnish(service);
  await house.addLeads(leads, '0101');
  const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
  if (setsClock) await page.clock.install();
  await lingerNotices(page);
  await house.join(page, 'ann@example.com');
  await leadIs(page, leads[0]!);
  await keysWake(page);
  return { ...house, page };
};

describe('the desk', withBrowser, () => {
  test('an agent works through the day by keyboard alone: invitation, next, dial, talk, note, outcome, next', async () => {
    const { api, app, list, subscriber, addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight', 'Ashdown Couriers', 'Quarry Lane'], '0101');
    const browser = await openBrowser();
    const { page, complaints } = await openPage(browser, { viewport: { width: 1440, height: 900 } });
    await lingerNotices(page);
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    await keysWake(page);

    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('w');
    await page.keyboard.press('2');
    await page.keyboard.press('e');
    await page.keyboard.type('Wants twelve chargers');
    await page.getByRole('button', { name: /^Hang up, save, next/ }).waitFor();
    await page.keyboard.press('Control+Enter');
    await leadIs(page, 'Ashdown Couriers');
    // The one before can be taken up again, as it was.
    await page.getByText('Winner saved').waitFor();
    await page.keyboard.press('z');
    await leadIs(page, 'Marlowe Freight');
    await page.getByRole('radio', { name: 'Winner', checked: true }).waitFor();
    await page.getByRole('button', { name: /^Next N Ashdown Couriers/ }).waitFor();
    await page.keyboard.press('n');
    await leadIs(page, 'Ashdown Couriers');
    const won = (await api('GET', `/lists/${list.id}/leads`)).find(({ state }: { state: string }) => state === 'won');
    const { events } = await api('GET', `/leads/${won.id}`);
    assert.deepEqual(
      [events[0].kind, events[0].category, events[0].comment, events[0].user_email],
      ['winner', 'Meeting', 'Wants twelve chargers', 'ann@example.com'],
    );
    const call = await eventually('the call is over', async () => {
      const now = await api('GET', events[0].call.replace('/api/v2', ''));
      return now.state === 'completed' ? now : undefined;
    });
    assert.deepEqual([call.disposition, call.event_id], ['normal', events[0].id]);
    await eventually('the subscriber hears of it', () => subscriber.resources('/winner').length === 1);

    // A draft survives a reload, and the same lead is there again.
    await page.keyboard.press('c');
    await page.keyboard.press('1');
    await page.keyboard.press('e');
    await page.keyboard.type('Half a thought');
    await page.reload();
    await leadIs(page, 'Ashdown Couriers');
    assert.equal(await page.getByLabel('Note').inputValue(), 'Half a thought');
    await keysWake(page);
    await page.keyboard.press('t');
    await page.getByRole('textbox', { name: 'When' }).fill('in 2h');
    await page.keyboard.press('Enter');
    await page.getByText('Exactly at').waitFor();
    await page.keyboard.press('Enter');
    await leadIs(page, 'Quarry Lane');

    // A field is changed in its place.
    await page.keyboard.press('f');
    await page.keyboard.press('Control+A');
    await page.keyboard.type('Quarry Lane Haulage');
    await page.keyboard.press('Enter');
    await leadIs(page, 'Quarry Lane Haulage');
    await page.keyboard.press('s');
    // Nothing to ask, so it is skipped at once; being the only one left, it comes again.
    await page.getByRole('region', { name: 'Activity' }).getByText('Skip').waitFor();
    await page.getByRole('button', { name: /^Add the note/ }).waitFor();
    await page.keyboard.press('l');
    await page.keyboard.press('1');
    await page.keyboard.press('Enter');
    await page.getByText(/All caught up until/).waitFor();
    await page.getByRole('heading', { name: 'Done last' }).waitFor();
    // Enter on a link is the link.
    await page.getByRole('link', { name: 'View lead' }).focus();
    await page.keyboard.press('Enter');
    await page.waitForURL(/\/leads\/\d+$/);
    await leadIs(page, 'Ashdown Couriers');
    // Called from its own page, a lead is the one on the desk, and what is saved there is about it.
    await page.getByRole('button', { name: /^Call Work/ }).click();
    await page.waitForURL(/\/work$/);
    // The page of the lead, which has the same heading, stays until the desk is there.
    await page.getByRole('region', { name: 'Outcome', exact: true }).waitFor();
    await leadIs(page, 'Ashdown Couriers');
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByText(/All caught up/).waitFor();
    const [{ state }] = (await api('GET', '/leads/search?query=Ashdown')).leads;
    assert.equal(state, 'archived');

    // Through the API nobody is told.
    await api('POST', `/leads/${won.id}/winner`);
    const [hook] = (await app('GET', '/webhooks')) as { id: number }[];
    // What is told is written down with what happened, before it is sent.
    assert.equal((await app('GET', `/deliveries?webhook_id=${hook!.id}`)).length, 1);
    assert.equal(await page.evaluate(() => 'hacked' in window), false);
    assert.deepEqual(complaints, []);
  });

  test('a window that becomes narrow in mid-sentence takes neither the note nor a dialog away, and no letter for a key', async () => {
    const { api, list, addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight', 'Ashdown Couriers'], '0101');
    const wide = { width: 1440, height: 900 };
    const { page, complaints } = await openPage(await openBrowser(), { viewport: wide });
    const resize = async (width: number) => {
      await page.setViewportSize({ width, height: 900 });
      await page.waitForFunction(
        (isOne) => document.querySelector('.desk')?.classList.contains('one-column') === isOne,
        width < 1_100,
      );
    };
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    await keysWake(page);
    await page.keyboard.press('e');
    await page.keyboard.type('Asked for');
    await resize(900);
    await page.keyboard.type(' an offer');
    await resize(1_440);
    await page.keyboard.type(' and a demo');
    assert.equal(await page.getByLabel('Note').inputValue(), 'Asked for an offer and a demo');
    await page.keyboard.press('Escape');

    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.getByRole('button', { name: 'More of the telephone' }).click();
    await page.getByRole('menuitem', { name: 'Pass the call on' }).click();
    await page.getByLabel('Colleague or number').fill('+45 2012');
    await resize(900);
    assert.equal(await page.getByLabel('Colleague or number').inputValue(), '+45 2012');
    await resize(1_440);
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // A field stands elsewhere then: what was typed is saved, and the rest of the word is nothing that the page obeys.
    // How long one pauses is not left to the machine.
    const pass = (ms: number) =>
      page.evaluate((more) => {
        const now = performance.now() + more;
        performance.now = () => now;
      }, ms);
    await page.locator('[data-field="title"]').click();
    await pass(0);
    await page.keyboard.type('Mar');
    await resize(900);
    await page.keyboard.type('andn');
    await leadIs(page, 'Marlowe Freight');
    assert.equal(await page.getByRole('radio', { checked: true }).count(), 0);
    await eventually('the field is saved', async () => {
      const leads = await api('GET', `/lists/${list.id}/leads`);
      return leads.some(({ lead_data }: { lead_data: { title: string } }) => lead_data.title === 'Mar');
    });
    // Whoever has paused says something else.
    await pass(1_001);
    await page.keyboard.press('a');
    await page.getByRole('radio', { name: 'Archive', checked: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  test('what is sent again because its answer was lost is done once: note, text, outcome, skip and call', async () => {
    const { api, addLeads, join, list } = await furnish(service);
    await addLeads(['First', 'Second', 'Third'], '0303');
    const browser = await openBrowser();
    const { page } = await openPage(browser, {});
    await join(page, 'ann@example.com');
    await leadIs(page, 'First');
    const lost: string[] = [];
    // Each is done, and the first time nobody hears of it.
    await intercept(page, /\/app\/(calls|leads\/\d+\/(comments|texts|winner|skip))$/, async (route) => {
      const url = route.request().url();
      if (route.request().method() !== 'POST' || lost.includes(url)) return route.continue();
      const { host, port } = new URL(url);
      await request(url.replace(host, `127.0.0.1:${port}`), {
        method: 'POST',
        headers: { ...(await route.request().allHeaders()), host },
        body: route.request().postData(),
      });
      lost.push(url);
      return route.abort();
    });
    // The page asks again by itself.
    const once = async (step: string, act: () => Promise<void>) => {
      const before = lost.length;
      await act();
      await eventually(`the answer to ${step} is lost`, () => lost.length > before);
    };
    const keys =
      (...pressed: string[]) =>
      async () => {
        for (const key of pressed) await page.keyboard.press(key);
      };
    await page.keyboard.press('e');
    await page.keyboard.type('Likes nougat');
    await once('the note', keys('Control+Enter'));
    await eventually('the note is saved', async () => (await page.getByLabel('Note').inputValue()) === '');
    // The text, then the outcome that goes with it, each lost once.
    await keys('Escape', 'w', '1', 'x')();
    await page.keyboard.type('See you then');
    await once('the text', keys('Control+Enter'));
    await eventually('the answer to the outcome is lost', () => lost.some((url) => url.endsWith('/winner')));
    await leadIs(page, 'Second');
    await once('the skip', keys('s'));
    await leadIs(page, 'Third');
    await page.keyboard.press('d');
    await eventually('the answer to the call is lost', () => lost.some((url) => url.endsWith('/calls')));
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();

    const leads = (await api('GET', `/lists/${list.id}/leads`)) as { id: number; primary_identifier: string }[];
    const kindsOf = async (name: string) => {
      const { id } = leads.find(({ primary_identifier }) => primary_identifier === name)!;
      const { events } = await api('GET', `/leads/${id}`);
      return events.map(({ kind }: { kind: string }) => kind);
    };
    assert.deepEqual(await kindsOf('First'), ['winner', 'text', 'comment', 'lead_created']);
    assert.deepEqual(await kindsOf('Second'), ['skip', 'lead_created']);
    assert.equal(lost.length, 5);
  });

  test('two agents never have the same lead, what cannot be saved stays open alone, and a lead that is called in opens by itself', async () => {
    const { api, app, list, addLeads, join } = await furnish(service);
    await addLeads(['First', 'Second', 'Third', 'Fourth'], '0202');
    const browser = await openBrowser();
    const [{ page: ann }, { page: bo }] = [await openPage(browser, {}), await openPage(browser, {})];
    await lingerNotices(ann);
    await join(ann, 'ann@example.com');
    await join(bo, 'bo@example.com');
    await heading(ann).waitFor();
    await heading(bo).waitFor();
    const names = await Promise.all([ann, bo].map((page) => heading(page).innerText()));
    assert.deepEqual(new Set(names), new Set(['First', 'Second']));

    // Somebody else's by now: it stays with what was written, and the one that would have come is nobody's.
    const { id } = (await api('GET', `/leads/search?query=${names[0]}`)).leads[0];
    await api('PATCH', `/leads/${id}/delegate`, { lead: { delegate_to: 'bo@example.com' } });
    await ann.keyboard.press('a');
    await ann.keyboard.press('Enter');
    await ann.getByText('That did not work').waitFor();
    await leadIs(ann, names[0]!);
    await eventually('the third is free', async () => {
      const { lead } = await app('POST', `/lists/${list.id}/next`);
      await app('DELETE', '/holds');
      return lead?.primary_identifier === 'Third';
    });

    // Whoever goes on by hand while an outcome is being saved keeps what they opened.
    await ann.keyboard.press('Escape');
    await ann.keyboard.press('n');
    const two = ['Third', 'Fourth'];
    await heading(ann)
      .getByText(/^(Third|Fourth)$/)
      .waitFor();
    // The owner had the third open for a moment, so it may be either.
    const here = await heading(ann).innerText();
    const there = two.find((name) => name !== here)!;
    await ann.getByRole('button', { name: new RegExp(`^Next N ${there}`) }).waitFor();
    const saving = Promise.withResolvers<void>();
    await intercept(ann, '**/archive', async (route) => {
      await saving.promise;
      await route.continue();
    });
    for (const key of ['a', 'Enter', 'n']) await ann.keyboard.press(key);
    await leadIs(ann, there);
    saving.resolve();
    await ann.getByText('Archive saved').waitFor();
    await leadIs(ann, there);
    assert.equal((await app('POST', `/lists/${list.id}/next`)).lead, null);
    await app('POST', '/simulate', { kind: 'inbound_call', from: '+442079460202' });
    await ann.getByText(/is calling$/).waitFor();
    await ann.keyboard.press('d');
    await ann.getByText('Connected').waitFor();
    await ann.keyboard.press('h');
    await ann.getByRole('button', { name: /^Dial/ }).waitFor();
  });

  test('whatever a lead, a script or a category says is shown and never run; the pages are for everyone, in both schemes', async () => {
    const { address, api, list, addLeads, join } = await furnish(service);
    await addLeads([HOSTILE], '0303');
    await api('POST', `/lists/${list.id}/leads`, {
      lead: { company_name: 'Twin', work_office_phone: '+442079460303' },
    });
    const browser = await openBrowser();
    const { page, complaints } = await openPage(browser, { viewport: { width: 1280, height: 720 } });
    await join(page, 'ann@example.com');
    await leadIs(page, HOSTILE);
    await keysWake(page);
    await page.keyboard.press('l');
    await page.getByRole('radio', { name: HOSTILE.replaceAll(',', '') }).waitFor();
    await expectFitting(page, 'work');
    const { id } = (await api('GET', '/leads/search?query=Twin')).leads[0];
    await page.setViewportSize({ width: 1440, height: 900 });
    await page.goto(`${address}/leads/${id}`);
    await leadIs(page, 'Twin');
    await page.getByRole('region', { name: 'Possible duplicate' }).getByText(HOSTILE).first().waitFor();
    assert.equal(await page.evaluate(() => 'hacked' in window), false);
    assert.deepEqual(complaints, []);
  });

  test('without a network a call is refused at once, and nobody is called when it is back', async () => {
    const { api, addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight'], '0101');
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await lingerNotices(page);
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    await page.getByRole('button', { name: /^Dial/ }).waitFor();
    await lateIsThere(page);
    await page.context().setOffline(true);
    await page.waitForFunction(() => !navigator.onLine);
    await page.keyboard.press('d');
    await page.getByText('That did not work').first().waitFor();
    await page.context().setOffline(false);
    await page.waitForFunction(() => navigator.onLine);
    await page.keyboard.press('c');
    await page.getByRole('radio', { name: 'Call back', checked: true }).waitFor();
    assert.deepEqual(await api('GET', '/calls'), []);
  });

  test('a lead that is lost while someone types stays until they go on; one that lapsed is taken up again', async () => {
    const { api, list, invite, page } = await sitDown(['Marlowe Freight', 'Ashdown Couriers'], true);
    const [ashdown, marlowe] = (await api('GET', `/lists/${list.id}/leads`)) as [{ id: number }, { id: number }];
    await invite('ben@example.com', undefined, 'Ben');
    await page.keyboard.press('e');
    await page.keyboard.type('Budget opens');
    await service.pool.query(
      `update leads set claimed_by = (select id from users where email = 'ben@example.com' and account_id = leads.account_id),
              claimed_at = now(), held_by = null, held_until = null where id = $1`,
      [marlowe.id],
    );
    await page.clock.fastForward(21_000);
    const goOn = page.getByRole('button', { name: 'Go on' });
    await goOn.waitFor();
    // The letters that follow are letters, and no keys of another lead.
    await page.keyboard.type(' in spring');
    assert.equal(await page.getByLabel('Note').inputValue(), 'Budget opens in spring');
    await leadIs(page, 'Marlowe Freight');
    await goOn.click();
    await leadIs(page, 'Ashdown Couriers');

    await service.pool.query('update leads set held_by = null, held_until = null where id = $1', [ashdown.id]);
    await page.clock.fastForward(45_000);
    await page.getByText('Nobody was here for a while').waitFor();
    await goOn.click();
    await leadIs(page, 'Ashdown Couriers');
  });

  test('in a call, and until its outcome is saved, a lead that is lost stays; who has it now is said, and one goes on by hand', async () => {
    const { api, app, list, invite, page } = await sitDown(['Marlowe Freight', 'Ashdown Couriers'], true);
    const [, marlowe] = (await api('GET', `/lists/${list.id}/leads`)) as [unknown, { id: number }];
    await invite('ben@example.com', undefined, 'Ben');
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await api('PATCH', `/leads/${marlowe.id}/delegate`, { lead: { delegate_to: 'ben@example.com' } });
    await page.clock.fastForward(21_000);
    await page.getByText('ben@example.com holds this lead.').waitFor();
    const goOn = page.getByRole('button', { name: 'Go on' });
    assert.equal(await goOn.count(), 0);
    await page.keyboard.press('h');
    await goOn.waitFor();
    // Nobody types; what is said next is about this lead all the same.
    await page.clock.fastForward(21_000);
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByText('That did not work').waitFor();
    await leadIs(page, 'Marlowe Freight');
    // It cannot be finished, so that the list is paused keeps nobody there.
    await app('PATCH', `/lists/${list.id}`, { list: { paused: true } });
    await page.getByText('Paused. Finish this lead, no other comes.').waitFor();
    await page.keyboard.press('n');
    await leadIs(page, `${list.name} is paused`);
    await goOn.waitFor({ state: 'hidden' });
  });

  test('a lead that is merged in a call, or before its outcome, goes on as its survivor with what was written', async () => {
    const { api, app, list, page } = await sitDown(['First', 'Second', 'Third']);
    const [third, second, first] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
    const note = page.getByLabel('Note');
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('e');
    await page.keyboard.type('Budget opens');
    await app('POST', `/leads/${second!.id}/merge`, { duplicate_id: first!.id });
    await leadIs(page, 'Second');
    await page.getByText('This lead is part of Second now').waitFor();
    await page.waitForFunction(() => document.activeElement?.id === 'note');
    await page.keyboard.type(' in spring');
    assert.equal(await note.inputValue(), 'Budget opens in spring');
    await page.keyboard.press('Escape');
    await page.keyboard.press('h');
    await page.getByText('You hung up').waitFor();
    await app('POST', `/leads/${third!.id}/merge`, { duplicate_id: second!.id });
    await leadIs(page, 'Third');
    await page.getByText('You hung up').waitFor();
    await page.keyboard.press('l');
    await page.keyboard.press('Enter');
    await eventually('it is the outcome of the call', async () => {
      const [{ kind, comment, call }] = (await api('GET', `/leads/${third!.id}`)).events;
      return kind === 'loser' && comment === 'Budget opens in spring' && call !== null;
    });
  });

  test('merged in a call into one of a list that is not theirs, a lead stays with what was written', async () => {
    const { api, app, list, page } = await sitDown(['First']);
    const [first] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
    const other = (await api('POST', '/lists', { list: { name: 'Elsewhere' } })) as { id: number };
    const far = (await api('POST', `/lists/${other.id}/leads`, { lead: { company_name: 'Far' } })) as { id: number };
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await page.keyboard.press('e');
    await page.keyboard.type('Budget opens');
    await app('POST', `/leads/${far.id}/merge`, { duplicate_id: first!.id });
    await page.getByText('This lead was deleted, or is not yours any more. It stays here').waitFor();
    await leadIs(page, 'First');
    assert.equal(await page.getByLabel('Note').inputValue(), 'Budget opens');
    await page.keyboard.press('Escape');
    await page.keyboard.press('h');
    await page.getByRole('button', { name: 'Go on' }).waitFor();
  });

  test('merged in mid-sentence into one of another list, a lead leaves the keyboard in the note', async () => {
    const { api, app, list, page } = await sitDown(['First']);
    const [first] = (await api('GET', `/lists/${list.id}/leads`)) as { id: number }[];
    const other = (await api('POST', '/lists', { list: { name: 'Elsewhere' } })) as { id: number };
    const far = (await api('POST', `/lists/${other.id}/leads`, { lead: { company_name: 'Far' } })) as { id: number };
    const people = (await app('GET', '/users')) as { id: number; email: string }[];
    const { id } = people.find(({ email }) => email === 'ann@example.com')!;
    await app('PATCH', `/users/${id}`, { user: { listing_ids: [list.id, other.id] } });
    await page.keyboard.press('e');
    await page.keyboard.type('Budget opens');
    await hears(page);
    await app('POST', `/leads/${far.id}/merge`, { duplicate_id: first!.id });
    await page.getByText('This lead is part of Far now').waitFor();
    await leadIs(page, 'Far');
    await page.waitForFunction(() => document.activeElement?.id === 'note');
    await page.keyboard.type(' in spring');
    assert.equal(await page.getByLabel('Note').inputValue(), 'Budget opens in spring');
  });

  test('taken off the list in mid-sentence an agent keeps the lead and what they write, until they go on', async () => {
    const { api, app, list, addLeads, join } = await furnish(service);
    await addLeads(['Marlowe Freight'], '0101');
    const { page } = await openPage(await openBrowser(), { viewport: { width: 1440, height: 900 } });
    await join(page, 'ann@example.com');
    await leadIs(page, 'Marlowe Freight');
    const users = (await api('GET', '/users')) as { id: number; email: string }[];
    const { id } = users.find(({ email }) => email === 'ann@example.com')!;
    const assign = (listing_ids: number[]) => app('PATCH', `/users/${id}`, { user: { listing_ids } });
    await page.keyboard.press('e');
    await page.keyboard.type('Budget opens');
    await hears(page);
    await assign([]);
    await page.getByText('Fleet charging was deleted, or is not yours any more.').waitFor();
    await page.keyboard.type(' in spring');
    await leadIs(page, 'Marlowe Freight');
    await page.getByRole('button', { name: 'Go on' }).click();
    await leadIs(page, 'Fleet charging is gone.');
    await assign([list.id]);
    await page.reload();
    await leadIs(page, 'Marlowe Freight');
    assert.equal(await page.getByLabel('Note').inputValue(), 'Budget opens in spring');
  });

  test('menus are walked by the keyboard and stay on the screen; what is typed while nothing can be reached, and the scheme that was chosen, is kept', async () => {
    const { address, api, addLeads } = await furnish(service);
    await addLeads(['Marlowe Freight'], '0101');
    await api('POST', '/lists', { list: { name: 'Second' } });
    const options = { viewport: { width: 1440, height: 900 }, colorScheme: 'light' as const };
    const { page, complaints } = await openPage(await openBrowser(), options);
    await signInAtDoor(page, address, '/work');
    await leadIs(page, 'Marlowe Freight');
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    const menu = page.getByRole('menu');
    await page.keyboard.press('g');
    await eventually('it begins at the list one is on', async () => (await focused())?.startsWith('Fleet charging'));
    // While it is open no key means the desk.
    await page.keyboard.press('w');
    assert.equal(await page.getByRole('radio', { name: 'Winner' }).getAttribute('aria-checked'), 'false');
    await page.keyboard.press('ArrowDown');
    assert.match((await focused())!, /^Second/);
    await page.keyboard.press('ArrowDown');
    assert.match((await focused())!, /^Fleet charging/);
    await page.keyboard.press('Escape');
    await menu.waitFor({ state: 'hidden' });

    // What is typed while the service cannot be reached is saved when it can.
    await lateIsThere(page);
    await page.context().setOffline(true);
    await page.keyboard.press('f');
    await page.locator('.field-input').fill('Kept for later');
    await page.keyboard.press('Enter');
    await page.getByText('Saving', { exact: true }).waitFor();
    await page.context().setOffline(false);
    await page.getByText('Saving', { exact: true }).waitFor({ state: 'hidden' });
    assert.equal((await api('GET', '/leads/search?query=Kept')).leads.length, 1);
    await page.keyboard.press('w');
    await page.locator('[role=radio][aria-checked=true]', { hasText: 'Winner' }).waitFor();
    await page.keyboard.press('g');
    await page.getByRole('menuitem', { name: /^Second/ }).click();
    await page.getByRole('button', { name: 'List: Second. Change' }).waitFor();

    await page.setViewportSize({ width: 390, height: 844 });
    await page.getByRole('button', { name: /: menu$/ }).click();
    // It is put in its place a frame after it is there.
    await eventually('it is on the screen', async () => {
      const box = (await menu.boundingBox())!;
      return box.x >= 0 && box.x + box.width <= 390 && box.y >= 0;
    });
    await page.getByRole('menuitem', { name: 'Dark' }).click();
    const scheme = () => page.evaluate(() => document.documentElement.dataset.mantineColorScheme);
    assert.equal(await scheme(), 'dark');
    await page.reload();
    assert.equal(await scheme(), 'dark');
    assert.deepEqual(
      complaints.filter((complaint) => !complaint.includes('ERR_INTERNET_DISCONNECTED')),
      [],
    );
  });
});
