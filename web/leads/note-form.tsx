import { useMutation } from '@tanstack/react-query';
import { useState, type KeyboardEvent } from 'react';
import { doOnce, queries } from '../api.ts';
import { useRight } from '../session.ts';
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
  const [note, setNote] = useState('');
  const adding = useMutation({
    mutationFn: () => saveSurely(() => doOnce(`/leads/${leadId}/comments`, { comment: note.trim() })),
    onSuccess: () => {
      setNote('');
      return queries.invalidateQueries({ queryKey: ['lead', leadId] });
    },
    onError: (error) => aboutLead(leadId).tellFailure(error),
  });
  if (!may) return null;
  const add = () => {
    if (note.trim() !== '' && !adding.isPending) adding.mutate();
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
