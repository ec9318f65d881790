import { useQuery } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { useKeys } from '../keys.ts';
import { Empty, Key } from '../ui/parts.tsx';
import { deskQuery, listIdOf, type Lead } from '../leads/queries.ts';
import { merged, ScriptText, useScript } from '../leads/script-text.tsx';
import { Tab } from '../ui/tabs.tsx';
import '../ui/panel.css';
import './script.css';

type Props = { script: string; lead: Lead; fill: (key: string) => void };

/** What to say, from heading to heading. */
export function Script({ script, lead, fill }: Props) {
  const { tokens, headings } = useScript(script);
  const body = useRef<HTMLDivElement>(null);
  const [at, setAt] = useState(0);
  const jump = (index: number) => {
    const to = Math.min(Math.max(index, 0), headings.length - 1);
    setAt(to);
    body.current?.querySelectorAll('h3')[to]?.scrollIntoView({ block: 'start' });
  };
  useKeys({ '[': () => jump(at - 1), ']': () => jump(at + 1) });
  const { data: desk } = useQuery(deskQuery(listIdOf(lead)));
  const labelOf = (key: string) => desk?.columns.find((column) => column.key === key)?.label ?? key;
  return (
    <section className="panel script" aria-label="Script">
      <div className="panel-head">
        <h2>Script</h2>
        {headings.map((heading, index) => (
          <Tab key={heading.raw + index} pressed={at === index} onClick={() => jump(index)}>
            {merged(heading.text, lead)}
          </Tab>
        ))}
        <span className="grow" />
        {headings.length > 1 && (
          <span className="dim wide-only">
            <Key>[</Key> <Key>]</Key>
          </span>
        )}
      </div>
      <div className="script-body script-text" ref={body} tabIndex={0} role="group" aria-label="What to say">
        {script.trim() === '' ? (
          <Empty title="No script yet.">A data manager writes it with the list.</Empty>
        ) : (
          <ScriptText tokens={tokens} lead={lead} labelOf={labelOf} fill={fill} />
        )}
      </div>
    </section>
  );
}
