import type { OpenCarrier } from './carrier.ts';
import { openSimulatedCarrier, SIMULATED } from './simulated/carrier.ts';

/** Every carrier there is, by what `CARRIER` says. */

/** What one needs of the machine it runs on. */
export type Site = {
  /** Where recordings arrive. */
  folder: string;
  /** Hears of recordings that could not be written, and says why in a few words. */
  fail: (error: unknown) => string;
};

type Choice = {
  /** As calls and texts remember it. */
  name: string;
  open: (site: Site) => OpenCarrier;
};

const simulated = (random: boolean): Choice => ({
  name: SIMULATED,
  open: (site) => (report, media) => openSimulatedCarrier(report, { ...site, media, random }),
});

export const CARRIERS = {
  simulated: simulated(false),
  'simulated-random': simulated(true),
};

export type CarrierName = keyof typeof CARRIERS;

export const isCarrier = (text: string): text is CarrierName => Object.hasOwn(CARRIERS, text);
