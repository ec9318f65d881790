import { createHash } from 'node:crypto';
import type { Phone } from '../platform/phones.ts';
import type { ListColumn } from '../lists/columns.ts';

export type MatchingRules = {
  duplicates_match_on_phone: boolean;
  duplicates_match_on_email: boolean;
  duplicates_match_on: string;
};

/** What a lead says in one of its columns. */
export type Value = Pick<ListColumn, 'key' | 'label' | 'kind'> & { text: string; phone: Phone | undefined };

const LONGEST_MARK = 200;

/**
 * By what a lead is recognised elsewhere, per its list's settings: any phone column, any e-mail column, the chosen column. A pair in two
 * lists counts when both match on it, because only then both have the mark.
 */
export function markLead(list: MatchingRules, values: Value[]): string[] {
  const marks = new Set<string>();
  for (const { key, label, kind, text, phone } of values) {
    const value = text.trim();
    if (value === '') continue;
    if (phone && list.duplicates_match_on_phone) marks.add(`phone ${phone.normal}`);
    if (kind === 'email' && list.duplicates_match_on_email) marks.add(`email ${value.toLowerCase()}`);
    if (list.duplicates_match_on === key || list.duplicates_match_on === label) marks.add(`column ${key} ${value}`);
  }
  return [...marks].map(shorten);
}

const shorten = (mark: string): string =>
  mark.length <= LONGEST_MARK ? mark : `hash ${createHash('sha256').update(mark).digest('base64url')}`;
