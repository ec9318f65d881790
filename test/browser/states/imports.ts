import type { Page } from 'playwright-core';
import { furnish, OWNER, type Service } from '../service.ts';
import { atStart, leave, LONG, type Look, open } from './walk.ts';

/** A file as it is chosen: long names, a date that can be read in two ways, and rows that cannot be imported. */
const FILE = {
  name: 'Erneuerbare-Energien-Interessenten-Norddeutschland-2026.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from(
    [
      'Company;Geschäftsführerin;Work phone;E-mail;Website;Vertragsverlängerung;Vans;Bemerkungen der Außendienstmitarbeiter',
      `${LONG.company_name};Imogen;+44 20 7946 0183;${LONG.e_mail};${LONG.website};03/04/2027;12;Ask for Imogen, after ten`,
      'Ashdown Couriers;Neil;020 7946 0118;neil@ashdown.example;;01/02/2027;n/a;',
      'Quarry Lane;Jo;020 7946 0687;jo@quarry.example;;05/06/2027;twelve;',
      'Quarry Lane again;Jo;020 7946 0687;jo@quarry.example;;05/06/2027;3;',
      'Too short;Jo',
    ].join('\r\n'),
  ),
};
const PICTURE = {
  name: 'leads.csv',
  mimeType: 'text/csv',
  buffer: Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'),
};

const take = async (page: Page, file: typeof FILE) => {
  await page.getByLabel('File', { exact: true }).setInputFiles(file);
  await page.getByRole('button', { name: 'Upload', exact: false }).click();
};

export async function walkImports(service: Service, look: Look): Promise<void> {
  const { app, api, list, address, addLeads, holdImports, join, signIn } = await furnish(service);
  await addLeads([LONG.company_name], '0183');
  await app('POST', `/lists/${list.id}/fields`, { field: { label: 'Vans', kind: 'integer' } });
  await app('POST', `/lists/${list.id}/fields`, { field: { label: 'Vertragsverlängerung', kind: 'date' } });
  await api('POST', '/lists', { list: { name: 'Windenergietage, noch niemandem zugewiesen' } });
  const page = await open();
  const show = atStart(look, page);
  await signIn(page, '/imports');
  await page.getByText('Nothing was imported yet.').waitFor();
  await show('imports, none yet');
  await page.goto(`${address}/imports/new?list=${list.id}`);
  await page.getByRole('button', { name: 'Choose a file' }).waitFor();
  await show('an import, no file yet');
  await page.getByLabel('File', { exact: true }).setInputFiles({ ...FILE, name: 'leads.xls' });
  await page.getByRole('alert').waitFor();
  await show('an import, of a kind that cannot be read');
  await page.getByLabel('File', { exact: true }).setInputFiles(FILE);
  await page.getByText('Into which list').waitFor();
  await show('an import, a file chosen');
  await page.getByRole('button', { name: 'Another file' }).click();
  await take(page, PICTURE);
  await page.getByRole('heading', { name: 'leads.csv cannot be read' }).waitFor();
  await show('an import, refused');

  await page.goto(`${address}/imports/new?list=${list.id}`);
  await take(page, FILE);
  const start = page.getByRole('button', { name: /^Import \d/ });
  await page
    .locator('button[aria-disabled="false"]')
    .filter({ hasText: /^Import \d/ })
    .waitFor();
  await page.getByRole('region', { name: 'First rows' }).waitFor();
  await show('an import, matching');
  await page.getByRole('combobox', { name: /^Bemerkungen.* becomes$/ }).click();
  await page.getByRole('option', { name: 'New field …' }).waitFor();
  await show('an import, what a column can become');
  await page.getByRole('option', { name: 'New field …' }).click();
  await page.getByLabel(/^Label of the new field/).waitFor();
  await page.getByRole('button', { name: 'Update', exact: true }).click();
  await page.getByRole('button', { name: 'All fields' }).waitFor();
  await page.getByRole('combobox', { name: 'To whom' }).click();
  await page.getByRole('option', { name: OWNER.email }).click();
  await leave(page);
  await page
    .locator('button[aria-disabled="false"]')
    .filter({ hasText: /^Import \d/ })
    .waitFor();
  await show('an import, more chosen');
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').waitFor();
  await show('an import, to be discarded');
  await leave(page);

  const letGo = await holdImports();
  await start.click();
  await page.getByRole('button', { name: 'Stop and undo' }).waitFor();
  await show('an import, running');
  await page.getByRole('button', { name: 'Stop and undo' }).click();
  await page.getByRole('dialog').waitFor();
  await show('an import, to be stopped and undone');
  await leave(page);
  await page.goto(`${address}/lists`);
  await page.getByRole('link', { name: 'Importing' }).waitFor();
  await show('lists, an import into one');
  await page.getByRole('link', { name: 'Importing' }).click();
  await letGo();
  await page.getByRole('link', { name: 'See the leads' }).waitFor();
  await show('an import, done');
  await page.getByRole('button', { name: /^Undo/ }).click();
  await page.getByRole('dialog').waitFor();
  await show('an import, to be undone');
  await page.getByRole('button', { name: 'Undo the import', exact: true }).click();
  await page.getByRole('region', { name: 'Undone' }).waitFor();
  await show('an import, undone');
  await page.goto(`${address}/imports`);
  await page.getByText('Could not be read').waitFor();
  await show('imports');

  await page.context().clearCookies();
  await join(page, 'ann@example.com');
  await page.goto(`${address}/imports/new`);
  await page.getByText('Your role does not import files.').waitFor();
  await show('an import, as an agent');
  await page.close();
}
