import { useQuery } from '@tanstack/react-query';
import { useMemo, useRef, useSyncExternalStore, type MouseEvent, type ReactNode } from 'react';
import type { Column, TableLead } from '../../../contract/lead-table.ts';
import { isPressing, useKeys } from '../../keys.ts';
import { listsQuery } from '../../lists.ts';
import { useNow } from '../../times.ts';
import type { Field } from './fields.ts';
import type { Asking } from './asked.ts';
import { kindOf, widthsOf } from './cells.tsx';
import { Head } from './head.tsx';
import { leadAt, placeOf, rowsOf } from './run.ts';
import { Row } from './row.tsx';
import { useSelection } from './selection.ts';
import { useCurrent } from './use-current.ts';
import type { Rows } from './use-rows.ts';
import { useScroll } from './use-scroll.ts';
import './lead-table.css';

const narrow = matchMedia('(width < 700px)');
const watchNarrow = (hear: () => void) => {
  narrow.addEventListener('change', hear);
  return () => narrow.removeEventListener('change', hear);
};
const HEAD = 36;
/** What floats over the foot while something is chosen. */
const FOOT = 72;

type Props = {
  asked: Asking;
  rows: Rows;
  fields: ReadonlyMap<string, Field>;
  /** The lead beside the table. */
  opened: number | undefined;
  /** Beside the table, or in a page of its own. */
  open: (lead: TableLead | undefined) => void;
  openPage: (lead: TableLead) => void;
  children?: ReactNode;
};

/** The rows in sight, and a few more: as many as a screen holds, of however many there are. */
export function LeadTable({ asked, rows, fields, opened, open, openPage, children }: Props) {
  const { run } = rows;
  const selection = useSelection();
  const isNarrow = useSyncExternalStore(watchNarrow, () => narrow.matches);
  const count = run ? rowsOf(run) : 0;
  const height = isNarrow ? 68 : 41;
  const scroll = useScroll({ count, height, head: HEAD, foot: selection.count.number > 0 ? FOOT : 0, see: rows.see });
  const { current, ...keyboard } = useCurrent({ run, ...scroll });
  rows.hear({
    moved: (by) => {
      scroll.shift(by);
      keyboard.moved(by);
    },
    seen: scroll.begin,
    begun: (first) => {
      scroll.begin(first);
      keyboard.reset();
    },
  });

  const { data: lists } = useQuery(listsQuery);
  const now = useNow(30_000);
  const around = useMemo(
    () => ({ now, fields, listNames: new Map(lists?.map(({ id, name }) => [id, name])) }),
    [now, fields, lists],
  );
  const columns = useShown(asked.columns, fields);

  // Where a range of chosen ones begins.
  const anchor = useRef<number>(undefined);
  const idsBetween = (one: number, other: number): number[] => {
    const ids = [];
    for (let at = Math.min(one, other); at <= Math.max(one, other); at += 1) {
      const lead = run && leadAt(run, at);
      if (lead) ids.push(lead.id);
    }
    return ids;
  };
  const tick = (lead: TableLead, at: number, isRange: boolean) => {
    const from = isRange && run && anchor.current !== undefined ? placeOf(run, anchor.current) : undefined;
    if (from === undefined) {
      selection.choose([lead.id], !selection.has(lead.id));
      anchor.current = lead.id;
    } else selection.choose(idsBetween(from, at), true);
  };
  const extend = (by: number) => {
    const from = current;
    const to = keyboard.step(by);
    if (!from) return;
    if (anchor.current === undefined) anchor.current = from.lead.id;
    selection.choose(to ? [from.lead.id, to.id] : [from.lead.id], true);
  };
  const step = (by: number) => {
    const lead = keyboard.step(by);
    if (lead && opened !== undefined) open(lead);
  };
  const loaded = run?.pages.flatMap(({ leads }) => leads.map(({ id }) => id)) ?? [];
  const chosen = loaded.filter(selection.has).length;
  const checkAll = () => (chosen === loaded.length && chosen > 0 ? selection.clear() : selection.choose(loaded, true));

  const ofRow = (act: (lead: TableLead) => void) => (event: KeyboardEvent) => {
    // A button that was walked to is pressed by these keys; the link of a row is not.
    const target = event.target as Element;
    if (!current || (isPressing(event) && !target.matches('.lead-link'))) return false;
    act(current.lead);
    return undefined;
  };
  const inOwn = (act: () => void) => () => {
    // Elsewhere on the page they scroll what they are in.
    const { activeElement } = document;
    if (activeElement !== document.body && !scroll.box.current?.contains(activeElement)) return false;
    act();
    return undefined;
  };
  useKeys({
    j: () => step(1),
    k: () => step(-1),
    ArrowDown: inOwn(() => step(1)),
    ArrowUp: inOwn(() => step(-1)),
    PageDown: inOwn(() => step(scroll.page())),
    PageUp: inOwn(() => step(-scroll.page())),
    Home: inOwn(() => keyboard.go(0)),
    End: inOwn(() => keyboard.go(Infinity)),
    Enter: ofRow(open),
    o: ofRow(openPage),
    'Control+Enter': ofRow(openPage),
    'Meta+Enter': ofRow(openPage),
    x: ofRow((lead) => tick(lead, current!.place, false)),
    'Shift+ArrowDown': inOwn(() => extend(1)),
    'Shift+ArrowUp': inOwn(() => extend(-1)),
    'Control+a': selection.chooseAll,
    'Meta+a': selection.chooseAll,
    Escape: () => {
      if (opened !== undefined) open(undefined);
      else if (selection.count.number > 0) selection.clear();
      else return false;
      return undefined;
    },
  });

  const click = (event: MouseEvent) => {
    const target = event.target as Element;
    const row = target.closest<HTMLElement>('[data-lead]');
    const at = Number(row?.dataset.place);
    const lead = row && run && (leadAt(run, at) ?? current?.lead);
    if (!lead || lead.id !== Number(row.dataset.lead)) return;
    const isCheck = target.closest('.check') !== null;
    // Ctrl and a click opens a tab, as with any link.
    if (target.closest('a') && (event.ctrlKey || event.metaKey)) return;
    event.preventDefault();
    keyboard.choose(lead, at);
    if (isCheck || event.shiftKey || event.ctrlKey || event.metaKey) tick(lead, at, event.shiftKey);
    // Whoever marks a number to copy it opens nothing.
    else if (getSelection()?.isCollapsed !== false) (isNarrow ? openPage : open)(lead);
  };

  const drawn = [];
  for (let at = scroll.first; at <= Math.min(scroll.last, count - 1); at += 1) drawn.push(at);
  if (current && !drawn.includes(current.place)) drawn.push(current.place);
  // So that Tab finds the table.
  const entrance = current?.place ?? Math.max(scroll.first, 0);
  return (
    <div className="leads-scroll" ref={scroll.box}>
      <div
        role="table"
        className="leads-table"
        aria-label="Leads"
        aria-rowcount={run?.total.about ? -1 : count + 1}
        style={widthsOf(columns, fields) as never}
      >
        <Head
          columns={columns}
          fields={fields}
          order={asked.order}
          setOrder={(order) => asked.set({ order })}
          resize={(name, width) =>
            asked.set({ columns: asked.columns.map((one) => (one.name === name ? { name, width } : one)) })
          }
          isOld={!rows.isCurrent}
          checked={chosen === 0 ? false : chosen === loaded.length ? true : 'mixed'}
          check={checkAll}
        />
        {/* The keyboard has keys of its own for all of this. */}
        {/* oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/no-static-element-interactions */}
        <div role="rowgroup" className="leads-body" style={{ height: scroll.height }} onClick={click}>
          {drawn.map((at) => {
            const lead = (run && leadAt(run, at)) ?? (current?.place === at ? current.lead : undefined);
            return (
              <Row
                key={lead ? lead.id : `place ${at}`}
                lead={lead}
                place={at}
                // One out of sight that has the keyboard makes nothing higher.
                y={Math.max(0, Math.min(at * height + scroll.offset, scroll.height - height))}
                columns={columns}
                around={around}
                isOld={!rows.isCurrent}
                isCurrent={at === entrance}
                isOpen={lead !== undefined && lead.id === opened}
                isChosen={lead !== undefined && selection.has(lead.id)}
              />
            );
          })}
        </div>
        {children}
      </div>
    </div>
  );
}

/** Without those of fields that no list has any more. */
const useShown = (columns: Column[], fields: ReadonlyMap<string, Field>): Column[] =>
  useMemo(() => {
    const shown = columns.filter(({ name }) => kindOf(name, fields));
    return shown[0]?.name === 'lead' ? shown : [{ name: 'lead' }, ...shown.filter(({ name }) => name !== 'lead')];
  }, [columns, fields]);
