import { NativeSelect } from '@mantine/core';
import { IconFileText } from '@tabler/icons-react';
import { useMutation, useQuery } from '@tanstack/react-query';
import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import type { Import } from '../../contract/imports.ts';
import { paths } from '../../contract/paths.ts';
import { ask, queries, Refused } from '../api.ts';
import { WHO_IMPORTS } from '../importing.tsx';
import { listsQuery } from '../lists.ts';
import { useRight } from '../session.ts';
import { Button, ButtonLink } from '../ui/button.tsx';
import { useIsHere } from '../ui/dialog.tsx';
import { Fault, Form } from '../ui/form.tsx';
import { tellFailure } from '../ui/notices.ts';
import { Empty, Key } from '../ui/parts.tsx';
import { Drop, refuse } from './drop.tsx';
import { ImportFrame } from './import-frame.tsx';
import { importQuery } from './queries.ts';
import { beginUpload } from './uploads.ts';
import { nameWithoutEnding, sayBytes } from './words.ts';
import '../ui/panel.css';
import './new-import-page.css';

/** The first step: which file, and into which list. */
export function NewImportPage() {
  const may = useRight('leads.import');
  const { list } = useSearch({ strict: false });
  return (
    <ImportFrame title="Import a file" step={0} className="new-import">
      <section className="panel" aria-label="The file">
        {may ? <FileStep key={list} preset={list} /> : <NotYours />}
      </section>
    </ImportFrame>
  );
}

export const NotYours = () => (
  <Empty
    title="Your role does not import files."
    action={
      <ButtonLink variant="default" href={paths.lists}>
        Back to the lists
      </ButtonLink>
    }
  >
    {WHO_IMPORTS}
  </Empty>
);

const NEW = 'new';

function FileStep({ preset }: { preset: number | undefined }) {
  const navigate = useNavigate();
  const [file, setFile] = useState<File>();
  const [fault, setFault] = useState<string>();
  const [into, setInto] = useState(preset === undefined ? NEW : String(preset));
  const lists = useQuery(listsQuery).data?.filter(({ id, archived }) => !archived || id === preset) ?? [];
  const isHere = useIsHere(true);
  const announcing = useMutation({
    mutationFn: (chosen: File) =>
      ask<Import>('POST', '/imports', {
        import: {
          file_name: chosen.name,
          bytes: chosen.size,
          ...(into !== NEW && { list_id: Number(into) }),
        },
      }),
    onSuccess: (made, chosen) => {
      // Whoever has left by then uploads nothing, and stays where they are.
      if (!isHere()) return ask('DELETE', `/imports/${made.id}`);
      queries.setQueryData(importQuery(made.id).queryKey, made);
      beginUpload(made, chosen);
      // Back leads to before the upload, not to a second one.
      return navigate({ to: paths.import(made.id), replace: true });
    },
    onError: (error) => !isHere() && tellFailure(error),
  });
  const take = (chosen: File) => {
    const why = refuse(chosen);
    setFault(why);
    announcing.reset();
    setFile(why ? undefined : chosen);
  };
  const asking = { ...announcing, mutate: () => file && announcing.mutate(file) };
  if (!file)
    return (
      <div className="stack">
        <Drop words="Choose a file" take={take} refuse={setFault}>
          <p className="strong">Drop a file with leads here</p>
          <p className="meta">
            CSV, or an Excel workbook (.xlsx). Nothing is stored before you have seen what will happen.
          </p>
        </Drop>
        {fault && (
          <p role="alert" className="fault">
            {fault}
          </p>
        )}
      </div>
    );
  return (
    <Form asking={asking}>
      <div className="chosen-file">
        <IconFileText size={20} stroke={1.75} aria-hidden />
        <p className="grow wrap">
          <strong className="strong">{file.name}</strong> <span className="meta figures">{sayBytes(file.size)}</span>
        </p>
        <Button variant="default" size="xs" onClick={() => setFile(undefined)}>
          Another file
        </Button>
      </div>
      <NativeSelect
        label="Into which list"
        description={
          into === NEW
            ? `It will be called ${nameWithoutEnding(file.name)}, and have the fields that the file has. Both can be changed in the next step.`
            : 'Which of its fields each column goes to is seen in the next step.'
        }
        value={into}
        data={[
          { value: NEW, label: 'A new list from this file' },
          ...lists.map(({ id, name }) => ({ value: String(id), label: name })),
        ]}
        onChange={(event) => setInto(event.currentTarget.value)}
      />
      <Fault error={announcing.error && sayRefusal(announcing.error)} />
      <div className="new-import-acts">
        <Link to={paths.lists} className="button default">
          Cancel
        </Link>
        <Button type="submit" autoFocus loading={announcing.isPending} rightSection={<Key>↵</Key>}>
          Upload
        </Button>
      </div>
    </Form>
  );
}

/** Where a single thing is wrong, that says it better than the sentence about all of them. */
function sayRefusal(error: Error): Error {
  const [named] = error instanceof Refused ? Object.entries(error.errors) : [];
  if (!named) return error;
  const [name, [why = 'is not valid']] = named;
  const what = { file: 'The file', bytes: 'The file', file_name: 'The name of the file', list_id: 'The list' }[
    name.split('.').at(-1)!
  ];
  return what ? new Error(`${what} ${why}.`) : error;
}
