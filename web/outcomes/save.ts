import type { ComingBack } from '../../contract/retries.ts';
import { ask, newKey } from '../api.ts';
import { midSentence, sayWhen } from '../times.ts';
import { saveSurely } from '../ui/saving.ts';
import { OUTCOMES } from '../ui/states.tsx';
import { sayComing } from './coming-back.tsx';
import type { Draft } from './draft.ts';

/** Away from the desk there is neither. */
type AtDesk = { hangUp?: (() => Promise<void>) | undefined; textSent?: () => void };

/**
 * Sends what was chosen and written: the outcome with its note, or the note alone. Then whoever is still on the line is hung up on. While the service does
 * not answer it is sent again, by itself; what had succeeded is not done twice: each step has a key of its own.
 */
export async function saveDraft(leadId: number, draft: Draft, { hangUp, textSent }: AtDesk = {}): Promise<void> {
  const { outcome, category, at, exactly, asText, key } = draft;
  const note = draft.note.trim();
  const own = key || newKey();
  const step = (what: string, body: unknown, name: string) =>
    saveSurely(() => ask('POST', `/leads/${leadId}/${what}`, body, `${own} ${name}`));
  const send = asText && note !== '';
  if (send) {
    await step('texts', { text: { body: note } }, 'text');
    textSent?.();
  }
  const comment = send ? '' : note;
  if (!outcome) {
    if (comment) await step('comments', { comment }, 'note');
    return;
  }
  // The outcome first: while connected it says what kind of call it was.
  const said = { ...(category && { category }), ...(comment && { comment }) };
  if (outcome === 'skip') await step('skip', { lead: said }, 'outcome');
  else {
    const when = outcome === 'call_back' && at ? { scheduled_for: at, exactly } : {};
    await step(outcome, { lead: { ...said, ...when } }, 'outcome');
  }
  // Saved it is; that the line did not let go is told where it happened.
  await hangUp?.().catch(() => undefined);
}

/** As a notice says it: `Call back saved for Thu 19 Nov, 9:00`. `coming`: what follows at the desk where no time was chosen. */
export function sayDone({ outcome, category, at }: Draft, coming?: ComingBack): string {
  if (!outcome) return 'Saved';
  if (outcome === 'skip') return 'Skipped for this round';
  const saved = `${OUTCOMES[outcome].word} saved`;
  if (outcome !== 'call_back') return saved;
  return saved + (at ? ` for ${midSentence(sayWhen(at))}` : sayComing(coming, category));
}
