import { createContext } from 'react';
import type { Whereabouts } from '../../contract/calls.ts';

/** Where the lead is, and the country of the account: for times that are said and typed. */
export const Place = createContext<{ country?: string | undefined; there?: Whereabouts | undefined }>({});
