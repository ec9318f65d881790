import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { accountQuery } from '../../manage/queries.ts';
import { useRight } from '../../session.ts';
import './three-ways.css';

type Name = 'claim_on_win' | 'claim_on_schedule' | 'claim_on_put_off' | 'record_calls';

type Props = {
  name: Name;
  label: string;
  description: string;
  /** Null: as the account has it. */
  value: boolean | null;
  may: boolean;
  change: (value: boolean | null) => void;
};

const VALUES = { account: null, on: true, off: false } as const;
const nameOf = (value: boolean | null) => (value === null ? 'account' : value ? 'on' : 'off');

/** A switch of the account that a list may have its own way. */
export function ThreeWays({ name, label, description, value, may, change }: Props) {
  const id = useId();
  const sees = useRight('account.manage');
  const { data: account } = useQuery({ ...accountQuery, enabled: sees });
  const asAccount = account ? `As the account (${account[name] ? 'on' : 'off'})` : 'As the account';
  return (
    <div className="three-ways">
      <div>
        <p id={id} className="strong">
          {label}
        </p>
        <p className="meta">{description}</p>
      </div>
      <SegmentedControl
        size="xs"
        aria-labelledby={id}
        disabled={!may}
        transitionDuration={0}
        value={nameOf(value)}
        data={[
          { value: 'account', label: asAccount },
          { value: 'on', label: 'On' },
          { value: 'off', label: 'Off' },
        ]}
        onChange={(chosen) => change(VALUES[chosen])}
      />
    </div>
  );
}
