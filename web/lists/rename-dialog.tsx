import { TextInput } from '@mantine/core';
import { useState } from 'react';
import type { ListWithSettings } from '../../contract/list-pages.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Fault, Form, restOf, useFaults } from '../ui/form.tsx';
import { useListChange } from './change-list.ts';
import { Clash } from './clash.tsx';

const LABELS = { name: 'Name', purpose: 'What it is for' };

export function RenameDialog({ list, close }: { list: ListWithSettings; close: () => void }) {
  // What it is changed from is what was there when it was opened, whatever comes meanwhile.
  const [before, setBefore] = useState(list);
  const [typed, setTyped] = useState({ name: list.name, purpose: list.purpose });
  const saving = useListChange(list, close);
  const faults = useFaults(saving.error, LABELS, typed);
  const showTheirs = (theirs: ListWithSettings) => {
    setBefore(theirs);
    setTyped({ name: theirs.name, purpose: theirs.purpose });
  };
  return (
    <Dialog opened onClose={close} title={`Rename ${before.name}`}>
      <Form asking={{ ...saving, mutate: () => saving.save(typed, before.versions) }}>
        <TextInput
          label={LABELS.name}
          required
          data-autofocus
          autoComplete="off"
          value={typed.name}
          error={faults.name}
          onChange={({ currentTarget: { value: name } }) => setTyped((now) => ({ ...now, name }))}
        />
        <TextInput
          label={LABELS.purpose}
          autoComplete="off"
          value={typed.purpose}
          error={faults.purpose}
          onChange={({ currentTarget: { value: purpose } }) => setTyped((now) => ({ ...now, purpose }))}
        />
        <Clash saving={saving} showTheirs={showTheirs} />
        <Fault error={restOf(saving.error, LABELS)} />
        <DialogFoot>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            Save
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}
