import { Tooltip } from '@mantine/core';
import { IconDots } from '@tabler/icons-react';
import { useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import type { BulkKind } from '../../../contract/bulk.ts';
import { foot } from '../../ui/foot.ts';
import { Menu } from '../../ui/menu.tsx';
import { Key } from '../../ui/parts.tsx';
import { sayChosen, useChosen } from './chosen.ts';
import { Question } from './question.tsx';
import { useActsOpen } from './queries.ts';
import { IN_BAR, IN_MENU, useMay, VERBS } from './verbs.ts';
import './bulk-bar.css';

/** What can be done to all that are chosen: it floats over the foot of the table, and the question grows out of it. */
export function BulkBar() {
  const chosen = useChosen();
  const may = useMay();
  const [asked, setAsked] = useState<BulkKind>();
  const bar = useRef<HTMLDivElement>(null);
  const isBeside = useActsOpen();
  const isEmpty = chosen.count.number === 0;
  // What was asked about leads that are not chosen any more is not asked of others.
  if (isEmpty && asked) setAsked(undefined);
  if (isEmpty) return null;
  const close = () => {
    const place = asked && IN_MENU.includes(asked) ? 'more' : asked;
    flushSync(() => setAsked(undefined));
    bar.current?.querySelector<HTMLElement>(`[data-verb="${place}"]`)?.focus();
  };
  const look = (kind: BulkKind) =>
    ({ 'data-verb': kind, 'aria-haspopup': 'dialog', 'aria-expanded': asked === kind }) as const;
  return (
    <div className={isBeside ? 'bulk beside-acts' : 'bulk'}>
      {asked && <Question key={asked} kind={asked} chosen={chosen} close={close} />}
      <div ref={foot}>
        <div ref={bar} className="bulk-bar" role="toolbar" aria-label="Selected leads">
          <strong className="figures" role="status">
            {sayChosen(chosen)}
          </strong>
          {IN_BAR.map((kind) => {
            const { icon: Icon, word, who } = VERBS[kind];
            return (
              <Tooltip key={kind} label={who} disabled={may(kind)} events={{ hover: true, focus: true, touch: true }}>
                <button
                  type="button"
                  className="bulk-verb"
                  {...look(kind)}
                  aria-disabled={!may(kind)}
                  onClick={() => may(kind) && (asked === kind ? close() : setAsked(kind))}
                >
                  <Icon size={16} stroke={1.75} aria-hidden />
                  <span className="bulk-word">{word}</span>
                </button>
              </Tooltip>
            );
          })}
          <Menu
            place="above"
            className={asked && IN_MENU.includes(asked) ? 'bulk-verb asked' : 'bulk-verb'}
            data-verb="more"
            aria-label="More to do with them"
            label="More"
            groups={[
              {
                items: IN_MENU.map((kind) => {
                  const { icon: Icon, word, who } = VERBS[kind];
                  return {
                    name: word,
                    icon: <Icon size={16} stroke={1.75} aria-hidden />,
                    act: () => setAsked(kind),
                    reason: may(kind) ? undefined : who,
                  };
                }),
              },
            ]}
          >
            <IconDots size={16} stroke={1.75} aria-hidden />
          </Menu>
          <button type="button" className="bulk-clear" aria-label="Clear the selection, Esc" onClick={chosen.clear}>
            <Key>Esc</Key>
            <span className="narrow-only" aria-hidden>
              ×
            </span>
          </button>
        </div>
      </div>
    </div>
  );
}
