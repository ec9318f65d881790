import type { Page } from 'playwright-core';
import { openBrowser, openPage } from '../browser.ts';

/** Below this there is one column, and what was open in another closes. */
export const ONE_COLUMN = 1_100;
export const START = { width: 1440, height: 900 };
export const NARROW = { width: 900, height: 1180 };

/** Is shown each page in each state, under a name, with the sizes at which it stays so. */
export type Look = (page: Page, name: string, fits: (width: number) => boolean) => Promise<void>;
export const DUPLICATE = '+442079460183';

/** Long words, as there are in other languages. */
export const LONG = {
  company_name: 'Donaudampfschifffahrtsgesellschaft Marlowe & Söhne',
  first_name: 'Imogen',
  last_name: 'Hartley-Featherstonehaugh',
  title: 'Fuhrparkverantwortliche',
  work_office_phone: DUPLICATE,
  mobile_phone: '+442079460644',
  e_mail: 'imogen.hartley-featherstonehaugh@marlowe-freight.example',
  website: 'https://marlowe-freight.example/about/the/fleet',
};

/** What the browser complained of, for each page that was walked. */
export const complained: string[][] = [];

export async function open(): Promise<Page> {
  const { page, complaints } = await openPage(await openBrowser(), { viewport: START, locale: 'en-GB' });
  complained.push(complaints);
  return page;
}

/** And the desk is drawn again, where that makes one column of three or three of one. */
export async function resize(page: Page, size: { width: number; height: number }): Promise<void> {
  await page.setViewportSize(size);
  await page.waitForFunction((width) => {
    const desk = document.querySelector('.desk');
    return desk === null || desk.classList.contains('one-column') === innerWidth < width;
  }, ONE_COLUMN);
}

export const atStart = (look: Look, page: Page) => async (name: string) => {
  await look(page, name, () => true);
  await resize(page, START);
};

/** What closes where three columns become one: opened and looked at in both. */
export const inBoth = (look: Look, page: Page) => async (name: string, act: (isNarrow: boolean) => Promise<void>) => {
  await act(false);
  await look(page, name, (width) => width >= ONE_COLUMN);
  await resize(page, START);
  await leave(page);
  await resize(page, NARROW);
  await act(true);
  await look(page, name, (width) => width < ONE_COLUMN);
  await resize(page, NARROW);
  await leave(page);
};

export const pressAll = async (page: Page, ...keys: string[]) => {
  for (const key of keys) await page.keyboard.press(key);
};

/** As whoever is signed in there. */
export const askAs = (page: Page, path: string): Promise<unknown> =>
  page.evaluate(async (asked) => (await fetch(asked)).json(), path);

/** Out of whatever is open. */
export async function leave(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page
    .locator(':popover-open, [role="dialog"], [role="listbox"]')
    .filter({ visible: true })
    .first()
    .waitFor({ state: 'hidden' });
}
