import { TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconSearch } from '@tabler/icons-react';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { Lead as FoundLead } from '../../contract/leads.ts';
import type { Desk } from '../../contract/queue.ts';
import { get } from '../api.ts';
import { Button } from '../ui/button.tsx';
import { Dialog, DialogFoot } from '../ui/dialog.tsx';
import { Failure, Loading } from '../ui/parts.tsx';
import { StateBadge } from '../ui/states.tsx';
import { Pair } from './pair.tsx';
import { leadQuery, nameLead, type Lead } from './queries.ts';
import '../ui/rows.css';
import './merge-with.css';

type Props = { lead: Lead; columns: Desk['columns']; close: () => void };

/** Any lead that one knows to be the same, found by what it says, and compared like those that were detected. */
export function MergeWith({ lead, columns, close }: Props) {
  const [chosen, choose] = useState<number>();
  const other = useQuery({ ...leadQuery(chosen ?? 0), enabled: chosen !== undefined });
  return (
    <Dialog
      opened
      onClose={close}
      title={chosen === undefined ? `Merge ${nameLead(lead)} with another lead` : 'Compare'}
      size={860}
    >
      {chosen === undefined && <Find lead={lead} choose={choose} />}
      {chosen !== undefined && (
        <div className="merge-with">
          {other.error && <Failure error={other.error} again={() => void other.refetch()} />}
          {!other.error && !other.data && <Loading rows={5} />}
          {other.data && <Pair lead={lead} other={other.data} columns={columns} done={close} />}
          <DialogFoot>
            <Button variant="default" onClick={() => choose(undefined)}>
              Choose another
            </Button>
          </DialogFoot>
        </div>
      )}
    </Dialog>
  );
}

function Find({ lead, choose }: { lead: Lead; choose: (id: number) => void }) {
  const [typed, setTyped] = useState('');
  const [asked] = useDebouncedValue(typed.trim(), 200);
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: ['search', 'to merge', asked],
    queryFn: () => get<{ leads: FoundLead[] }>(`/leads/search?per_page=10&query=${encodeURIComponent(asked)}`),
    enabled: asked.length > 1,
    placeholderData: (before) => (asked.length > 1 ? before : undefined),
  });
  const found = data?.leads.filter(({ id }) => id !== lead.id);
  return (
    <div className="merge-with">
      <TextInput
        label="The other lead"
        description="Search by its name, number or anything that is known of it. It goes, and what it says can be kept."
        data-autofocus
        autoComplete="off"
        leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
        value={typed}
        onChange={({ currentTarget: { value } }) => setTyped(value)}
      />
      {error && <Failure error={error} again={() => void refetch()} />}
      {found?.length === 0 && !isFetching && <p className="dim">No other lead is found by that.</p>}
      {found && found.length > 0 && (
        <ul className="rows" aria-label="Leads found">
          {found.map((one) => (
            <li key={one.id}>
              <button type="button" className="row opens" onClick={() => choose(one.id)}>
                <span className="grow">
                  <span className="strong wrap">{nameLead(one)}</span>
                  <span className="meta block">
                    {[one.secondary_identifier, one.list_name].filter(Boolean).join(' · ')}
                  </span>
                </span>
                <StateBadge state={one.state} />
              </button>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
