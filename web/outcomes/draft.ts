import { useEffect, useState } from 'react';
import { newKey } from '../api.ts';
import type { OutcomeName } from '../ui/states.tsx';

/** What has been chosen and written about a lead, and not saved yet. */
export type Draft = {
  outcome?: OutcomeName | undefined;
  category?: string | undefined;
  /** ISO 8601, or undefined: no time. */
  at?: string | undefined;
  exactly: boolean;
  note: string;
  /** The note is sent to the lead instead. */
  asText: boolean;
  /** Another with every change, unless it is given: sent again as it was, each step of it is done once. */
  key: string;
};

export const BLANK: Draft = {
  outcome: undefined,
  category: undefined,
  at: undefined,
  exactly: true,
  note: '',
  asText: false,
  key: '',
};

/** Whose it is, and about which lead: a browser may be several people's. `form`: where it is not the note and outcome of the desk. */
export type About = { userId: number; leadId: number; form?: 'set outcome' };

const FORMS: Pick<About, 'form'>[] = [{}, { form: 'set outcome' }];

const keyOf = ({ userId, leadId, form }: About) => ['leadline draft', userId, leadId, form].filter(Boolean).join(' ');

function read(about: About): Draft {
  try {
    return { ...BLANK, ...(JSON.parse(localStorage.getItem(keyOf(about)) ?? '{}') as Partial<Draft>) };
  } catch {
    return BLANK;
  }
}

export const keepDraft = (about: About, draft: Draft) => localStorage.setItem(keyOf(about), JSON.stringify(draft));

export const forgetDraft = (about: About) => localStorage.removeItem(keyOf(about));

export const isBlank = ({ outcome, note }: Draft) => !outcome && note === '';

export const hasDraft = (about: About): boolean => !isBlank(read(about));

/** What was said of a lead that was merged is said of the one it is part of now. */
export function carryDrafts(userId: number, gone: number, survivor: number): void {
  for (const form of FORMS) carryDraft({ userId, leadId: gone, ...form }, survivor);
}

function carryDraft(from: About, leadId: number): void {
  const to = { ...from, leadId };
  const [carried, there] = [read(from), read(to)];
  forgetDraft(from);
  if (isBlank(carried)) return;
  const isAlone = there.note === '';
  const note = isAlone ? carried.note : [there.note, carried.note].filter(Boolean).join('\n');
  keepDraft(to, { ...(carried.outcome ? carried : there), note, asText: isAlone && carried.asText, key: newKey() });
}

/** A note that was saved is done with, where it is still as it was sent. */
export function forgetNote(about: About, sent: string): void {
  const kept = read(about);
  if (kept.note !== sent) return;
  if (kept.outcome) keepDraft(about, { ...kept, note: '' });
  else forgetDraft(about);
}

/** The same of a whole draft. Answers whether it was. */
export function forgetSent(about: About, sent: Draft): boolean {
  const isSame = read(about).key === sent.key;
  if (isSame) forgetDraft(about);
  return isSame;
}

/** What is chosen once more as it was is still the same, under the same key. */
export function changeDraft(draft: Draft, change: Partial<Draft>): Draft {
  const isSame = Object.entries(change).every(([name, value]) => draft[name as keyof Draft] === value);
  return isSame ? draft : { ...draft, key: newKey(), ...change };
}

/** Survives a reload. Whoever shows it is drawn anew for another lead. */
export function useDraft(about: About): [Draft, (change: Partial<Draft>) => void] {
  const [draft, setDraft] = useState(() => read(about));
  const key = keyOf(about);
  useEffect(() => {
    if (isBlank(draft)) forgetDraft(about);
    else keepDraft(about, draft);
  }, [key, draft]);
  return [draft, (change) => setDraft((now) => changeDraft(now, change))];
}
