import { keysRest } from '../keys.ts';
import { offer } from '../ui/offer.tsx';

type Asked = { id: string; title: string; message: string; act: string; stays?: boolean };

/**
 * On to another lead though nobody asked for it. Whoever is typing is asked: their next letters would be keys there, and one of them dials. So is
 * whoever owes the lead in hand an outcome. True: it went on.
 */
export function goOnUnlessTyping(go: () => void, asked: Asked, owes = false): boolean {
  const { activeElement } = document;
  const isFree = !owes && (!keysRest(activeElement) || isUntouched(activeElement));
  if (isFree) go();
  else offer({ ...asked, onAct: go });
  return isFree;
}

/** A form that an empty list shows of itself, and in which nothing is written yet. */
function isUntouched(target: Element | null): boolean {
  const fields = target?.closest('[data-yields]')?.querySelectorAll<HTMLInputElement>('input, textarea, select');
  return fields !== undefined && [...fields].every(({ value }) => value === '');
}
