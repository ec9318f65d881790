import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Page } from 'playwright-core';
import { CHUNK_BYTES } from '../../contract/imports.ts';
import { eventually } from '../leadline.ts';
import { besides, intercept, openBrowser, openPage, withBrowser } from './browser.ts';
import { isDrawn } from './geometry.ts';
import { furnish, openService, signInAtDoor } from './service.ts';

const service = await openService();
const viewport = { width: 1440, height: 900 };

const open = async () => openPage(await openBrowser(), { viewport, locale: 'en-GB', reducedMotion: 'reduce' });

type Chosen = { name: string; mimeType: string; buffer: Buffer };

async function upload(page: Page, file: Chosen): Promise<void> {
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Upload', exact: false }).click();
}

const happens = (page: Page) => page.getByRole('region', { name: 'What will happen' });
const counted = (page: Page, made: string) => happens(page).getByText(`${made} new leads`, { exact: true }).waitFor();
const faulty = (page: Page, number: string) => happens(page).getByText(`${number} faulty rows, left out`).waitFor();
/** The button waits until all rows were looked at. */
const ready = (page: Page, words: string) =>
  page.locator('button[aria-disabled="false"]').filter({ hasText: words }).waitFor();

async function becomes(page: Page, column: string, choice: string): Promise<void> {
  await page.getByRole('combobox', { name: `${column} becomes` }).click();
  await page.getByRole('option', { name: choice, exact: true }).click();
}

/** Nothing gets through, or only so many bytes a second. */
async function holdLine(page: Page) {
  const session = await page.context().newCDPSession(page);
  return (offline: boolean, uploadThroughput = -1) =>
    session.send('Network.emulateNetworkConditions', { offline, latency: 0, downloadThroughput: -1, uploadThroughput });
}

/** By hand also with as many as a bought register has: IMPORTED_ROWS=100000. */
const ROWS = Number(process.env.IMPORTED_ROWS ?? 6_000);
const FAULTY = [1_207, 3_880, 5_114];
const SOUND = (ROWS - FAULTY.length).toLocaleString('en-GB');

/** More than one chunk, as a program for spreadsheets writes it in Western Europe. */
function makeFile(): Chosen {
  const filler = 'x'.repeat(Math.max(0, Math.ceil((1.1 * CHUNK_BYTES) / ROWS) - 80));
  const rows = Array.from({ length: ROWS }, (_, at) => {
    const number = String(at).padStart(6, '0');
    const vans = FAULTY.includes(at) ? 'n/a' : at % 300;
    return `Müller & Söhne ${number};+44 7400 ${number};+44 20 7${number}0;mail${number}@example.com;${vans};${filler}`;
  });
  const text = `Firma;Tel. 1;Tel. 2;E-Mail;Vans;Ref\r\n${rows.join('\r\n')}\r\n`;
  return { name: 'operators.csv', mimeType: 'text/csv', buffer: Buffer.from(text, 'latin1') };
}

describe('importing a file', withBrowser, () => {
  test('a file is uploaded through a lost connection, read right, matched, run, mended and undone', async () => {
    const { address, app, api, list, holdImports, signIn } = await furnish(service);
    await app('POST', `/lists/${list.id}/fields`, { field: { label: 'Vans', kind: 'integer' } });
    const { page, complaints } = await open();
    await signIn(page, `/lists/${list.id}`);
    await page.getByRole('button', { name: 'Import', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Import a file' }).waitFor();

    // The connection is lost on the way, and the upload goes on by itself.
    const line = await holdLine(page);
    await line(false, 200_000);
    await upload(page, makeFile());
    await page.waitForFunction(() => /^[1-9]\d? % ·/.test(document.title));
    await line(true);
    await page.getByText('Connection lost.').waitFor();
    await line(false);
    await page.getByRole('heading', { level: 1, name: 'Import into Fleet charging' }).waitFor();
    await counted(page, SOUND);
    await faulty(page, '3');

    // Read in another way, and back.
    const preview = page.getByRole('region', { name: 'First rows' });
    await preview.getByText('Müller & Söhne 000000').waitFor();
    await page.getByLabel('Encoding').selectOption('windows-1251');
    await preview.getByText('Mьller & Sцhne 000000').waitFor();
    await page.getByLabel('Encoding').selectOption('windows-1252');
    await preview.getByText('Müller & Söhne 000000').waitFor();

    // Matched otherwise, and back: what will happen is counted anew.
    await becomes(page, 'Vans', 'Do not import');
    await counted(page, ROWS.toLocaleString('en-GB'));
    await becomes(page, 'Vans', 'Vans');
    await faulty(page, '3');
    await becomes(page, 'Ref', 'Do not import');
    await ready(page, `Import ${SOUND} leads`);

    // Whoever leaves finds it again.
    const letGo = await holdImports();
    await page.getByRole('button', { name: `Import ${SOUND} leads` }).click();
    await page.getByText('You can leave this page. We go on.').waitFor();
    await page.getByRole('button', { name: 'Go to lists' }).click();
    await page.getByRole('link', { name: 'Importing' }).waitFor();
    await letGo();
    await page.getByRole('link', { name: 'Imports', exact: true }).click();
    await page.getByRole('link', { name: 'operators.csv', exact: true }).click();
    await page.getByRole('heading', { name: `${SOUND} leads imported` }).waitFor();
    assert.equal((await api('GET', `/lists/${list.id}`)).leads_count, ROWS - FAULTY.length);

    // What could not be imported comes back, is mended and goes in.
    const file = await page.getByRole('link', { name: 'Faulty rows' }).getAttribute('href');
    const rows = await page.evaluate(async (from) => (await fetch(from)).text(), file!);
    assert.equal(rows.match(/n\/a/g)?.length, 3);
    const mended = Buffer.from(rows.replaceAll('n/a', '7'));
    await page.getByRole('link', { name: 'Import another file' }).click();
    await upload(page, { name: 'mended.csv', mimeType: 'text/csv', buffer: mended });
    await becomes(page, 'Reason', 'Do not import');
    await ready(page, 'Import 3 leads');
    await page.getByRole('button', { name: 'Import 3 leads' }).click();
    await page.getByRole('heading', { name: '3 leads imported' }).waitFor();
    assert.equal((await api('GET', `/lists/${list.id}`)).leads_count, ROWS);

    // The first is undone, the mended rows stay.
    await page.goto(`${address}/imports`);
    await page.getByRole('button', { name: 'Undo the import of operators.csv' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Undo the import', exact: true }).click();
    await page.getByRole('row').filter({ hasText: 'operators.csv' }).getByText('Undone', { exact: true }).waitFor();
    assert.equal((await api('GET', `/lists/${list.id}`)).leads_count, 3);
    assert.deepEqual(besides(complaints, /ERR_INTERNET_DISCONNECTED|Failed to load/), []);
  });

  test('after a reload the same file goes on where it was, and no other', async () => {
    const { list, signIn } = await furnish(service);
    const { page } = await open();
    await signIn(page, `/imports/new?list=${list.id}`);
    const line = await holdLine(page);
    await line(false, 200_000);
    const file = makeFile();
    await upload(page, file);
    await page.waitForFunction(() => /^([1-9]\d) % ·/.test(document.title));
    page.once('dialog', (dialog) => void dialog.accept());
    await page.reload();
    await line(false);
    await page.getByRole('button', { name: 'Choose the file again' }).waitFor();
    const input = page.getByLabel('File', { exact: true });
    await input.setInputFiles({ ...file, buffer: file.buffer.subarray(1) });
    await page.getByRole('alert').getByText('Choose operators.csv with').waitFor();
    await input.setInputFiles(file);
    await happens(page).getByText('new leads').first().waitFor();
  });

  test('a running import is stopped and undone in one go, also where nothing is in yet', async () => {
    const { address, api, list, holdImports, signIn } = await furnish(service);
    const { page, complaints } = await open();
    const rows = Array.from({ length: ROWS }, (_, at) => `Marlowe ${at}`);
    const buffer = Buffer.from(`Company name\n${rows.join('\n')}\n`);
    const stopAndUndo = async () => {
      await page.getByRole('button', { name: 'Stop and undo' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop and undo' }).click();
    };
    const before = (await api('GET', `/lists/${list.id}`)).leads_count;
    await signIn(page, `/imports/new?list=${list.id}`);
    for (const [most, end] of [
      [ROWS / 2, 'Undone'],
      [0, 'Stopped. 0 leads came in before'],
    ] as const) {
      await page.goto(`${address}/imports/new?list=${list.id}`);
      await upload(page, { name: `half of ${most}.csv`, mimeType: 'text/csv', buffer });
      await ready(page, `Import ${ROWS.toLocaleString('en-GB')} leads`);
      const letGo = await holdImports(most);
      await page.getByRole('button', { name: /^Import \d/ }).click();
      await page.getByText('agents can call them already').waitFor();
      if (most > 0)
        await eventually('some are in', async () => (await api('GET', `/lists/${list.id}`)).leads_count > before);
      await stopAndUndo();
      await letGo();
      await page.getByRole('heading', { name: end }).waitFor();
      assert.equal((await api('GET', `/lists/${list.id}`)).leads_count, before);
    }
    assert.deepEqual(complaints, []);
  });

  test('a new account begins with a file, which makes its list', async () => {
    const { address } = await service.addAccount();
    const { page, complaints } = await open();
    await signInAtDoor(page, address, '/work');
    await page.getByRole('link', { name: 'Upload a file with leads' }).click();
    const buffer = Buffer.from('Company,First name,Mobile\nAshdown Couriers,Neil,+447400123456\n');
    await upload(page, { name: 'Autumn.csv', mimeType: 'text/csv', buffer });
    await page.getByRole('heading', { level: 1, name: 'Import into Autumn' }).waitFor();
    await page.getByLabel('Name of the new list').fill('Autumn, UK');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Import into Autumn, UK' }).waitFor();
    await ready(page, 'Import 1 lead');
    // The keyboard is still in the name: whoever presses Enter twice begins nothing.
    assert.ok(await page.getByLabel('Name of the new list').evaluate((field) => field === document.activeElement));
    await page.keyboard.press('Enter');
    await ready(page, 'Import 1 lead');
    await page.locator('h1').click();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: '1 lead imported' }).waitFor();
    await page.getByRole('link', { name: 'See the leads' }).click();
    await page.getByText('Ashdown Couriers').waitFor();
    assert.deepEqual(complaints, []);
  });

  test('how a file is read keeps every choice, also those made while one is being saved', async () => {
    const { app, list, signIn } = await furnish(service);
    const { page } = await open();
    await signIn(page, `/imports/new?list=${list.id}`);
    const buffer = Buffer.from('Ashdown Couriers;Neil\nMarlowe Freight;Ann\n');
    await upload(page, { name: 'Autumn.csv', mimeType: 'text/csv', buffer });
    const header = page.getByLabel('First row holds names');
    await header.waitFor();
    const saving = Promise.withResolvers<void>();
    const asked: unknown[] = [];
    await intercept(page, '**/app/imports/*', async (route) => {
      if (route.request().method() === 'PATCH') {
        asked.push(route.request().postDataJSON().import.how_read);
        await saving.promise;
      }
      await route.continue();
    });
    const how = { encoding: page.getByLabel('Encoding'), delimiter: page.getByLabel('Delimiter') };
    await how.encoding.selectOption('windows-1251');
    await eventually('it is being saved', async () => asked.length === 1);
    await how.delimiter.selectOption(',');
    await header.click();
    const isHeader = await header.isChecked();
    saving.resolve();
    await eventually('the rest is saved', async () => {
      const [latest] = (await app('GET', '/imports')) as { id: number }[];
      return (await app('GET', `/imports/${latest!.id}`)).how_read.delimiter === ',';
    });
    assert.equal(asked.length, 2);
    await page.reload();
    await header.waitFor();
    assert.equal(await how.encoding.inputValue(), 'windows-1251');
    assert.equal(await how.delimiter.inputValue(), ',');
    assert.equal(await header.isChecked(), isHeader);
  });

  test('a list whose fields come late is not chosen after all, where another was since', async () => {
    const { api, list, signIn } = await furnish(service);
    const spring = (await api('POST', '/lists', { list: { name: 'Spring' } })) as { id: number };
    const { page, complaints } = await open();
    await signIn(page, `/imports/new?list=${list.id}`);
    const buffer = Buffer.from('Company name,First name\nAshdown Couriers,Neil\n');
    await upload(page, { name: 'Autumn.csv', mimeType: 'text/csv', buffer });
    await ready(page, 'Import 1 lead');
    const coming = Promise.withResolvers<void>();
    const late = Promise.withResolvers<void>();
    await intercept(page, `**/app/lists/${spring.id}/fields`, async (route) => {
      late.resolve();
      await coming.promise;
      await route.continue();
    });
    const chosen = page.getByLabel('List', { exact: true });
    await chosen.selectOption({ label: 'Spring' });
    await late.promise;
    await chosen.selectOption({ label: 'A new list from this file' });
    await page.getByLabel('Name of the new list').waitFor();
    const told = page.waitForResponse(`**/app/lists/${spring.id}/fields`);
    coming.resolve();
    await (await told).finished();
    await isDrawn(page);
    assert.equal(await chosen.inputValue(), 'new');
    await ready(page, 'Import 1 lead');
    assert.equal(await chosen.inputValue(), 'new');
    assert.deepEqual(complaints, []);
  });

  test('a file that is discarded is left, whether the question is still open or not; who is elsewhere stays there', async () => {
    const { address, list, signIn } = await furnish(service);
    const { page, complaints } = await open();
    await signIn(page, `/imports/new?list=${list.id}`);
    let answer = Promise.withResolvers<void>();
    let asked = 0;
    await intercept(page, '**/app/imports/*', async (route) => {
      if (route.request().method() === 'DELETE') {
        asked += 1;
        await answer.promise;
      }
      await route.continue();
    });
    const discardAndLeave = async (name: string) => {
      await upload(page, { name, mimeType: 'text/csv', buffer: Buffer.from('Company name\nAshdown Couriers\n') });
      await ready(page, 'Import 1 lead');
      const before = asked;
      await page.getByRole('button', { name: 'Discard', exact: true }).click();
      const question = page.getByRole('dialog', { name: `Discard ${name}` });
      await question.getByRole('button', { name: 'Discard the file' }).click();
      await eventually('it is on its way', async () => asked > before);
      await page.keyboard.press('Escape');
      await question.waitFor({ state: 'hidden' });
    };
    await discardAndLeave('Autumn.csv');
    answer.resolve();
    await page.waitForURL(`${address}/imports/new?list=${list.id}`);

    answer = Promise.withResolvers<void>();
    await discardAndLeave('Spring.csv');
    await page.getByRole('link', { name: 'Leads', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Leads' }).waitFor();
    const told = page.waitForResponse((response) => response.request().method() === 'DELETE');
    answer.resolve();
    await (await told).finished();
    await isDrawn(page);
    assert.equal(new URL(page.url()).pathname, '/leads');
    assert.deepEqual(complaints, []);
  });

  test('a role that does not import is told who does', async () => {
    const { app, address, join } = await furnish(service);
    const { page } = await open();
    await join(page, 'sue@example.com');
    const people = (await app('GET', '/users')) as { id: number; email: string }[];
    const { id } = people.find(({ email }) => email === 'sue@example.com')!;
    await app('PATCH', `/users/${id}`, { user: { supervisor: true } });
    await page.goto(`${address}/lists`);
    const button = page.getByRole('button', { name: 'Import a file' });
    assert.equal(await button.getAttribute('aria-disabled'), 'true');
    await button.focus();
    await page.getByRole('tooltip').getByText('Data managers and owners import files.').waitFor();
    await page.goto(`${address}/imports/new`);
    await page.getByText('Your role does not import files.').waitFor();
  });
});
