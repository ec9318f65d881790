import {
  IconChevronUp,
  IconEye,
  IconEyeOff,
  IconGripVertical,
  IconLock,
  IconPencil,
  IconAsterisk,
  IconTrash,
  IconTransform,
  IconArrowRight,
} from '@tabler/icons-react';
import type { Field, ListWithSettings } from '../../../contract/list-pages.ts';
import { Actions, type Action } from '../../ui/actions.tsx';
import { IconButton } from '../../ui/button.tsx';
import { useFieldChange, type FieldDraft } from './change-field.ts';
import { useMayChange } from './changing.ts';
import { FieldForm } from './field-form.tsx';
import { KINDS } from './kinds.ts';
import type { useReorder } from '../../ui/reorder.tsx';
import './field-row.css';

type Props = {
  list: ListWithSettings;
  field: Field;
  /** 1 to 3; 0 where it is none. */
  identifier: number;
  isDragged: boolean;
  /** Undefined of one that stays where it is. */
  grip: ReturnType<ReturnType<typeof useReorder>['grip']> | undefined;
  /** While it is open. */
  draft: FieldDraft | undefined;
  change: (draft: FieldDraft | undefined) => void;
  remove: () => void;
};

export function FieldRow({ list, field, identifier, isDragged, grip, draft, change, remove }: Props) {
  const { id, label, key, visible, required, locked, filled } = field;
  const may = useMayChange();
  const changing = useFieldChange(list.id);
  const set = (of: Partial<Field>) => changing.mutate({ id, field: of });
  const icon = { size: 16, stroke: 1.75, 'aria-hidden': true } as const;
  const classes = ['field-row', visible ? '' : 'hidden-field', isDragged ? 'dragged' : '', draft ? 'opened' : ''];
  const items: Action[] = [
    { name: 'Rename', icon: IconPencil, act: () => change({ id, at: 'label' }) },
    { name: 'Change its kind', icon: IconTransform, act: () => change({ id, at: 'kind' }) },
    {
      name: required ? 'A lead may be without it' : 'A lead needs it',
      icon: IconAsterisk,
      act: () => set({ required: !required }),
    },
    { name: 'Remove', icon: IconTrash, act: remove },
  ];
  return (
    <li className={classes.join(' ')} data-place={id}>
      <div className="field-line">
        {grip ? (
          <button
            type="button"
            className="grip"
            aria-label={`Move ${label}`}
            title="Drag, or Alt with an arrow up or down"
            {...grip}
          >
            <IconGripVertical {...icon} />
          </button>
        ) : (
          <span />
        )}
        <span className="field-label">
          <span className="strong">{draft?.label ?? label}</span>
          {identifier > 0 && (
            <span className="field-number" role="img" aria-label={`Identifier ${identifier}`}>
              {identifier}
            </span>
          )}
          {required && <span className="meta">Needed</span>}
          {!visible && <span className="meta">Hidden</span>}
        </span>
        <code className="field-key">{key}</code>
        <span className="field-kind">
          <Kind kind={field.kind} isIcon={draft?.kind === undefined || draft.kind === field.kind} />
          {draft?.kind !== undefined && draft.kind !== field.kind && (
            <>
              <IconArrowRight size={14} stroke={1.75} aria-label="becomes" />
              <span className="strong">{KINDS[draft.kind].word}</span>
            </>
          )}
        </span>
        <span className="field-filled figures">
          {filled === null ? '' : `${Math.round(filled * 100)} %`}
          <span className="unseen"> filled</span>
        </span>
        <IconButton
          label={visible ? `Hide ${label}` : `Show ${label}`}
          title={visible ? 'Agents see it' : 'Agents do not see it'}
          onClick={() => set({ visible: !visible })}
        >
          {visible ? <IconEye {...icon} /> : <IconEyeOff {...icon} />}
        </IconButton>
        {locked ? (
          <span
            className="field-lock"
            role="img"
            aria-label="Locked: it can only be hidden"
            title="Locked: it can only be hidden"
          >
            <IconLock {...icon} />
          </span>
        ) : draft ? (
          <IconButton label={`Close ${label}`} onClick={() => change(undefined)}>
            <IconChevronUp {...icon} />
          </IconButton>
        ) : (
          <Actions of={label} items={may ? items : []} />
        )}
      </div>
      {draft && !locked && (
        <FieldForm list={list} field={field} draft={draft} change={change} close={() => change(undefined)} />
      )}
    </li>
  );
}

function Kind({ kind, isIcon }: { kind: Field['kind']; isIcon: boolean }) {
  const { word, icon: Icon } = KINDS[kind];
  return (
    <span className={isIcon ? 'kind-word' : 'kind-word dim'}>
      {isIcon && <Icon size={16} stroke={1.75} aria-hidden />}
      {word}
    </span>
  );
}
