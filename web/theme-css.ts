import { convertCssVariables, DEFAULT_THEME, defaultCssVariablesResolver, mergeMantineTheme } from '@mantine/core';
import { colours, theme } from './theme.ts';

const { iris, won, callback, lost, gray, dark } = colours;

/** Soft · text · solid · line of each outcome. Colour means an outcome or "act here", and nothing else. */
const outcome = (name: string, [soft, text, solid, line]: [string, string, string, string]) => ({
  [`--${name}-soft`]: soft,
  [`--${name}-text`]: text,
  [`--${name}`]: solid,
  [`--${name}-line`]: line,
});

/** Components use only these. */
const variables = {
  light: {
    '--mantine-color-body': '#FFFFFF',
    '--mantine-color-text': gray[9],
    '--mantine-color-dimmed': gray[6],
    '--mantine-color-placeholder': '#757584',
    '--mantine-color-default-border': '#D6D6DF',
    '--mantine-color-error': lost[7],
    '--ll-canvas': '#F6F6F9',
    '--ll-panel': '#FFFFFF',
    '--ll-raised': '#FFFFFF',
    '--ll-sunk': '#F8F8FA',
    '--ll-hover': '#F3F3F7',
    '--ll-line': '#E6E6EC',
    '--ll-line-2': '#D6D6DF',
    '--ll-text': gray[9],
    '--ll-text-2': gray[7],
    '--ll-text-3': gray[6],
    '--ll-sel': iris[0],
    '--ll-accent': iris[6],
    '--ll-accent-text': iris[7],
    '--ll-ink': '#16182B',
    '--ll-ink-2': '#24273F',
    '--ll-ink-dim': '#B4B8D6',
    '--ll-shadow': '0 1px 2px rgb(22 24 43 / 4%)',
    '--ll-float': '0 12px 32px -8px rgb(22 24 43 / 22%)',
    ...outcome('won', [won[0], won[7], won[5], won[2]]),
    ...outcome('call_back', [callback[0], callback[7], callback[4], callback[2]]),
    ...outcome('lost', [lost[0], lost[7], lost[4], lost[2]]),
    ...outcome('archived', [gray[1], gray[7], '#9E9EAC', gray[3]]),
    ...outcome('new', [iris[0], iris[7], iris[3], iris[2]]),
  },
  dark: {
    '--mantine-color-body': '#18181D',
    '--mantine-color-text': dark[0],
    '--mantine-color-dimmed': dark[2],
    '--mantine-color-placeholder': '#8E8E9C',
    '--mantine-color-default-border': '#3A3A45',
    '--mantine-color-error': lost[3],
    '--ll-canvas': '#101014',
    '--ll-panel': '#18181D',
    '--ll-raised': '#212128',
    '--ll-sunk': '#141419',
    '--ll-hover': '#222229',
    '--ll-line': '#292931',
    '--ll-line-2': '#3A3A45',
    '--ll-text': dark[0],
    '--ll-text-2': dark[1],
    '--ll-text-3': dark[2],
    '--ll-sel': '#22264A',
    '--ll-accent': iris[5],
    '--ll-accent-text': iris[3],
    '--ll-ink': '#23263F',
    '--ll-ink-2': '#31355A',
    '--ll-ink-dim': '#B4B8D6',
    '--ll-shadow': 'none',
    '--ll-float': '0 0 0 1px #34343F',
    ...outcome('won', ['#12291D', won[3], '#35A069', '#1F4A33']),
    ...outcome('call_back', ['#2C2210', callback[3], '#D69B2E', '#57431A']),
    ...outcome('lost', ['#311A1B', lost[3], '#C65353', '#5C2C2D']),
    ...outcome('archived', ['#24242B', dark[1], '#737382', '#3A3A45']),
    ...outcome('new', ['#1E213D', iris[3], iris[5], '#3B4280']),
  },
};

/** What the kit would write into every page as it opens, written once, at the build. */
export function writeThemeCss(): string {
  const kit = defaultCssVariablesResolver(mergeMantineTheme(DEFAULT_THEME, theme));
  const light = { '--mantine-color-scheme': 'light', ...kit.light, ...variables.light };
  return convertCssVariables(
    { variables: kit.variables, light, dark: { '--mantine-color-scheme': 'dark', ...kit.dark, ...variables.dark } },
    ':root',
  );
}
