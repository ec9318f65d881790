import { createTheme, type MantineColorsTuple } from '@mantine/core';

const tuple = (steps: string): MantineColorsTuple =>
  steps.split(' ').map((step) => `#${step}`) as unknown as MantineColorsTuple;

export const colours = {
  iris: tuple('F0F2FE E3E7FD C9D0FA A9B4F6 8594F0 6675E6 4E5BD8 414BBD 363F9B 2B3278'),
  won: tuple('E9F7EF D3EEDE A9DDBF 7CCB9D 52B87D 2FA464 1B8850 126E3F 0F5733 0B4127'),
  callback: tuple('FEF5E1 FCE9BF F8D58A F3BF53 ECA92B D98F0B B57304 8A5600 6B4300 4E3100'),
  lost: tuple('FDEEEE FADCDC F4B9B9 EC9393 E26C6C D54A4A C13535 A32828 822121 611919'),
  gray: tuple('FAFAFB F4F4F7 ECECF1 E1E1E8 CBCBD5 9E9EAC 6B6B7A 50505D 373741 1B1B22'),
  dark: tuple('EDEDF2 C6C6D0 9E9EAC 737382 34343F 2B2B34 222229 1A1A20 131318 0D0D11'),
};

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
  colors: colours,
  // By name: a component that is named by its value loads with the first page, shown or not.
  components: {
    Tooltip: { defaultProps: { openDelay: 400 } },
    TextInput: { defaultProps: { size: 'sm' } },
    Select: { defaultProps: { size: 'sm' } },
  },
});
