import { notifications } from '@mantine/notifications';
import { useEffect, useState } from 'react';
import { isGone, Refused } from '../api.ts';
import { nameOpen } from '../leads/queries.ts';
import { isSomeoneThere, useSignsOfLife } from '../leads/signs-of-life.ts';
import { notice } from '../ui/notices.ts';
import { goOnUnlessTyping } from './going-on.ts';

export const NOT_YOURS = 'This lead was deleted, or is not yours any more.';

type Owed = {
  /** Nothing is said of it meanwhile: in a moment it is not open any more. */
  isSaving: boolean;
  /** In a call it stays, whoever has it now. */
  isTalking: boolean;
  /** It was talked to. */
  waits: boolean;
  /** Something is chosen or written. */
  isWritten: boolean;
  /** Why it is lost with its list. */
  why: string | undefined;
};

type Ways = {
  /** On to another lead. */
  goOn: () => void;
  /** It is part of another now. */
  merged: () => void;
};

/**
 * The lead in hand is lost: someone else has it, it was deleted or moved. Nobody is led away from a call, or from an outcome that is not saved
 * yet: what they say next would be about another lead. `lapsed`: nobody was here for so long that it was let go.
 */
export function useLoss(leadId: number, { isSaving, isTalking, waits, isWritten, why }: Owed, { goOn, merged }: Ways) {
  const [lapsed, setLapsed] = useState(false);
  // Another with each sign of life that is refused: whoever was typing may have ended.
  const [loss, setLoss] = useState<{ why: string }>();
  useEffect(() => {
    if (why) setLoss({ why });
  }, [why]);
  useSignsOfLife(isSaving ? 0 : leadId, (error) => {
    // Whoever is taken off its list may finish it, but has to know.
    if (error === undefined && !why) setLoss(undefined);
    if (!(error instanceof Refused) || (error.status !== 409 && error.status !== 404)) return;
    if (error.code === 'merged') return merged();
    if (error.code !== 'hold_ended' || isSomeoneThere()) {
      const said = isGone(error) ? (why ?? NOT_YOURS) : error.message;
      // In a call nobody can go on, and what was closed stays so.
      return setLoss((now) => (isTalking && now?.why === said ? now : { why: said }));
    }
    // A page that is left alone takes no other lead.
    if (!isTalking && !waits) setLapsed(true);
  });
  const id = `${isTalking ? 'lost in a call' : 'lost'}: ${loss?.why}`;
  useEffect(() => () => void notifications.hide(id), [id]);
  useEffect(() => {
    if (!loss) return;
    const name = nameOpen(leadId);
    if (isTalking) {
      notice(`${loss.why} It stays here until you have hung up. What you write is kept.`, name, {
        id,
        autoClose: false,
      });
      return;
    }
    // It is left now; what is said of it names it.
    const asked = {
      id,
      title: loss.why,
      message: isWritten ? `${name}. What you wrote is kept.` : name,
      act: 'Go on',
      stays: true,
    };
    if (goOnUnlessTyping(goOn, asked, waits || isWritten)) notice(loss.why, name);
  }, [loss, isTalking]);
  return { isLost: loss !== undefined, lapsed, comeBack: () => setLapsed(false) };
}
