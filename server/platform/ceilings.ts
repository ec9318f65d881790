import { Counter } from 'prom-client';

/** How often something was refused because an account has as much of it as it allows itself. */
export const ceilingsReached = new Counter({
  name: 'leadline_ceilings_total',
  help: 'Refusals because a ceiling of the account was reached, by ceiling',
  labelNames: ['ceiling'],
  registers: [],
});
