import { ask } from '../api.ts';
import { midSentence, sayWhen } from '../times.ts';
import { OUTCOMES } from '../ui/states.tsx';
import type { Draft } from './draft.ts';

/** Away from the desk there is neither. */
type AtDesk = { hangUp?: (() => Promise<void>) | undefined; textSent?: () => void };

/**
 * Sends what was chosen and written: the outcome with its note, or the note alone. Then whoever is still on the line is hung up on. Sent again
 * after a failure, what had succeeded is not done twice.
 */
export async function saveDraft(leadId: number, draft: Draft, { hangUp, textSent }: AtDesk = {}): Promise<void> {
  const { outcome, category, at, exactly, asText, key } = draft;
  const note = draft.note.trim();
  const send = asText && note !== '';
  if (send) {
    await ask('POST', `/leads/${leadId}/texts`, { text: { body: note } }, key);
    textSent?.();
  }
  const comment = send ? '' : note;
  if (!outcome) {
    if (comment) await ask('POST', `/leads/${leadId}/comments`, { comment }, key);
    return;
  }
  // The outcome first: while connected it says what kind of call it was.
  const said = { ...(category && { category }), ...(comment && { comment }) };
  if (outcome === 'skip') await ask('POST', `/leads/${leadId}/skip`, { lead: said }, key);
  else {
    const when = outcome === 'call_back' && at ? { scheduled_for: at, exactly } : {};
    await ask('POST', `/leads/${leadId}/${outcome}`, { lead: { ...said, ...when } }, key);
  }
  // Saved it is; that the line did not let go is told where it happened.
  await hangUp?.().catch(() => undefined);
}

/** As a notice says it: `Call back saved for Thu 19 Nov, 9:00`. */
export function sayDone({ outcome, at }: Draft): string {
  if (!outcome) return 'Saved';
  if (outcome === 'skip') return 'Skipped for this round';
  return `${OUTCOMES[outcome].word} saved${outcome === 'call_back' && at ? ` for ${midSentence(sayWhen(at))}` : ''}`;
}
