import { NativeSelect, Radio, TextInput } from '@mantine/core';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { ListAtPages, ListCopy } from '../../contract/list-pages.ts';
import { paths } from '../../contract/paths.ts';
import { doOnce, queries } from '../api.ts';
import { listsQuery } from '../lists.ts';
import { useRight } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { useIsHere } from '../ui/dialog.tsx';
import { Fault, Form, restOf, useFaults } from '../ui/form.tsx';
import { tellFailure } from '../ui/notices.ts';
import { Page } from '../ui/page.tsx';
import { Empty, Key } from '../ui/parts.tsx';
import { saveSurely } from '../ui/saving.ts';
import { WHO_CHANGES } from './list-acts.tsx';
import '../ui/panel.css';
import './new-list-page.css';

/** A campaign begins: its name, and what it begins with. Its fields come next. */
export function NewListPage() {
  const writes = useRight('lists.write');
  return (
    <Page title="New list" className="new-list">
      <section className="panel" aria-label="New list">
        {writes ? (
          <NewListForm />
        ) : (
          <Empty
            title="Your role does not make lists."
            action={
              <ButtonLink variant="default" href={paths.lists}>
                Back to the lists
              </ButtonLink>
            }
          >
            {WHO_CHANGES}
          </Empty>
        )}
      </section>
    </Page>
  );
}

const LABELS = { name: 'Name', purpose: 'What it is for' };

function NewListForm() {
  const navigate = useNavigate();
  const { from: preset } = useSearch({ strict: false });
  const lists = useQuery(listsQuery).data ?? [];
  const [typed, setTyped] = useState<ListCopy>({ name: '', purpose: '' });
  const [copies, setCopies] = useState(preset !== undefined);
  const [chosen, choose] = useState(preset);
  const from = copies ? (chosen ?? lists[0]?.id) : undefined;
  const isHere = useIsHere(true);
  const making = useMutation({
    mutationFn: () => doOnce<ListAtPages>(from ? `/lists/${from}/copy` : '/lists', { list: typed }, saveSurely),
    onSuccess: () => void queries.invalidateQueries({ queryKey: ['lists'] }),
    onError: (error) => isHere() || tellFailure(error),
  });
  // Whoever has left the form by then stays where they are.
  const make = () =>
    making.mutate(undefined, { onSuccess: ({ id }) => void navigate({ to: paths.listSettings(id, 'fields') }) });
  const faults = useFaults(making.error, LABELS, typed);
  const type = (part: Partial<ListCopy>) => setTyped((now) => ({ ...now, ...part }));
  return (
    <Form asking={{ ...making, mutate: make }}>
      <TextInput
        label={LABELS.name}
        required
        data-autofocus
        autoFocus
        autoComplete="off"
        placeholder="Fleet charging, UK"
        value={typed.name}
        error={faults.name}
        onChange={(event) => type({ name: event.currentTarget.value })}
      />
      <TextInput
        label={LABELS.purpose}
        description="A line under its name. It can be left empty."
        autoComplete="off"
        placeholder="Vans and lorries, 20 vehicles and up"
        value={typed.purpose ?? ''}
        error={faults.purpose}
        onChange={(event) => type({ purpose: event.currentTarget.value })}
      />
      <Radio.Group
        label="It begins with"
        value={copies ? 'list' : 'nothing'}
        onChange={(value) => setCopies(value === 'list')}
      >
        <div className="new-list-ways">
          <Radio
            value="nothing"
            label="The usual fields"
            description="Company, names, phones, e-mail, address and more. Change them on the next page."
          />
          <Radio
            value="list"
            label="What another list has"
            disabled={lists.length === 0}
            description="Its fields, outcomes, script, queue and claims, people, duplicates and caller ID. Not its leads, and not its webhooks."
          />
        </div>
      </Radio.Group>
      {from !== undefined && (
        <NativeSelect
          label="Which list"
          value={from}
          data={lists.map(({ id, name }) => ({ value: String(id), label: name }))}
          onChange={(event) => choose(Number(event.currentTarget.value))}
        />
      )}
      <Fault error={restOf(making.error, LABELS)} />
      <div className="new-list-acts">
        <Link to={paths.lists} className="button default">
          Cancel
        </Link>
        <Button type="submit" loading={making.isPending} rightSection={<Key>↵</Key>}>
          Make the list
        </Button>
      </div>
    </Form>
  );
}
