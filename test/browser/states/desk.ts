import { intercept } from '../browser.ts';
import { furnish, type Service } from '../service.ts';
import {
  atStart,
  DUPLICATE,
  inBoth,
  leave,
  LONG,
  type Look,
  NARROW,
  ONE_COLUMN,
  open,
  pressAll,
  resize,
  START,
} from './walk.ts';

export async function walkDesk(service: Service, look: Look): Promise<void> {
  const { app, api, list, join, holdCalls } = await furnish(service);
  const add = async (lead: Record<string, string>): Promise<number> =>
    (await api('POST', `/lists/${list.id}/leads`, { lead })).id;
  await add(LONG);
  await add({ company_name: 'Ashdown Couriers', first_name: 'Neil', work_office_phone: '+442079460140' });
  await add({ company_name: 'Marlowe Freight (Hull)', work_office_phone: DUPLICATE });
  await api('POST', '/lists', { list: { name: 'Erneuerbare-Energien-Interessenten, Norddeutschland' } });
  const page = await open();
  const show = atStart(look, page);
  await join(page, 'ann@example.com');
  const dial = page.getByRole('button', { name: /^Dial/, disabled: false });
  await dial.waitFor();
  await page.getByRole('button', { name: 'Compare' }).waitFor();
  await show('work, ready');
  const showBoth = inBoth(look, page);
  await showBoth('work, comparing', async (isNarrow) => {
    if (isNarrow) await page.getByRole('tab', { name: 'Lead' }).click();
    await page.getByRole('button', { name: 'Compare' }).click();
    await page.getByRole('dialog').waitFor();
  });
  await look(page, 'work, lead tab', (width) => width < ONE_COLUMN);
  await resize(page, NARROW);
  await page.getByRole('tab', { name: /^Activity/ }).click();
  await look(page, 'work, activity tab', (width) => width < ONE_COLUMN);
  await resize(page, START);
  await page.getByRole('button', { name: /: menu$/ }).click();
  await show('work, menu open');
  await leave(page);
  await pressAll(page, 'g');
  await show('work, lists open');
  await leave(page);
  await pressAll(page, '/');
  await page.getByRole('dialog', { name: 'Commands' }).getByLabel('Search').fill('mar');
  await page.getByText('Marlowe Freight (Hull)').last().waitFor();
  await show('work, commands open');
  await leave(page);
  await showBoth('work, picker open', async () => {
    await pressAll(page, 'c', 't');
    await page.getByRole('textbox', { name: 'When' }).waitFor();
  });
  await resize(page, START);
  await pressAll(page, 'w');
  await show('work, winner chosen');
  await pressAll(page, 'l');
  await show('work, loser chosen');
  await intercept(page, '**/app/calls', (route) => route.abort());
  await pressAll(page, 'Escape', 'd');
  await page.getByText('That did not work').first().waitFor();
  await show('work, a notice');
  await page.unroute('**/app/calls');
  await page.getByRole('button', { name: 'Close' }).first().click();

  await pressAll(page, 'd');
  await page.getByText('Connected').waitFor();
  await show('work, in a call');
  await showBoth('work, keys of the telephone', async () => {
    await pressAll(page, 'k', '1', '2');
    await page.getByRole('dialog', { name: 'Keys' }).waitFor();
  });
  await showBoth('work, passing a call on', async () => {
    await page.getByRole('button', { name: 'More of the telephone' }).click();
    await page.getByRole('menuitem', { name: 'Pass the call on' }).click();
    await page.getByRole('dialog').getByRole('option').first().waitFor();
  });
  await resize(page, START);
  await pressAll(page, 'm', 'p', 'o');
  await page.getByText(/^On hold/).waitFor();
  await show('work, on hold, muted, not recorded');
  await pressAll(page, 'm', 'p', 'o');
  await page.getByText('Connected', { exact: true }).waitFor();
  await pressAll(page, 'c', '2', 'e');
  await page.keyboard.type('Budget opens in January. Wants the figures before the call, and a word with the depot.');
  await page.getByRole('radio', { name: /^Tomorrow/ }).click();
  await show('work, in a call, call back chosen');
  await page.getByRole('button', { name: /^Hang up, save, next/ }).click();
  await page.getByRole('heading', { level: 1, name: 'Ashdown Couriers' }).waitFor();

  // Rings for as long as one looks.
  await dial.waitFor();
  const stopRinging = await holdCalls();
  await pressAll(page, 'd');
  await page.getByText(/^Ringing/).waitFor();
  await show('work, ringing');
  await stopRinging();
  await page.getByText('No answer').first().waitFor();
  await show('work, after no answer');
  await pressAll(page, 'a', 'Enter');
  await page.getByRole('heading', { level: 1, name: /Hull/ }).waitFor();
  const stopCalling = await holdCalls();
  await app('POST', '/simulate', { kind: 'inbound_call', from: '+442079460140' });
  await page.getByText(/is calling$/).waitFor();
  await show('work, called in');
  // Over, it would be a call back that is due.
  await pressAll(page, 'h', 'a', 'Enter');
  await page.getByRole('heading', { level: 1, name: /^All caught up/ }).waitFor();
  await show('work, idle');
  await intercept(page, '**/app/live*', (route) => route.abort());
  await page.reload();
  await page
    .getByText(/Connection lost|Reconnecting/)
    .first()
    .waitFor();
  await show('work, offline');
  await stopCalling();

  const other = await open();
  await join(other, 'bo@example.com', []);
  await other.getByText('No list is yours yet.').waitFor();
  await look(other, 'work, no list', () => true);
  await other.close();
  await page.close();
}
