import { useEffect, useRef, useState } from 'react';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import { useSession } from '../../session.ts';

export const LONGEST_SCRIPT = 100_000;
const KEEP_AFTER_MS = 400;

type Draft = { text: string; seen: number };

function read(key: string): Draft | undefined {
  try {
    return JSON.parse(localStorage.getItem(key) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
}

/** A browser that has no room for it keeps none. */
function keep(key: string, draft: Draft): void {
  try {
    localStorage.setItem(key, JSON.stringify(draft));
  } catch {
    localStorage.removeItem(key);
  }
}

type Scripted = Pick<ListWithSettings, 'id' | 'description' | 'versions'>;

const asSaved = ({ description, versions }: Scripted): Draft => ({ text: description, seen: versions.script ?? 0 });

/** The script as it is being written, from the version it was begun with. It is kept in the browser until it is saved or given up. */
export function useScriptDraft(list: Scripted) {
  const { user } = useSession();
  const key = `leadline script ${user.id} ${list.id}`;
  const [draft, setDraft] = useState(() => read(key) ?? asSaved(list));
  const isChanged = draft.text !== list.description;
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  // What a colleague saved shows, where nothing was begun here.
  const before = useRef(list.description);
  useEffect(() => {
    if (draft.text === before.current || !isChanged) setDraft(asSaved(list));
    before.current = list.description;
  }, [list.description, list.versions.script]);
  useEffect(() => {
    clearTimeout(timer.current);
    if (isChanged) timer.current = setTimeout(() => keep(key, draft), KEEP_AFTER_MS);
    else localStorage.removeItem(key);
  }, [draft, isChanged]);
  // Whoever leaves within that time has it kept, too.
  const last = useRef({ draft, isChanged });
  last.current = { draft, isChanged };
  useEffect(() => () => void (last.current.isChanged && keep(key, last.current.draft)), [key]);
  return {
    ...draft,
    write: (text: string) => setDraft((now) => ({ ...now, text })),
    /** Goes on from what is saved, and drops what was written. */
    begin: (saved: Scripted) => setDraft(asSaved(saved)),
    /** What was written is saved; more may have been written meanwhile. */
    follow: (saved: Scripted) => setDraft((now) => ({ ...now, seen: asSaved(saved).seen })),
  };
}
