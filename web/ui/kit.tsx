import '@mantine/core/styles.layer.css';
import { MantineProvider, type MantineColorSchemeManager } from '@mantine/core';
import type { ReactNode } from 'react';
import { keepScheme, readScheme, watchScheme } from '../scheme.ts';
import { theme } from '../theme.ts';

const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// What locks scrolling behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

function keepSchemes(): MantineColorSchemeManager {
  let stop: (() => void) | undefined;
  return {
    get: readScheme,
    set: keepScheme,
    clear: () => keepScheme('auto'),
    subscribe: (hear) => (stop = watchScheme(hear)),
    unsubscribe: () => stop?.(),
  };
}

/** Around whatever is made of Mantine's components. Their colours are in a style sheet already. */
export const Kit = ({ children }: { children: ReactNode }) => (
  <MantineProvider
    theme={theme}
    withCssVariables={false}
    withGlobalClasses={false}
    defaultColorScheme="auto"
    colorSchemeManager={keepSchemes()}
    getStyleNonce={() => nonce}
  >
    {children}
  </MantineProvider>
);
