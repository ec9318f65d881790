// Every page in every state, side by side, a sheet for each size and scheme. Begun by `npm run screenshots -- folder`.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { openBrowser, withBrowser } from './browser.ts';
import { openService } from './service.ts';
import { walkStates } from './states.ts';

const SIZES = {
  1440: { width: 1440, height: 900 },
  1100: { width: 1100, height: 800 },
  900: { width: 900, height: 1180 },
  720: { width: 720, height: 900 },
  390: { width: 390, height: 844 },
  // A laptop of 1280 × 720 at 200 %.
  zoomed: { width: 640, height: 360 },
};
const SCHEMES = ['light', 'dark'] as const;
const SHEET_PX = 1_960;

const folder = resolve(process.env.PICTURES!);
const service = await openService();

test('contact sheets', withBrowser, async () => {
  const names: string[] = [];
  const looks = Object.entries(SIZES).flatMap(([size, viewport]) =>
    SCHEMES.map((scheme) => ({ size, viewport, scheme })),
  );
  for (const { size, scheme } of looks) mkdirSync(join(folder, `${size}-${scheme}`), { recursive: true });
  const fileOf = (name: string) => `${name.replaceAll(/\W+/g, '-')}.png`;
  await walkStates(service, async (page, name, fits) => {
    if (!names.includes(name)) names.push(name);
    for (const { size, viewport, scheme } of looks.filter((one) => fits(one.viewport.width))) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme: scheme });
      await page.screenshot({ path: join(folder, `${size}-${scheme}`, fileOf(name)) });
    }
  });
  const page = await (await openBrowser()).newPage({ viewport: { width: SHEET_PX, height: 1_000 } });
  for (const { size, viewport, scheme } of looks) {
    const columns = Math.round(SHEET_PX / Math.max(240, viewport.width / 2.4));
    const figures = names
      .filter((name) => existsSync(join(folder, `${size}-${scheme}`, fileOf(name))))
      .map((name) => `<figure><img src="${size}-${scheme}/${fileOf(name)}"><figcaption>${name}</figcaption></figure>`);
    const html = join(folder, `${size}-${scheme}.html`);
    writeFileSync(
      html,
      `<!doctype html><meta charset="utf-8"><style>
        body { display: grid; grid-template-columns: repeat(${columns}, 1fr); gap: 12px; margin: 12px; background: #888; }
        figure { margin: 0; } img { width: 100%; display: block; } figcaption { font: 13px sans-serif; }
      </style>${figures.join('')}`,
    );
    await page.goto(pathToFileURL(html).href);
    await page.screenshot({ path: join(folder, `${size}-${scheme}.png`), fullPage: true });
  }
});
