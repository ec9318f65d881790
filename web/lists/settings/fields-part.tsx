import { IconPlus } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { flushSync } from 'react-dom';
import type { Field, Fields, ListWithSettings } from '../../../contract/list-pages.ts';
import { sayCount } from '../../counts.ts';
import { LeadSketch } from '../../leads/lead-sketch.tsx';
import { GuardedButton } from '../../ui/guarded.tsx';
import { LeaveDialog } from '../../manage/leave-dialog.tsx';
import { Failure, Key, Loading } from '../../ui/parts.tsx';
import { fieldsQuery } from '../queries.ts';
import { AddField } from './add-field.tsx';
import { useMayChange, WHO } from './changing.ts';
import { changesOf, useFieldChange, type FieldDraft } from './change-field.ts';
import { FieldRow } from './field-row.tsx';
import { Beside, Part } from './part.tsx';
import { RemoveField } from './remove-field.tsx';
import { useReorder } from '../../ui/reorder.tsx';
import { Sample } from './sample.tsx';
import './fields-part.css';

export function FieldsPart({ list }: { list: ListWithSettings }) {
  const { data, error, refetch } = useQuery(fieldsQuery(list.id));
  const may = useMayChange();
  /** The label of the field that is being added. */
  const [added, setAdded] = useState<string>();
  const isAdding = added !== undefined;
  // One that is saved while it is closed stays closed.
  const rename = (label: string) => setAdded((now) => (now === undefined ? now : label));
  const [drafts, setDrafts] = useState<FieldDraft[]>([]);
  const fields = data?.fields ?? [];
  const hidden = fields.filter(({ visible }) => !visible).length;
  const byId = new Map(fields.map((field) => [field.id, field]));
  const isChanged = (draft: FieldDraft) => {
    const field = byId.get(draft.id);
    return field !== undefined && Object.keys(changesOf(field, draft)).length > 0;
  };
  // One that was opened and not changed closes when another is opened.
  const change = (id: number, draft: FieldDraft | undefined) =>
    setDrafts((now) => {
      const others = now.filter((one) => one.id !== id);
      return draft ? [...others.filter(isChanged), draft] : others;
    });
  const shown = fields.map((field) => ({ ...field, ...drafts.find(({ id }) => id === field.id) }));
  return (
    <>
      <Part
        title="Fields"
        aside={data && sayFields(fields.length, hidden)}
        jobs={list.jobs}
        action={
          <>
            <span className="move-hint meta narrow-hidden">
              Move <Key>Alt</Key> <Key>↑</Key> <Key>↓</Key>
            </span>
            <GuardedButton
              variant="default"
              may={may}
              who={WHO}
              leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
              aria-expanded={isAdding}
              onClick={() => setAdded(isAdding ? undefined : '')}
            >
              Add a field
            </GuardedButton>
          </>
        }
      >
        {data && isAdding && (
          <AddField list={list} fields={data} label={added} setLabel={rename} close={() => setAdded(undefined)} />
        )}
        {data ? (
          <Rows list={list} fields={data} drafts={drafts} change={change} />
        ) : error ? (
          <Failure error={error} again={() => void refetch()} />
        ) : (
          <Loading rows={10} />
        )}
        <LeaveDialog
          unsaved={[
            ...(added?.trim() ? [added.trim()] : []),
            ...drafts.filter(isChanged).map(({ id }) => byId.get(id)!.label),
          ]}
        />
      </Part>
      <Beside>
        <Sample list={list}>{(lead) => data && <LeadSketch lead={lead} columns={shown} />}</Sample>
      </Beside>
    </>
  );
}

const sayFields = (count: number, hidden: number): string =>
  hidden === 0 ? String(count) : `${count}, ${hidden === 1 ? 'one of them' : `${hidden} of them`} hidden`;

type RowsProps = {
  list: ListWithSettings;
  fields: Fields;
  drafts: FieldDraft[];
  change: (id: number, draft: FieldDraft | undefined) => void;
};

function Rows({ list, fields: { fields, looked_at }, drafts, change }: RowsProps) {
  const [removed, setRemoved] = useState<Field>();
  const [isRemoving, setRemoving] = useState(false);
  const remove = (field: Field) => {
    // One question a field, there before it opens: only then it gives the keyboard back.
    flushSync(() => setRemoved(field));
    setRemoving(true);
  };
  const changing = useFieldChange(list.id);
  const byId = new Map(fields.map((field) => [String(field.id), field]));
  const locked = fields.findLastIndex((field) => field.locked) + 1;
  const {
    order,
    said,
    dragged,
    list: container,
    grip,
  } = useReorder({
    ids: [...byId.keys()],
    first: locked,
    nameOf: (id) => byId.get(id)?.label ?? '',
    move: (id, position) => changing.mutate({ id: Number(id), field: { position } }),
  });
  const inOrder = order.map((id) => byId.get(id)!);
  const visible = inOrder.filter((field) => field.visible);
  const identifiers = visible.slice(0, 3);
  const end = identifiers.length === 0 ? 0 : inOrder.indexOf(identifiers.at(-1)!) + 1;
  const draw = (field: Field) => (
    <FieldRow
      key={field.id}
      list={list}
      field={field}
      identifier={identifiers.indexOf(field) + 1}
      isDragged={dragged === String(field.id)}
      grip={field.locked ? undefined : grip(String(field.id))}
      draft={drafts.find(({ id }) => id === field.id)}
      change={(draft) => change(field.id, draft)}
      remove={() => remove(field)}
    />
  );
  return (
    <div className="field-rows" {...container}>
      <div className="field-columns" aria-hidden>
        <span />
        <span>Label</span>
        <span>Key</span>
        <span>Kind</span>
        <span className="field-filled">Filled</span>
      </div>
      <h3 className="field-group">
        Identifiers <span className="meta">The first three visible fields: the lead’s heading everywhere</span>
      </h3>
      <ul>{inOrder.slice(0, end).map(draw)}</ul>
      {end < inOrder.length && (
        <>
          <h3 className="field-group">
            On the card <span className="meta">In this order</span>
          </h3>
          <ul>{inOrder.slice(end).map(draw)}</ul>
        </>
      )}
      {fields.length > 0 && looked_at > 0 && looked_at < list.leads_count && (
        <p className="field-foot meta">Filled: as in {sayCount(looked_at, 'lead')}, the newest and the oldest.</p>
      )}
      <p className="unseen" role="status">
        {said}
      </p>
      <RemoveField
        key={removed?.id}
        opened={isRemoving}
        list={list}
        field={removed}
        isExact={looked_at >= list.leads_count}
        close={() => setRemoving(false)}
      />
    </div>
  );
}
