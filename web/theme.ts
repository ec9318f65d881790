import { createTheme, type CSSVariablesResolver, type MantineColorsTuple } from '@mantine/core';

const tuple = (steps: string): MantineColorsTuple =>
  steps.split(' ').map((step) => `#${step}`) as unknown as MantineColorsTuple;

const iris = tuple('F0F2FE E3E7FD C9D0FA A9B4F6 8594F0 6675E6 4E5BD8 414BBD 363F9B 2B3278');
const won = tuple('E9F7EF D3EEDE A9DDBF 7CCB9D 52B87D 2FA464 1B8850 126E3F 0F5733 0B4127');
const callback = tuple('FEF5E1 FCE9BF F8D58A F3BF53 ECA92B D98F0B B57304 8A5600 6B4300 4E3100');
const lost = tuple('FDEEEE FADCDC F4B9B9 EC9393 E26C6C D54A4A C13535 A32828 822121 611919');
const gray = tuple('FAFAFB F4F4F7 ECECF1 E1E1E8 CBCBD5 9E9EAC 6B6B7A 50505D 373741 1B1B22');
const dark = tuple('EDEDF2 C6C6D0 9E9EAC 737382 34343F 2B2B34 222229 1A1A20 131318 0D0D11');

const rem = (pixels: number) => `${pixels / 16}rem`;

export const theme = createTheme({
  fontFamily: '"Inter Variable", Inter, system-ui, sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace',
  fontSizes: { xs: rem(11), sm: rem(12), md: rem(13), lg: rem(14), xl: rem(16) },
  lineHeights: { xs: rem(16), sm: rem(16), md: rem(20), lg: rem(22), xl: rem(24) },
  spacing: { xs: rem(4), sm: rem(8), md: rem(12), lg: rem(16), xl: rem(24) },
  radius: { xs: rem(4), sm: rem(6), md: rem(8), lg: rem(12), xl: rem(16) },
  defaultRadius: 'sm',
  primaryColor: 'iris',
  primaryShade: 6,
  cursorType: 'pointer',
  respectReducedMotion: true,
  colors: { iris, won, callback, lost, gray, dark },
  // By name: a component that is named by its value loads with the first page, shown or not.
  components: {
    Tooltip: { defaultProps: { openDelay: 400 } },
    Menu: { defaultProps: { withInitialFocusPlaceholder: false, shadow: 'none' }, classNames: { dropdown: 'float' } },
    Button: { defaultProps: { size: 'sm' } },
    ActionIcon: { defaultProps: { variant: 'subtle', color: 'gray', size: 28 } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
  },
});

/** Soft · text · solid · line of each outcome. Colour means an outcome or "act here", and nothing else. */
const outcome = (name: string, [soft, text, solid, line]: [string, string, string, string]) => ({
  [`--${name}-soft`]: soft,
  [`--${name}-text`]: text,
  [`--${name}`]: solid,
  [`--${name}-line`]: line,
});

/** Components use only these. */
export const resolver: CSSVariablesResolver = () => ({
  variables: {},
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
});
