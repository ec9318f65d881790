import { useEffect, useRef, useState, type FormEvent, type ReactNode } from 'react';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import type { CategoryKind } from '../../../contract/lists.ts';
import { sayCount } from '../../counts.ts';
import { sayDate } from '../../times.ts';
import { Button } from '../../ui/button.tsx';
import { faultOf, useRenaming } from './categories.ts';
import '../../ui/input.css';
import './rename-category.css';

/** How long the API takes the old name. */
const ACCEPTED_MS = 30 * 86_400_000;

type Props = {
  list: ListWithSettings;
  kind: CategoryKind;
  category: string;
  others: string[];
  leads: number | undefined;
  close: () => void;
  /** Around the input, which stands in the place of the name. */
  children?: (input: ReactNode) => ReactNode;
};

/** Another name in the place of the one it has, with what follows from it. */
export function RenameCategory({ list, kind, category, others, leads, close, children = (input) => input }: Props) {
  const [typed, setTyped] = useState(category);
  const [isTried, setTried] = useState(false);
  const renaming = useRenaming(list, kind, category, close);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => field.current?.select(), []);
  const own = isTried ? faultOf(typed, others) : undefined;
  const fault = own ?? renaming.error?.message;
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === category) return close();
    setTried(true);
    if (faultOf(typed, others) === undefined && !renaming.isPending) renaming.mutate(typed);
    return undefined;
  };
  const along = leads === undefined || leads === 0 ? 'No lead carries it' : `Takes ${sayCount(leads, 'lead')} along`;
  const input = (
    <input
      ref={field}
      className="field-input"
      aria-label={`New name of ${category}`}
      aria-invalid={fault !== undefined}
      autoComplete="off"
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
    />
  );
  return (
    <form
      className="rename-category"
      noValidate
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && close()}
    >
      {children(input)}
      {fault && (
        <p className="field-error" role="alert">
          {fault}
        </p>
      )}
      <div className="rename-foot">
        <p className="meta">
          {along}, tells nobody.
          <br />
          The API accepts the old name until {sayDate(new Date(Date.now() + ACCEPTED_MS))}.
        </p>
        <Button variant="default" size="xs" onClick={close}>
          Cancel
        </Button>
        <Button type="submit" size="xs" loading={renaming.isPending}>
          Rename {category}
        </Button>
      </div>
    </form>
  );
}
