import { NumberInput } from '@mantine/core';
import { LABELS, type Form, type Numbers } from './account-values.ts';

type Ceiling = { form: Form; name: keyof Numbers & `most_${string}`; description: string; max: number };

const Ceiling = ({ form, name, description, max }: Ceiling) => (
  <NumberInput
    className="short"
    label={LABELS[name]}
    description={description}
    min={1}
    max={max}
    allowDecimal={false}
    clampBehavior="none"
    placeholder="No ceiling"
    {...form.getInputProps(name)}
  />
);

export const Ceilings = ({ form }: { form: Form }) => (
  <div className="stack">
    <p className="meta">
      What would go past a ceiling is refused, and whoever asked is told when it is possible again. Calls and texts that
      come in, and calls between colleagues, are never counted. Empty means no ceiling.
    </p>
    <div className="side-by-side">
      <Ceiling form={form} name="most_calls_a_number" description="Within 24 hours." max={1_000} />
      <Ceiling form={form} name="most_texts_a_number" description="Within 24 hours." max={1_000} />
    </div>
    <div className="side-by-side">
      <Ceiling form={form} name="most_calls_a_day" description="To all numbers, within 24 hours." max={1_000_000} />
      <Ceiling form={form} name="most_texts_a_day" description="To all numbers, within 24 hours." max={1_000_000} />
    </div>
    <Ceiling form={form} name="most_automated_calls" description="Calls on which nobody of yours talks." max={1_000} />
  </div>
);
