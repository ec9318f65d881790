import { IconFilter, IconX } from '@tabler/icons-react';
import { useRef } from 'react';
import { MOST_TOKENS, readToken, writeToken, type Token } from '../../../contract/filters.ts';
import { Refused } from '../../api.ts';
import { IconButton, TextButton } from '../../ui/button.tsx';
import { Float } from '../../ui/float.tsx';
import type { Known } from './subjects.ts';
import { TokenEditor, type Step } from './token-editor.tsx';
import { tabOf } from './state-tabs.tsx';
import { sayOperator, sayValue, sayValues } from './words.ts';
import './tokens.css';

type Props = {
  f: string[];
  set: (change: { f: string[] }) => void;
  known: Known;
  faults: Fault[];
};

const FULL = `${MOST_TOKENS} filters are as many as there can be.`;

/** What the leads have in common, each to be changed in its place. The token of a state tab is that tab. */
export function Tokens({ f, set, known, faults }: Props) {
  const add = useRef<HTMLButtonElement>(null);
  const isTab = (text: string) => readToken(text)?.name === 'state' && tabOf(f) !== undefined;
  const change = (place: number, token: Token) => set({ f: f.with(place, writeToken(token)) });
  const remove = (place: number) => {
    set({ f: f.toSpliced(place, 1) });
    add.current?.focus();
  };
  return (
    <>
      {f.some((text) => !isTab(text)) && (
        <ul className="tokens" aria-label="Filters">
          {f.map((text, place) =>
            isTab(text) ? null : (
              <TokenChip
                key={place}
                text={text}
                known={known}
                isFaulty={faults.some((fault) => fault.place === place)}
                change={(token) => change(place, token)}
                remove={() => remove(place)}
              />
            ),
          )}
        </ul>
      )}
      <Float
        ref={add}
        kind="dialog"
        label="Add a filter"
        className="add-token"
        aria-disabled={f.length >= MOST_TOKENS}
        panel={(close) =>
          f.length >= MOST_TOKENS ? (
            <p className="editor-note">{FULL}</p>
          ) : (
            <TokenEditor
              known={known}
              step="subject"
              save={(token) => set({ f: [...f, writeToken(token)] })}
              close={close}
            />
          )
        }
      >
        <IconFilter size={14} stroke={1.75} aria-hidden />
        Add filter
      </Float>
    </>
  );
}

type ChipProps = {
  text: string;
  known: Known;
  isFaulty: boolean;
  change: (token: Token) => void;
  remove: () => void;
};

function TokenChip({ text, known, isFaulty, change, remove }: ChipProps) {
  const token = readToken(text);
  if (!token)
    return (
      <li className="token faulty">
        <span className="token-part wrap">{text}</span>
        <Remove said={text} remove={remove} />
      </li>
    );
  const about = known.find(token.name);
  const operator = sayOperator(token.operator, about);
  const value = sayValues(token, (one) => sayValue(one, about, known.nameOf));
  const said = [about.label, operator, value].filter(Boolean).join(' ');
  const part = (step: Step, words: string, label: string) => (
    <Float
      kind="dialog"
      label={`Change the filter ${said}`}
      aria-label={`${words}. ${label}`}
      className={`token-part ${step}`}
      panel={(close) => <TokenEditor known={known} token={token} step={step} save={change} close={close} />}
    >
      {words}
    </Float>
  );
  return (
    <li className={isFaulty ? 'token faulty' : 'token'}>
      {part('subject', about.label, 'Change what it is about')}
      {part('operator', operator, 'Change how')}
      {token.values.length > 0 && part('value', value, 'Change the value')}
      <Remove said={said} remove={remove} />
    </li>
  );
}

const Remove = ({ said, remove }: { said: string; remove: () => void }) => (
  <IconButton label={`Remove ${said}`} className="token-remove" onClick={remove}>
    <IconX size={14} stroke={1.75} aria-hidden />
  </IconButton>
);

const FIELD_FAULT = 'is no field of these lists any more';

export type Fault = { place: number; says: string };

/** Which tokens cannot hold, and why: what nobody can read, what is about nothing there is, what the service refused. */
export function faultsOf(f: string[], known: Known, error: Error | null): Fault[] {
  const errors = error instanceof Refused && error.status === 422 ? error.errors : {};
  return f.flatMap((text, place) => {
    const token = readToken(text);
    if (!token) return [{ place, says: `“${text.slice(0, 100)}” is no filter that we know.` }];
    const [fault = known.isThere(token.name) ? undefined : FIELD_FAULT] = errors[token.name] ?? [];
    return fault === undefined ? [] : [{ place, says: `${known.find(token.name).label} ${fault}.` }];
  });
}

/** Each with its sentence and the way out. */
export function Faults({ f, set, faults }: Pick<Props, 'f' | 'set' | 'faults'>) {
  const beyond = f.length - MOST_TOKENS;
  if (faults.length === 0 && beyond <= 0) return null;
  return (
    <div className="token-faults" role="alert">
      {faults.map(({ place, says }) => (
        <p key={place} className="fault">
          {says} <TextButton onClick={() => set({ f: f.toSpliced(place, 1) })}>Remove</TextButton>
        </p>
      ))}
      {beyond > 0 && (
        <p className="fault">
          {FULL} The address has {beyond} more.{' '}
          <TextButton onClick={() => set({ f: f.slice(0, MOST_TOKENS) })}>Keep the first {MOST_TOKENS}</TextButton>
        </p>
      )}
    </div>
  );
}
