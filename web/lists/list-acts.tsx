import { TextInput } from '@mantine/core';
import { notifications } from '@mantine/notifications';
import {
  IconArchive,
  IconArchiveOff,
  IconArrowRight,
  IconCopy,
  IconHistory,
  IconPlayerPause,
  IconPlayerPlay,
  IconSettings,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react';
import { useMutation } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListAtPages, ListChange } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { ask, queries } from '../api.ts';
import { WHO_IMPORTS } from '../importing.tsx';
import { useRight } from '../session.ts';
import { sayWhenWithin } from '../times.ts';
import type { Action } from '../ui/actions.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogFoot, useIsHere } from '../ui/dialog.tsx';
import { Fault, Form, restOf, useFaults } from '../ui/form.tsx';
import { notice, tellFailure } from '../ui/notices.ts';
import { offer } from '../ui/offer.tsx';
import { changeList, lookAgain } from './change-list.ts';
import { listQuery, sayLeads } from './queries.ts';

type Named = Pick<ListAtPages, 'id' | 'name'>;
export type Standing = Named & Pick<ListAtPages, 'paused' | 'archived' | 'leads_count'>;

export const WHO_CHANGES = 'Data managers and owners change lists.';

/** Without what was seen: it comes to the same whoever else has asked for it. */
async function stand({ id }: Named, change: Pick<ListChange, 'paused' | 'archived'>): Promise<void> {
  queries.setQueryData(listQuery(id).queryKey, await changeList(id, change));
  lookAgain(id);
}

type Step = { change: Pick<ListChange, 'paused' | 'archived'>; said: string; follows: string };

/** At once, with a notice that takes it back. */
async function standAndTell(list: Named, { change, said, follows }: Step): Promise<void> {
  const id = `standing ${list.id}`;
  const back = Object.fromEntries(Object.entries(change).map(([name, value]) => [name, !value]));
  try {
    await stand(list, change);
    // What was said before is not so any more.
    notifications.hide(id);
    offer({
      id,
      title: `${list.name} ${said}`,
      message: follows,
      act: 'Undo',
      onAct: () => void stand(list, back).catch(tellFailure),
    });
  } catch (error) {
    tellFailure(error);
  }
}

export const pause = (list: Named) =>
  standAndTell(list, {
    change: { paused: true },
    said: 'is paused.',
    follows: 'No lead comes from it. Whoever has one open may finish it.',
  });

export const resume = (list: Named) =>
  standAndTell(list, { change: { paused: false }, said: 'goes on.', follows: 'Its leads come to the desks again.' });

const archive = (list: Named) =>
  standAndTell(list, {
    change: { archived: true },
    said: 'is archived.',
    follows: 'It is in nobody’s queue, and stands under Archived.',
  });

const unarchive = (list: Named) =>
  standAndTell(list, {
    change: { archived: false },
    said: 'is back from the archive.',
    follows: 'Agents see it again.',
  });

export async function bringBack({ id, name }: Named): Promise<void> {
  await ask('POST', `/lists/${id}/restore`);
  lookAgain(id);
  notice('It is as it was, with all its leads.', `${name} is back.`);
}

/** What can be done with a list, and the question that deleting asks. */
export function useListActs(afterwards?: () => void) {
  const writes = useRight('lists.write');
  const imports = useRight('leads.import');
  const navigate = useNavigate();
  const [deleted, setDeleted] = useState<Standing>();
  const reason = writes ? undefined : WHO_CHANGES;
  const ofStanding = (list: Standing): Action[] => [
    list.paused
      ? { name: 'Resume', icon: IconPlayerPlay, reason, act: () => void resume(list) }
      : { name: 'Pause', icon: IconPlayerPause, reason, act: () => void pause(list) },
  ];
  const ofPlaces = ({ id }: Standing): Action[] => [
    { name: 'Open', icon: IconArrowRight, act: () => void navigate({ to: paths.list(id) }) },
    {
      name: 'Settings',
      icon: IconSettings,
      act: () => void navigate({ to: paths.listSettings(id, 'fields') }),
    },
  ];
  const ofAll = (list: Standing): Action[] => [
    {
      name: 'Import a file',
      icon: IconUpload,
      reason: imports ? undefined : WHO_IMPORTS,
      act: () => void navigate({ to: paths.newImport, search: { list: list.id } as never }),
    },
    {
      name: 'Imports',
      icon: IconHistory,
      reason: imports ? undefined : WHO_IMPORTS,
      act: () => void navigate({ to: paths.imports, search: { list: list.id } as never }),
    },
    {
      name: 'Copy',
      icon: IconCopy,
      reason,
      act: () => void navigate({ to: paths.newList, search: { from: list.id } as never }),
    },
    list.archived
      ? { name: 'Take out of the archive', icon: IconArchiveOff, reason, act: () => void unarchive(list) }
      : { name: 'Archive', icon: IconArchive, reason, act: () => void archive(list) },
    { name: 'Delete', icon: IconTrash, reason, act: () => setDeleted(list) },
  ];
  const question = (
    <DeleteDialog key={deleted?.id} list={deleted} close={() => setDeleted(undefined)} done={afterwards} />
  );
  return { ofPlaces, ofStanding, ofAll, question };
}

const sayGoing = (leads: number) => `${sayLeads(leads)} ${leads === 1 ? 'goes' : 'go'}`;

const WEEK_MS = 7 * 86_400_000;

type DeleteProps = { list: Standing | undefined; close: () => void; done: (() => void) | undefined };

function DeleteDialog({ list, close, done }: DeleteProps) {
  const [name, setName] = useState('');
  const until = sayWhenWithin(new Date(Date.now() + WEEK_MS));
  const isHere = useIsHere(list !== undefined);
  const deleting = useMutation({
    mutationFn: ({ id }: Standing) => ask('DELETE', `/lists/${id}`, { list: { name: name.trim() } }),
    onSuccess: (_, gone) => {
      // Whoever closed it meanwhile is somewhere else by now.
      if (isHere()) {
        close();
        done?.();
      }
      lookAgain(gone.id);
      offer({
        id: `deleted ${gone.id}`,
        title: `${gone.name} was deleted.`,
        message: `It can be brought back until ${until}.`,
        act: 'Bring back',
        onAct: () => void bringBack(gone).catch(tellFailure),
      });
    },
    onError: (error) => isHere() || tellFailure(error),
  });
  const labels = { name: 'The name' };
  const faults = useFaults(deleting.error, labels, { name });
  if (!list) return null;
  return (
    <Dialog opened onClose={close} title={`Delete ${list.name}`}>
      <Form asking={{ ...deleting, mutate: () => deleting.mutate(list) }}>
        <p className="said-before">
          {list.leads_count > 0 && `${sayGoing(list.leads_count)} with it, with all that happened. `}
          Agents lose it at once, and programs do not find it any more. It can be brought back whole until {until}, then
          it is gone for good.
        </p>
        <TextInput
          label="Its name, to be sure"
          placeholder={list.name}
          autoComplete="off"
          value={name}
          error={faults.name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
        <Fault error={restOf(deleting.error, labels)} />
        <DialogFoot>
          <Button variant="default" data-autofocus disabled={deleting.isPending} onClick={close}>
            Keep the list
          </Button>
          <Button variant="danger" type="submit" loading={deleting.isPending}>
            Delete the list
          </Button>
        </DialogFoot>
      </Form>
    </Dialog>
  );
}
