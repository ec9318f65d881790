import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { eventually } from '../leadline.ts';
import { expectFitting, lingerNotices, openBrowser, openPage, withBrowser } from './browser.ts';
import { furnish, openService } from './service.ts';

const service = await openService();
const WIDE = { viewport: { width: 1440, height: 900 } };
// What is dialled is busy by its last two digits.
const BUSY = '0130';

const leadIs = (page: Page, name: string) =>
  page.getByRole('heading', { level: 1 }).getByText(name, { exact: true }).waitFor();
const foot = (page: Page) => page.getByRole('region', { name: 'Outcome' });
const says = (page: Page, text: string | RegExp) => foot(page).getByText(text).waitFor();
const lit = (page: Page) => page.getByRole('radiogroup', { name: 'When' }).getByRole('radio', { checked: true });

async function openDesk(names: string[], ending: string) {
  const account = await furnish(service);
  const { api, app, list, addLeads, join } = account;
  await addLeads(names, ending);
  const { page, complaints } = await openPage(await openBrowser(), WIDE);
  const setMost = (archived_after: number) =>
    app('PATCH', `/lists/${list.id}`, { list: { retries: { 'No answer': { archived_after } } } });
  const find = async (name: string) => {
    const [found] = (await api('GET', `/leads/search?query=${name}`)).leads;
    return api('GET', `/leads/${found.id}`);
  };
  /** Dials, and waits until the line has let go of a number that is busy. */
  const dial = async () => {
    const { length } = await api('GET', '/calls');
    await page.keyboard.press('d');
    await eventually('the call is over', async () => {
      const [call, ...before] = (await api('GET', '/calls')) as { state: string }[];
      return before.length === length && call?.state === 'completed';
    });
    await page.getByRole('button', { name: /^Dial again/ }).waitFor();
    await page.getByRole('radio', { name: 'No answer', checked: true }).waitFor();
  };
  return { ...account, page, complaints, setMost, find, dial, enter: () => join(page, 'ann@example.com') };
}

describe('trying again', withBrowser, () => {
  test('a call back without a time says when it comes back, which try it is, and does not come straight back', async () => {
    const { page, complaints, setMost, find, dial, enter } = await openDesk(['Marlowe', 'Ashdown'], BUSY);
    await setMost(5);
    await lingerNotices(page);
    await enter();
    await leadIs(page, 'Marlowe');
    await dial();
    await says(page, 'Back in 2 hours, first of five tries');
    for (const which of ['second', 'third']) {
      await dial();
      await says(page, `Back in 2 hours, ${which} of five tries`);
    }
    await says(page, /or later\. Choose a time to set your own\./);
    assert.deepEqual([await page.locator('.tries i').count(), await page.locator('.tries .made').count()], [5, 3]);
    assert.equal(await lit(page).count(), 0, 'no time is chosen');
    await expectFitting(page, 'trying again');

    // A chip takes over, and without it the list does again.
    await page.getByRole('radio', { name: 'In 1 hour' }).click();
    await says(page, 'Exactly at');
    assert.equal(
      await foot(page)
        .getByText(/Back in/)
        .count(),
      0,
    );
    await page.keyboard.press('c');
    await page.keyboard.press('1');
    await says(page, 'Back in 1 hour');
    await page.keyboard.press('3');
    await says(page, 'Back in 2 hours, third of five tries');
    await page.keyboard.press('Enter');
    await leadIs(page, 'Ashdown');
    await page.getByText('Call back saved, back in 2 hours').waitFor();
    const { state, scheduled_for, claimed_by } = await find('Marlowe');
    assert.deepEqual([state, claimed_by], ['call_back', null]);
    assert.ok(Math.abs(Date.parse(scheduled_for) - Date.now() - 7_200_000) < 300_000);

    await setMost(1);
    await dial();
    await says(page, 'Archived after this one, first of one try');
    await expectFitting(page, 'the last try');
    await page.keyboard.press('Enter');
    await page.getByText(/All caught up until/).waitFor();
    const archived = await find('Ashdown');
    const [first, second] = archived.events;
    assert.deepEqual(
      [archived.state, first.kind, first.comment, first.user_email, second.kind, second.category, second.user_email],
      ['archived', 'archive', 'No answer, 1 try', '', 'call_back', 'No answer', 'ann@example.com'],
    );
    assert.deepEqual(complaints, []);
  });

  test('an appointment is offered again when the lead calls in, and stays; a missed call leaves it too', async () => {
    const { page, api, app, find, enter } = await openDesk(['Marlowe'], '0101');
    const { id } = await find('Marlowe');
    const day = new Date();
    const at = new Date(day.getFullYear(), day.getMonth(), day.getDate() + 3, 9).toISOString();
    await api('POST', `/leads/${id}/call_back`, { lead: { scheduled_for: at, category: 'Positive' } });
    await enter();
    await page.getByText(/All caught up/).waitFor();
    const from = '+442079460101';
    await app('POST', '/simulate', { kind: 'inbound_call', from });
    await page.getByRole('button', { name: /^Answer/ }).waitFor();
    await page.keyboard.press('d');
    await page.getByText('Connected').waitFor();
    await leadIs(page, 'Marlowe');
    await page.keyboard.press('c');
    await page.keyboard.press('1');
    await says(page, /^Keeps the appointment \w+ \d+ \w+, \d+:00$|^Keeps the appointment \w+, \w+ \d+, \d+:00/);
    assert.equal(await lit(page).count(), 1, 'the time is shown as chosen');
    await expectFitting(page, 'an appointment kept');
    await page.keyboard.press('Enter');
    await page.getByText(/All caught up until/).waitFor();
    const saved = await find('Marlowe');
    assert.deepEqual([saved.state, saved.category, saved.scheduled_for], ['call_back', 'Bad time', at]);

    await app('POST', '/simulate', { kind: 'missed_call', from });
    const missed = await eventually('the call is missed', async () => {
      const now = await find('Marlowe');
      return now.events[0].id === saved.events[0].id ? undefined : now;
    });
    assert.deepEqual([missed.events[0].kind, missed.scheduled_for], ['call_back', at]);

    // On the lead's own page it is the same.
    await page.goto(new URL(`/leads/${id}`, page.url()).href);
    await page.getByRole('button', { name: 'Set outcome' }).click();
    await page.getByRole('radio', { name: 'Call back' }).click();
    await page.getByText(/^Keeps the appointment/).waitFor();
  });
});
