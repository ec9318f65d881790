import { createHash } from 'node:crypto';
import type { Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
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

const REMOVE = sql('leads/marks.remove')`
  delete from lead_marks where account_id = $1 and lead_id = $2 and mark = any ($3::text[])`;
const ADD = sql('leads/marks.add')`
  insert into lead_marks (account_id, lead_id, list_id, mark)
  select $1, $2, $3, mark from unnest($4::text[]) as m (mark)`;
const MOVE = sql('leads/marks.move')`
  update lead_marks set list_id = $3 where account_id = $1 and lead_id = $2 and mark = any ($4::text[])`;

export type Marked = { list_id: number; marks: string[] };

/** From the marks a lead had, in the list it was in, to those it has now. */
export function changeMarks(accountId: number, leadId: number, former: Marked, now: Marked): Statement[] {
  const gone = former.marks.filter((mark) => !now.marks.includes(mark));
  const added = now.marks.filter((mark) => !former.marks.includes(mark));
  const moved = former.list_id === now.list_id ? [] : now.marks.filter((mark) => former.marks.includes(mark));
  return [
    ...(gone.length > 0 ? [{ text: REMOVE, values: [accountId, leadId, gone] }] : []),
    ...(added.length > 0 ? [{ text: ADD, values: [accountId, leadId, now.list_id, added] }] : []),
    ...(moved.length > 0 ? [{ text: MOVE, values: [accountId, leadId, now.list_id, moved] }] : []),
  ];
}
