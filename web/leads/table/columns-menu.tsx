import { IconAdjustmentsHorizontal, IconGripVertical } from '@tabler/icons-react';
import { FIELD, isField } from '../../../contract/filters.ts';
import { MOST_FIELDS, type Column } from '../../../contract/lead-table.ts';
import { useReorder } from '../../ui/reorder.tsx';
import { TextButton } from '../../ui/button.tsx';
import { Float } from '../../ui/float.tsx';
import type { Field } from './fields.ts';
import { KNOWN, kindOf } from './cells.tsx';
import { Check } from './check.tsx';
import './columns-menu.css';

type Props = {
  columns: Column[];
  fields: ReadonlyMap<string, Field>;
  /** Null: as they always are. */
  change: (columns: Column[] | null) => void;
};

/** Which columns are shown, and in which order. */
export const ColumnsMenu = (props: Props) => (
  <Float
    kind="dialog"
    place="below-end"
    label="Columns"
    className="icon-button"
    aria-label="Columns"
    title="Columns"
    panel={() => <Choices {...props} />}
  >
    <IconAdjustmentsHorizontal size={18} stroke={1.75} aria-hidden />
  </Float>
);

const countFields = (columns: Column[]) => columns.filter(({ name }) => isField(name)).length;

/** Of the columns, those of fields that these lists lack, or of which nothing is known yet, are kept unseen. */
function Choices({ columns, fields, change }: Props) {
  const shown = columns.filter(({ name }) => kindOf(name, fields));
  const nameOf = (name: string) => kindOf(name, fields)!.label;
  const reorder = useReorder({
    ids: shown.map(({ name }) => name),
    // Which lead it is comes first.
    first: 1,
    nameOf,
    move: (id, to) => {
      const one = columns.find(({ name }) => name === id)!;
      const rest = columns.filter((column) => column !== one);
      const next = shown.filter((column) => column !== one)[to];
      change(rest.toSpliced(next ? rest.indexOf(next) : rest.length, 0, one));
    },
  });
  const others = [...KNOWN, ...[...fields.values()].map(({ key }) => `${FIELD}${key}`)].filter(
    (name) => !shown.some((column) => column.name === name),
  );
  const ofFields = countFields(shown);
  const isFull = (name: string) => isField(name) && ofFields >= MOST_FIELDS;
  const add = (name: string) => {
    const hasRoom = !isField(name) || countFields(columns) < MOST_FIELDS;
    change([...(hasRoom ? columns : shown), { name }]);
  };
  return (
    <div className="columns-menu">
      <div className="columns-title">
        <strong>Columns</strong>
        <TextButton onClick={() => change(null)}>As usual</TextButton>
      </div>
      <ul {...reorder.list} className="columns-shown" aria-label="Shown">
        {reorder.order.map((name, at) => (
          <li key={name} data-place={name} className={reorder.dragged === name ? 'dragged' : undefined}>
            <Choice
              label={nameOf(name)}
              checked
              isFixed={at === 0}
              turn={() => change(columns.filter((column) => column.name !== name))}
              isFirst={at === 1}
            />
            {at > 0 && (
              <span className="columns-grip" title="Drag, or Alt and an arrow" {...reorder.grip(name)}>
                <IconGripVertical size={16} stroke={1.75} aria-hidden />
              </span>
            )}
          </li>
        ))}
      </ul>
      {others.length > 0 && (
        <ul className="columns-hidden" aria-label="Not shown">
          {others.map((name) => (
            <li key={name}>
              <Choice label={nameOf(name)} checked={false} isFixed={isFull(name)} turn={() => add(name)} />
            </li>
          ))}
        </ul>
      )}
      {ofFields >= MOST_FIELDS && <p className="meta">{MOST_FIELDS} fields at most are shown at once.</p>}
      <p className="unseen" role="status">
        {reorder.said}
      </p>
    </div>
  );
}

type ChoiceProps = { label: string; checked: boolean; isFixed: boolean; turn: () => void; isFirst?: boolean };

const Choice = ({ label, checked, isFixed, turn, isFirst = false }: ChoiceProps) => (
  <label className="columns-choice">
    <Check label={label} checked={checked} disabled={isFixed} data-autofocus={isFirst || undefined} onClick={turn} />
    <span aria-hidden>{label}</span>
  </label>
);
