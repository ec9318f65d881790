import { NativeSelect, TextInput } from '@mantine/core';
import type { ListChange, ListWithSettings } from '../../../contract/list-pages.ts';
import { Button } from '../../ui/button.tsx';
import { Fault, restOf, useFaults } from '../../ui/form.tsx';
import { LeaveDialog } from '../../manage/leave-dialog.tsx';
import { useListChange } from '../change-list.ts';
import { Clash } from '../clash.tsx';
import { useChangeAtOnce, useDraft, useMayChange } from './changing.ts';
import { Beside, Part } from './part.tsx';
import { ThreeWays } from './three-ways.tsx';
import '../../ui/form.css';
import './save-foot.css';

const LABELS = { caller_number: 'Caller number', caller_name: 'Caller name', prepend_phone: 'Prefix' };
const BAD_NUMBER = 'Write it with + and the code of the country: +4570101010.';

/** As the fields hold them. */
type Values = { number: string; name: string; adds: 'none' | 'account' | 'own'; prefix: string };

const toValues = ({ caller_number, caller_name, prepend_phone }: ListWithSettings): Values => ({
  number: caller_number ?? '',
  name: caller_name ?? '',
  adds: typeof prepend_phone === 'string' ? 'own' : prepend_phone ? 'account' : 'none',
  prefix: typeof prepend_phone === 'string' ? prepend_phone : '',
});

/** Spaces within a number are how people write it. */
const bare = (number: string) => number.replaceAll(/[\s().-]/g, '');

const prefixOf = ({ adds, prefix }: Values): ListWithSettings['prepend_phone'] =>
  adds === 'own' ? bare(prefix) : adds === 'account';

function changesOf(list: ListWithSettings, values: Values): ListChange {
  const number = bare(values.number) || null;
  const name = values.name.trim() || null;
  return {
    ...(number !== list.caller_number && { caller_number: number }),
    ...(name !== list.caller_name && { caller_name: name }),
    ...(prefixOf(values) !== prefixOf(toValues(list)) && { prepend_phone: prefixOf(values) }),
  };
}

export function CallsPart({ list }: { list: ListWithSettings }) {
  const { values: typed, seen, set, drop, send, settle } = useDraft<Values>(list);
  const values = { ...toValues(list), ...typed };
  const change = changesOf(list, values);
  const isChanged = Object.keys(change).length > 0;
  const saving = useListChange(list, settle);
  const atOnce = useChangeAtOnce(list);
  const may = useMayChange();
  const faults = useFaults(saving.error, LABELS, {
    caller_number: values.number,
    caller_name: values.name,
    prepend_phone: prefixOf(values),
  });
  return (
    <>
      <Part title="Caller ID and recording">
        <form
          className="stack"
          noValidate
          onSubmit={(event) => {
            event.preventDefault();
            if (!isChanged || saving.isPending) return;
            send();
            saving.save(change, seen);
          }}
        >
          <div className="side-by-side">
            <TextInput
              label={LABELS.caller_number}
              description="What people see when this list rings. Empty: the account’s."
              type="tel"
              autoComplete="off"
              value={values.number}
              error={faults.caller_number && BAD_NUMBER}
              onChange={(event) => set({ number: event.currentTarget.value })}
            />
            <TextInput
              label={LABELS.caller_name}
              description="Shown beside the number where the network carries names."
              autoComplete="off"
              value={values.name}
              error={faults.caller_name}
              onChange={(event) => set({ name: event.currentTarget.value })}
            />
          </div>
          <div className="side-by-side">
            <NativeSelect
              label="Numbers without +"
              description="What stands before them when they are dialled."
              data={[
                { value: 'none', label: 'Dialled as they stand' },
                { value: 'account', label: 'The account’s prefix' },
                { value: 'own', label: 'A prefix of its own' },
              ]}
              value={values.adds}
              onChange={(event) => set({ adds: event.currentTarget.value as Values['adds'] })}
            />
            {values.adds === 'own' && (
              <TextInput
                label={LABELS.prepend_phone}
                description="Begins with +, such as +45."
                type="tel"
                autoComplete="off"
                value={values.prefix}
                error={faults.prepend_phone && 'Write it with + and digits: +45.'}
                onChange={(event) => set({ prefix: event.currentTarget.value })}
              />
            )}
          </div>
          <Clash saving={saving} showTheirs={drop} />
          <Fault error={restOf(saving.error, LABELS)} />
          {isChanged && !saving.clash && (
            <div className="save-foot">
              <p className="grow" role="status">
                Not saved yet
              </p>
              <Button variant="default" onClick={drop}>
                Cancel
              </Button>
              <Button type="submit" loading={saving.isPending}>
                Save
              </Button>
            </div>
          )}
          <ThreeWays
            name="record_calls"
            label="Record calls"
            description="Both sides, from the answer on. Tell people where the law asks for it."
            value={list.record_calls}
            may={may}
            change={(value) => atOnce.mutate({ record_calls: value })}
          />
        </form>
        <LeaveDialog unsaved={Object.keys(change).map((name) => LABELS[name as keyof typeof LABELS])} />
      </Part>
      <Beside>
        <section className="panel trying-again" aria-label="Who is seen to call">
          <h2>Who is seen to call</h2>
          <p>{list.caller_number ?? 'The number of the account'}</p>
          {list.caller_name && <p>{list.caller_name}</p>}
          <p>It holds from the next call on, whoever makes it.</p>
        </section>
      </Beside>
    </>
  );
}
