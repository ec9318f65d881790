import { useEffect, useState } from 'react';
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
};

export const BLANK: Draft = {
  outcome: undefined,
  category: undefined,
  at: undefined,
  exactly: true,
  note: '',
  asText: false,
};

const keyOf = (leadId: number) => `leadline draft ${leadId}`;

function read(leadId: number): Draft {
  try {
    return { ...BLANK, ...(JSON.parse(localStorage.getItem(keyOf(leadId)) ?? '{}') as Partial<Draft>) };
  } catch {
    return BLANK;
  }
}

export const keepDraft = (leadId: number, draft: Draft) => localStorage.setItem(keyOf(leadId), JSON.stringify(draft));

export const forgetDraft = (leadId: number) => localStorage.removeItem(keyOf(leadId));

/** Survives a reload. */
export function useDraft(leadId: number): [Draft, (change: Partial<Draft>) => void] {
  const [kept, setKept] = useState(() => ({ leadId, draft: read(leadId) }));
  const draft = kept.leadId === leadId ? kept.draft : read(leadId);
  useEffect(() => {
    const isBlank = !draft.outcome && draft.note === '';
    if (isBlank) forgetDraft(leadId);
    else keepDraft(leadId, draft);
  }, [leadId, draft]);
  return [draft, (change) => setKept({ leadId, draft: { ...draft, ...change } })];
}
