import { NativeSelect, Switch } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import type { ListWithSettings } from '../../../contract/list-pages.ts';
import { sayCount } from '../../counts.ts';
import { Button } from '../../ui/button.tsx';
import { Fault } from '../../ui/form.tsx';
import { LeaveDialog } from '../../manage/leave-dialog.tsx';
import { useListChange } from '../change-list.ts';
import { Clash } from '../clash.tsx';
import { fieldsQuery, isRunning } from '../queries.ts';
import { useDraft } from './changing.ts';
import { Beside, Part } from './part.tsx';
import '../../ui/form.css';
import './save-foot.css';

const LABELS = {
  duplicates_match_on_phone: 'The same phone number',
  duplicates_match_on_email: 'The same e-mail address',
  duplicates_match_on: 'The same value in one more field',
};
const NAMES = Object.keys(LABELS) as (keyof typeof LABELS)[];
type Matching = Pick<ListWithSettings, keyof typeof LABELS>;

export function DuplicatesPart({ list }: { list: ListWithSettings }) {
  const { values, seen, set, drop, send, settle } = useDraft<Matching>(list);
  const matching: Matching = { ...list, ...values };
  const changes = NAMES.filter((name) => matching[name] !== list[name]);
  const { data } = useQuery(fieldsQuery(list.id));
  const saving = useListChange(list, settle);
  const save = () => {
    send();
    saving.save(Object.fromEntries(changes.map((name) => [name, matching[name]])), seen);
  };
  const fields = data?.fields ?? [];
  // By its label too, as the API takes both.
  const one = fields.find(({ key, label }) => [key, label].includes(matching.duplicates_match_on));
  const isUnknown = data !== undefined && matching.duplicates_match_on !== '' && !one;
  return (
    <>
      <Part title="Duplicates" aside="What makes two leads the same" jobs={list.jobs}>
        <div className="stack">
          <Switch
            withThumbIndicator={false}
            label={LABELS.duplicates_match_on_phone}
            description="In any phone field, however it is written."
            checked={matching.duplicates_match_on_phone}
            onChange={(event) => set({ duplicates_match_on_phone: event.currentTarget.checked })}
          />
          <Switch
            withThumbIndicator={false}
            label={LABELS.duplicates_match_on_email}
            description="In any e-mail field, in capitals or not."
            checked={matching.duplicates_match_on_email}
            onChange={(event) => set({ duplicates_match_on_email: event.currentTarget.checked })}
          />
          <NativeSelect
            className="short-field"
            label={LABELS.duplicates_match_on}
            description="Exactly the same, such as a customer number."
            data={[
              { value: '', label: 'None' },
              ...fields.map(({ key, label }) => ({ value: key, label })),
              ...(isUnknown
                ? [{ value: matching.duplicates_match_on, label: `${matching.duplicates_match_on} (no such field)` }]
                : []),
            ]}
            value={one?.key ?? matching.duplicates_match_on}
            onChange={(event) => set({ duplicates_match_on: event.currentTarget.value })}
          />
          <Clash saving={saving} showTheirs={drop} />
          <Fault error={saving.error} />
          {changes.length > 0 && !saving.clash && (
            <div className="save-foot">
              <p className="grow" role="status">
                <span className="strong">Marks of {sayCount(list.leads_count, 'lead')} are rewritten.</span> Until that
                is through, duplicates may be missing.
              </p>
              <Button variant="default" onClick={drop}>
                Cancel
              </Button>
              <Button loading={saving.isPending} onClick={save}>
                Change the matching
              </Button>
            </div>
          )}
          {changes.length === 0 && list.jobs.some((job) => isRunning(job) && job.kind === 'settle') && (
            <p className="meta">Marks are being rewritten; until that is through, duplicates may be missing.</p>
          )}
        </div>
        <LeaveDialog unsaved={changes.map((name) => LABELS[name])} />
      </Part>
      <Beside>
        <section className="panel trying-again" aria-label="How duplicates are found">
          <h2>How duplicates are found</h2>
          <p>Leads that share a value know each other, in this list and in others that match on the same.</p>
          <p>Agents see it on the card and compare. Data managers merge, or say that they are two.</p>
          <p>A value that more than 100 leads share, such as 0000000, counts as a placeholder.</p>
        </section>
      </Beside>
    </>
  );
}
