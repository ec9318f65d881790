import { IconArrowDown, IconArrowUp } from '@tabler/icons-react';
import { useRef, type KeyboardEvent, type PointerEvent } from 'react';
import type { Column } from '../../../contract/lead-table.ts';
import type { Field } from './fields.ts';
import { FIRST_ORDER } from './asked.ts';
import { classOf, kindOf, LEAST_WIDTH, MOST_WIDTH } from './cells.tsx';
import { Check } from './check.tsx';
import './head.css';

type Props = {
  columns: Column[];
  fields: ReadonlyMap<string, Field>;
  order: string;
  setOrder: (order: string) => void;
  resize: (name: string, width: number) => void;
  /** The rows are those of the question before. */
  isOld: boolean;
  checked: boolean | 'mixed';
  check: () => void;
};

const plain = (order: string) => order.replace(/^-/, '');
const turn = (order: string) => (order.startsWith('-') ? plain(order) : `-${order}`);

/** Names the columns. What can be put in order by one goes there, then the other way round, then back to the queue's. */
export function Head({ columns, fields, order, setOrder, resize, isOld, checked, check }: Props) {
  return (
    <div role="rowgroup" className="leads-head">
      <div role="row" aria-rowindex={1} className="leads-row">
        <span role="columnheader" className="cell-check">
          <Check label="Select all that are loaded" checked={checked} aria-disabled={isOld} onClick={check} />
        </span>
        {columns.map(({ name, width }) => {
          const kind = kindOf(name, fields);
          const label = kind?.label ?? name;
          const own = kind?.order;
          const isBy = own !== undefined && plain(own) === plain(order);
          const Arrow = order.startsWith('-') ? IconArrowDown : IconArrowUp;
          const next = !isBy ? own! : order === own ? turn(own) : FIRST_ORDER;
          return (
            <span
              key={name}
              role="columnheader"
              className={`cell ${classOf(name)}${kind?.isFigure ? ' figure' : ''}`}
              aria-sort={isBy ? (order.startsWith('-') ? 'descending' : 'ascending') : own ? 'none' : undefined}
            >
              {own ? (
                <button type="button" className={isBy ? 'head-order by' : 'head-order'} onClick={() => setOrder(next)}>
                  <span>{label}</span>
                  {isBy && <Arrow size={14} stroke={1.75} aria-hidden />}
                </button>
              ) : (
                <span className="head-name">{label}</span>
              )}
              <Edge label={label} width={width ?? kind?.width ?? 0} resize={(to) => resize(name, to)} />
            </span>
          );
        })}
      </div>
    </div>
  );
}

const within = (width: number) => Math.round(Math.max(LEAST_WIDTH, Math.min(width, MOST_WIDTH)));
const STEPS: Record<string, number> = { ArrowLeft: -16, ArrowRight: 16 };

type EdgeProps = { label: string; width: number; resize: (width: number) => void };

/** Drawn by the pointer, or by arrows. */
function Edge({ label, width, resize }: EdgeProps) {
  const edge = useRef<HTMLSpanElement>(null);
  const widthNow = () => edge.current!.parentElement!.getBoundingClientRect().width;
  const drag = (event: PointerEvent<HTMLSpanElement>) => {
    if (event.button !== 0) return;
    event.preventDefault();
    const [from, x] = [widthNow(), event.clientX];
    const stop = new AbortController();
    const on = { signal: stop.signal };
    addEventListener('pointermove', (move) => resize(within(from + move.clientX - x)), on);
    for (const end of ['pointerup', 'pointercancel']) addEventListener(end, () => stop.abort(), on);
  };
  const step = (event: KeyboardEvent) => {
    const by = STEPS[event.key];
    if (by === undefined) return;
    event.preventDefault();
    resize(within(widthNow() + by));
  };
  return (
    <span
      ref={edge}
      role="separator"
      aria-orientation="vertical"
      tabIndex={0}
      className="head-edge"
      aria-label={`Width of ${label}`}
      aria-valuemin={LEAST_WIDTH}
      aria-valuemax={MOST_WIDTH}
      aria-valuenow={width}
      onPointerDown={drag}
      onKeyDown={step}
    />
  );
}
