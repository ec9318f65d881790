import { useMutation } from '@tanstack/react-query';
import { useRef, type KeyboardEvent } from 'react';
import { doOnce, queries } from '../api.ts';
import { forgetNote, useDraft } from '../outcomes/draft.ts';
import { useRight, useSession } from '../session.ts';
import { Button } from '../ui/button.tsx';
import { foot } from '../ui/foot.ts';
import { saveSurely } from '../ui/saving.ts';
import { Note } from '../ui/note.tsx';
import { aboutLead } from './queries.ts';
import '../ui/panel.css';
import './note-form.css';

/** Something to remember about the lead, without an outcome. */
export function NoteForm({ leadId }: { leadId: number }) {
  const may = useRight('leads.outcome');
  const { user } = useSession();
  const about = { userId: user.id, leadId };
  // Kept as at the desk: whoever opens another lead, or calls, finds it again.
  const [{ note }, write] = useDraft(about);
  const setNote = (written: string) => write({ note: written });
  const latest = useRef(note);
  latest.current = note;
  const adding = useMutation({
    mutationFn: async (sent: string) => {
      await doOnce(`/leads/${leadId}/comments`, { comment: sent.trim() }, saveSurely);
      forgetNote(about, sent);
    },
    onSuccess: (_, sent) => {
      // What was written on meanwhile stays.
      if (latest.current === sent) setNote('');
      return queries.invalidateQueries({ queryKey: ['lead', leadId] });
    },
    onError: (error) => aboutLead(leadId).tellFailure(error),
  });
  if (!may) return null;
  const add = () => {
    if (note.trim() !== '' && !adding.isPending) adding.mutate(note);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (event.key === 'Escape') event.currentTarget.blur();
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      add();
    }
  };
  return (
    <section ref={foot} className="panel note-form" aria-label="Note">
      <Note
        aria-label="Note"
        rows={note === '' ? 1 : 3}
        maxLength={10_000}
        placeholder="Add a note"
        value={note}
        onChange={(event) => setNote(event.currentTarget.value)}
        onKeyDown={onKeyDown}
      />
      {note.trim() !== '' && (
        <Button loading={adding.isPending} onClick={add}>
          Add the note
        </Button>
      )}
    </section>
  );
}
