import { IconX } from '@tabler/icons-react';
import { Suspense, useRef, useState, type KeyboardEvent, type Ref } from 'react';
import { isField, LONGEST_VALUE, MOST_VALUES, valuesOf, type Operator } from '../../../contract/filters.ts';
import { Button, IconButton } from '../../ui/button.tsx';
import { withKit } from '../../ui/with-kit.tsx';
import { Choose, useFocus } from './choose.tsx';
import { readMoment, SUGGESTED } from './moments.ts';
import { sayMoment, type About } from './words.ts';
import './choose.css';
import './value-step.css';

const Calendar = withKit(async () => (await import('../../outcomes/calendar.tsx')).Calendar);

type Props = {
  about: About;
  operator: Operator;
  values: string[];
  say: (value: string) => string;
  take: (values: string[]) => void;
  back: () => void;
};

const FULL = `A filter takes up to ${MOST_VALUES} values.`;

/** What is typed, as a token has it; undefined where it is nothing of that kind. */
function readTyped({ name, values, isPast }: About, typed: string, before = ''): string | undefined {
  const text = typed.trim();
  if (text === '' || text.length > LONGEST_VALUE) return undefined;
  if (values === 'time') {
    // It may be said without its year: whoever leaves it so, or types it again, means that day and not the next of its name.
    const said = Number.isNaN(Date.parse(before)) ? undefined : sayMoment(before).toLowerCase();
    if (text.toLowerCase() === said) return before;
    return readMoment(text, isPast, new Date(), isField(name));
  }
  if (values === 'number') return /^[+-]?\d{1,30}$/.test(text) ? text : undefined;
  return text;
}

const FAULTS: Partial<Record<About['values'], string>> = {
  time: 'That is no time we can read.',
  number: 'A whole number is wanted, such as 20.',
};

/** What it is compared with: one, two or several, chosen or typed. */
export function ValueStep(props: Props) {
  const [, most] = valuesOf(props.operator);
  if (most > 2) return <Several {...props} />;
  if (most === 2) return <Two {...props} />;
  return <One {...props} />;
}

const isChosen = ({ values, choices }: About) => choices.length > 0 || values === 'choice' || values === 'person';

/** Categories and options that were removed are still on some leads. */
const isFree = ({ name, values }: About) => values === 'choice' && name !== 'state';

function One({ about, values, take, back }: Props) {
  const [typed, setTyped] = useState('');
  if (isChosen(about))
    return (
      <Choose
        label={`Which ${about.label.toLowerCase()}`}
        choices={about.choices}
        current={values[0]}
        isFree={isFree(about)}
        take={(value) => take([value])}
        back={back}
      />
    );
  const value = readTyped(about, typed, values[0]);
  return (
    <>
      <Typed
        about={about}
        label="Value"
        hint={values[0] && sayPlain(about, values[0])}
        {...{ typed, value, setTyped, back }}
        take={(one) => take([one])}
      />
      <Apply value={value} take={(one) => take([one])} />
    </>
  );
}

const sayPlain = ({ values }: About, value: string) => (values === 'time' ? sayMoment(value) : value);

const Apply = ({ value, take }: { value: string | undefined; take: (value: string) => void }) => (
  <div className="editor-foot">
    <Button size="xs" disabled={value === undefined} onClick={() => value !== undefined && take(value)}>
      Apply
    </Button>
  </div>
);

function Two({ about, values, take, back }: Props) {
  const [low, setLow] = useState(values.length === 2 ? sayPlain(about, values[0]!) : '');
  const [high, setHigh] = useState('');
  const second = useRef<HTMLInputElement>(null);
  const [from, to] = [readTyped(about, low, values[0]), readTyped(about, high, values[1])];
  return (
    <>
      <Typed
        about={about}
        label="From"
        hint={undefined}
        typed={low}
        value={from}
        setTyped={setLow}
        back={back}
        take={() => second.current?.focus()}
      />
      <Typed
        about={about}
        label="To"
        hint={values[1] && sayPlain(about, values[1])}
        field={second}
        typed={high}
        value={to}
        setTyped={setHigh}
        back={() => (second.current?.closest('[popover]')?.querySelector('input') as HTMLInputElement | null)?.focus()}
        take={(value) => from !== undefined && take([from, value])}
      />
      <Apply value={from === undefined ? undefined : to} take={(value) => take([from!, value])} />
    </>
  );
}

function Several({ about, values: before, say, take, back }: Props) {
  const [values, setValues] = useState(before);
  const [typed, setTyped] = useState('');
  const isFull = values.length >= MOST_VALUES;
  const turn = (value: string) =>
    setValues((now) =>
      now.includes(value) ? now.filter((one) => one !== value) : now.length >= MOST_VALUES ? now : [...now, value],
    );
  const value = readTyped(about, typed);
  /** With what still stands in the field. */
  const all = value === undefined || isFull || values.includes(value) ? values : [...values, value];
  const isUnread = value === undefined && !isFull && typed.trim() !== '';
  const done = () => all.length > 0 && take(all);
  const stepBack = () => (values.length > 0 ? setValues(values.slice(0, -1)) : back());
  return (
    <>
      {values.length > 0 && (
        <ul className="editor-values" aria-label="Values">
          {values.map((one) => (
            <li key={one}>
              <span className="wrap">{say(one)}</span>
              <IconButton label={`Take out ${say(one)}`} onClick={() => turn(one)}>
                <IconX size={12} stroke={1.75} aria-hidden />
              </IconButton>
            </li>
          ))}
        </ul>
      )}
      {isChosen(about) ? (
        <Choose
          label={`Which ${about.label.toLowerCase()}`}
          choices={about.choices}
          chosen={values}
          isFree={isFree(about)}
          take={turn}
          done={done}
          back={stepBack}
        />
      ) : (
        <Typed
          about={about}
          label="Add a value"
          hint={undefined}
          typed={typed}
          value={value}
          setTyped={setTyped}
          back={stepBack}
          take={(one) => {
            if (!values.includes(one)) turn(one);
            setTyped('');
          }}
          done={done}
        />
      )}
      {isFull && (
        <p className="editor-note" role="status">
          {FULL}
        </p>
      )}
      <div className="editor-foot">
        <Button size="xs" disabled={all.length === 0 || isUnread} onClick={done}>
          {all.length === 0 ? 'Apply' : `Apply ${all.length}`}
        </Button>
      </div>
    </>
  );
}

type TypedProps = {
  about: About;
  label: string;
  /** What it was before. */
  hint: string | undefined;
  typed: string;
  /** What that means. */
  value: string | undefined;
  setTyped: (typed: string) => void;
  take: (value: string) => void;
  /** On nothing. */
  done?: () => void;
  back: () => void;
  field?: Ref<HTMLInputElement>;
};

/** What cannot be read is said when someone goes on, not while they type. */
function Typed({ about, label, hint, typed, value, setTyped, take, done, back, field }: TypedProps) {
  const first = useFocus();
  const [refused, setRefused] = useState('');
  const isTime = about.values === 'time';
  const fault =
    refused !== '' && refused === typed ? (FAULTS[about.values] ?? `At most ${LONGEST_VALUE} letters.`) : undefined;
  const hear = (event: KeyboardEvent) => {
    if (event.key === 'Enter') {
      event.preventDefault();
      if (value !== undefined) take(value);
      else if (typed.trim() === '') done?.();
      else setRefused(typed);
    }
    if (event.key === 'Backspace' && typed === '') {
      event.preventDefault();
      back();
    }
  };
  return (
    <>
      <input
        ref={field ?? first}
        {...(!field && { 'data-autofocus': true })}
        className="editor-input"
        aria-label={label}
        aria-invalid={fault !== undefined}
        placeholder={hint || (isTime ? 'today, 7 days ago, 22 nov 14:30' : label)}
        inputMode={about.values === 'number' ? 'numeric' : 'text'}
        autoComplete="off"
        spellCheck={false}
        maxLength={isTime ? 60 : LONGEST_VALUE + 1}
        value={typed}
        onChange={({ currentTarget: { value: text } }) => setTyped(text)}
        onKeyDown={hear}
      />
      {(fault || isTime) && (
        <p className={fault ? 'editor-note fault' : 'editor-note'} role="status">
          {fault ?? (value ? sayMoment(value) : 'Type it, or choose below.')}
        </p>
      )}
      {isTime && !field && (
        <>
          <div className="editor-times" role="group" aria-label="Often">
            {SUGGESTED.filter((word) => !about.isPast || !/^(tom|in )/.test(word)).map((word) => (
              <Button key={word} size="compact" variant="default" onClick={() => take(readMoment(word)!)}>
                {word}
              </Button>
            ))}
          </div>
          <Suspense fallback={<div className="calendar days" />}>
            <Calendar
              at={value ? new Date(value.length === 10 ? `${value}T00:00` : value) : undefined}
              choose={setTyped}
              isDays
            />
          </Suspense>
        </>
      )}
    </>
  );
}
