import { Switch, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { Shows, View } from '../../../contract/lead-table.ts';
import { useRight } from '../../session.ts';
import { Button } from '../../ui/button.tsx';
import { Confirm, Dialog, DialogFoot, useIsHere } from '../../ui/dialog.tsx';
import { Fault, Form, restOf, useFaults } from '../../ui/form.tsx';
import { tellFailure } from '../../ui/notices.ts';
import { changeView, deleteView, saveNew } from './view-queries.ts';

export const WHO_SHARES = 'Supervisors, data managers and owners share views.';

const LABELS = { name: 'Name' };

type Props = {
  /** The one to be renamed; none: a new one. */
  view?: View;
  shows: Shows;
  close: () => void;
  done: (view: View) => void;
};

/** A name for what is shown. */
export function ViewDialog({ view, shows, close, done }: Props) {
  const shares = useRight('leads.bulk');
  const [name, setName] = useState(view?.name ?? '');
  const [shared, setShared] = useState(view?.shared ?? false);
  const isHere = useIsHere(true);
  const saving = useMutation({
    mutationFn: () =>
      view
        ? changeView(view.id, { name: name.trim(), ...(shared !== view.shared && { shared }) })
        : saveNew({ name: name.trim(), shared, shows }),
    onSuccess: (saved) => {
      // Whoever closed it meanwhile looks at something else by now.
      if (!isHere()) return;
      close();
      done(saved);
    },
    onError: (error) => isHere() || tellFailure(error),
  });
  const faults = useFaults(saving.error, LABELS, { name });
  return (
    <Dialog opened onClose={close} title={view ? `Rename ${view.name}` : 'Save as a view'}>
      <Form asking={saving}>
        <TextInput
          label={LABELS.name}
          required
          data-autofocus
          autoComplete="off"
          maxLength={100}
          value={name}
          error={faults.name}
          onChange={({ currentTarget: { value } }) => setName(value)}
        />
        <Switch
          label="Share it"
          description={shares ? 'Everyone sees it, each with the leads that are theirs to see.' : WHO_SHARES}
          disabled={!shares}
          checked={shared}
          onChange={({ currentTarget: { checked } }) => setShared(checked)}
        />
        <Fault error={restOf(saving.error, LABELS)} />
        <DialogFoot>
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={saving.isPending}>
            {view ? 'Save' : 'Save the view'}
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}

/** The leads stay as they are. */
export const DeleteView = ({ view, close, done }: { view: View; close: () => void; done: () => void }) => (
  <Confirm
    opened
    close={close}
    title={`Delete the view ${view.name}?`}
    safe="Keep it"
    verb="Delete the view"
    act={(isHere) => deleteView(view.id, () => isHere() && done())}
  >
    <p>{view.shared ? 'It is gone for everyone. ' : ''}The leads stay as they are. This cannot be undone.</p>
  </Confirm>
);
