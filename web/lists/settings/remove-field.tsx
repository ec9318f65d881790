import type { Field, ListWithSettings } from '../../../contract/list-pages.ts';
import { ask } from '../../api.ts';
import { sayCount } from '../../counts.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { askOfFields } from './change-field.ts';

type Props = {
  list: ListWithSettings;
  opened: boolean;
  field: Field | undefined;
  /** Whether all leads were looked at to tell how many have a value. */
  isExact: boolean;
  close: () => void;
};

export function RemoveField({ opened, list, field, isExact, close }: Props) {
  const count = Math.round((field?.filled ?? 0) * list.leads_count);
  const leads = `${isExact ? '' : 'About '}${sayCount(count, 'lead has a value', 'leads have a value')}`;
  return (
    <Confirm
      opened={opened}
      close={close}
      title={`Remove ${field?.label ?? ''}`}
      safe="Keep it"
      verb="Remove the field"
      act={() =>
        askOfFields(list.id, (version) => ask('DELETE', `/lists/${list.id}/fields/${field!.id}?seen=${version}`))
      }
    >
      {count === 0 ? 'No lead has a value in it. ' : `${leads} in it, hidden from then on, here and at the API. `}
      When a field with the key <code>{field?.key}</code> is made again, values come back.
    </Confirm>
  );
}
