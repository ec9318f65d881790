import { useState } from 'react';
import { valuesOf, type Operator, type Token } from '../../../contract/filters.ts';
import { Failure } from '../../ui/parts.tsx';
import { Choose } from './choose.tsx';
import type { Known } from './subjects.ts';
import { ValueStep } from './value-step.tsx';
import { sayOperator, sayValue } from './words.ts';
import './token-editor.css';

export type Step = 'subject' | 'operator' | 'value';

type Props = {
  known: Known;
  /** The one that is changed. */
  token?: Token;
  step: Step;
  save: (token: Token) => void;
  close: () => void;
};

/** What it is about, how it is compared, with what: one after the other. Enter goes on, Backspace on nothing goes back. */
export function TokenEditor({ known, token, step: start, save, close }: Props) {
  const [step, setStep] = useState(start);
  const [draft, setDraft] = useState<{ name: string; operator: Operator; values: string[] } | undefined>(token);
  const about = draft && known.find(draft.name);
  const finish = (done: Token) => {
    close();
    save(done);
  };
  if (known.error && !known.isKnown) return <Failure error={known.error} again={() => void known.refetch()} />;
  if (step === 'subject' || !draft || !about)
    return (
      <Choose
        label="Filter by"
        choices={known.all.map(({ name, label }) => ({ value: name, label }))}
        current={draft?.name}
        take={(name) => {
          const { operators } = known.find(name);
          const isSame = draft?.name === name;
          const operator = draft && operators.includes(draft.operator) ? draft.operator : operators[0]!;
          setDraft({ name, operator, values: isSame ? draft.values : [] });
          setStep('operator');
        }}
        back={close}
      />
    );
  const takeOperator = (operator: Operator) => {
    const [least, most] = valuesOf(operator);
    const { values } = draft;
    if (most === 0) return finish({ ...draft, operator, values: [] });
    const fits = values.length >= least && values.length <= most;
    // What was said of one may be the first of several.
    setDraft({ ...draft, operator, values: fits ? values : values.slice(0, most === 1 || most > 2 ? most : 0) });
    return setStep('value');
  };
  return (
    <>
      <p className="editor-said">
        <b>{about.label}</b> {step === 'value' && sayOperator(draft.operator, about)}
      </p>
      {step === 'operator' ? (
        <Choose
          label="How"
          choices={about.operators.map((operator) => ({ value: operator, label: sayOperator(operator, about) }))}
          current={draft.operator}
          take={(operator) => takeOperator(operator as Operator)}
          back={() => setStep('subject')}
        />
      ) : (
        <ValueStep
          about={about}
          operator={draft.operator}
          values={draft.values}
          say={(value) => sayValue(value, about, known.nameOf)}
          take={(values) => finish({ ...draft, values })}
          back={() => setStep('operator')}
        />
      )}
    </>
  );
}
