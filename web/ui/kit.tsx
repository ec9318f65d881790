import '@mantine/core/styles.layer.css';
import './kit.css';
import { MantineProvider, type MantineColorSchemeManager } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { readScheme, watchScheme } from '../scheme.ts';
import { theme } from '../theme.ts';

/** For style elements that are written while a page is open. */
export const nonce = document.querySelector<HTMLMetaElement>('meta[name="style-nonce"]')?.content ?? '';

// What locks scrolling behind a dialog looks for it here.
Object.assign(globalThis, { __webpack_nonce__: nonce });

function keepSchemes(): MantineColorSchemeManager {
  let stop: (() => void) | undefined;
  return {
    get: readScheme,
    // What the kit hears it tells again; nobody chooses a scheme by its means.
    set: () => undefined,
    clear: () => undefined,
    subscribe: (hear) => (stop = watchScheme(hear)),
    unsubscribe: () => stop?.(),
  };
}

/** Around whatever is made of Mantine's components. Their colours are in a style sheet already. */
export function Kit({ children }: { children: ReactNode }) {
  const [manager] = useState(keepSchemes);
  return (
    <MantineProvider
      theme={theme}
      withCssVariables={false}
      withGlobalClasses={false}
      defaultColorScheme="auto"
      colorSchemeManager={manager}
      getStyleNonce={() => nonce}
    >
      {children}
    </MantineProvider>
  );
}
