import type { CountryCode } from 'libphonenumber-js/max';
import type { Whereabouts } from '../../contract/calls.ts';
import { countryOf, parse } from './phones.ts';
import written from './zones.json' with { type: 'json' };

const LONGEST_NUMBER = 40;
/** Numbers that belong to no place, though their first digits are those of a country. */
const ANYWHERE = new Set(['TOLL_FREE', 'PREMIUM_RATE', 'SHARED_COST', 'VOIP', 'PERSONAL_NUMBER', 'PAGER', 'UAN']);

let zonesByStart: Map<string, string[]> | undefined;

/** Read when it is first asked for: a service that shows nobody a number needs none of it. */
const zonesOf = (digits: string): string[] => {
  zonesByStart ??= new Map(
    Object.entries(written).flatMap(([zones, starts]) =>
      starts.split(' ').map((start) => [start, zones.split('&')] as const),
    ),
  );
  for (let end = digits.length; end > 0; end -= 1) {
    const zones = zonesByStart.get(digits.slice(0, end));
    if (zones) return zones;
  }
  return [];
};

/** Where a number is, as far as its digits tell. Of several zones the one of the account, then the one most of that country's numbers are in. */
export function whereIs(text: string, country: string, own: string): Whereabouts | undefined {
  if (text.length > LONGEST_NUMBER) return undefined;
  const number = parse(text, country as CountryCode);
  if (!number?.isPossible() || ANYWHERE.has(number.getType() ?? '')) return undefined;
  const zones = zonesOf(number.number.slice(1));
  const calling = number.countryCallingCode;
  const zone = zones.includes(own) ? own : mostUsed(zones, calling);
  if (zone === undefined) return undefined;
  const isElsewhere = (other: string) => !isAlike(other, zone);
  const differs = zonesOf(calling).some(isElsewhere);
  const there = countryOf(number);
  return {
    zone,
    place: differs || !there ? cityOf(zone) : COUNTRIES.of(there)!,
    others: zones.filter(isElsewhere),
  };
}

/** A time zone that is written down, which says more than a number does. */
export function placeOf(said: string | null | undefined): Whereabouts | undefined {
  const zone = said?.trim() ?? '';
  if (zone.length > LONGEST_NUMBER || !/^[A-Z]\w+\/[\w/+-]+$/.test(zone)) return undefined;
  return zonesThere.has(zone) ? { zone, place: cityOf(zone), others: [] } : undefined;
}

const zonesThere = new Set(Intl.supportedValuesOf('timeZone'));

const cityOf = (zone: string): string => zone.slice(zone.lastIndexOf('/') + 1).replaceAll('_', ' ');

const COUNTRIES = new Intl.DisplayNames('en', { type: 'region' });

/** The one that has most of the country's numbers for itself: a beginning one digit longer stands for a tenth of them. */
function mostUsed(zones: string[], calling: string): string | undefined {
  const numbersOf = (zone: string) =>
    ((written as Record<string, string>)[zone]?.split(' ') ?? [])
      .filter((start) => start.startsWith(calling))
      .reduce((sum, start) => sum + 10 ** -start.length, 0);
  return zones.length < 2 ? zones[0] : zones.toSorted((one, other) => numbersOf(other) - numbersOf(one))[0];
}

const alike = new Map<string, boolean>();

/** Whether two zones have the same time, in summer and in winter. */
function isAlike(one: string, other: string): boolean {
  const pair = `${one} ${other}`;
  const known = alike.get(pair);
  if (known !== undefined) return known;
  const year = new Date().getFullYear();
  const found = [0, 6].every((month) => {
    const day = new Date(Date.UTC(year, month, 15, 12));
    return timeIn(one, day) === timeIn(other, day);
  });
  alike.set(pair, found);
  return found;
}

const timeIn = (timeZone: string, at: Date): string =>
  at.toLocaleString('en-GB', { timeZone, dateStyle: 'short', timeStyle: 'short' });
