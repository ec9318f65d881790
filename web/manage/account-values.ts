import type { UseFormReturnType } from '@mantine/form';
import type { AccountChange } from '../../contract/accounts.ts';
import type { AccountSettings } from './queries.ts';

export const LABELS = {
  name: 'Name',
  base_url: 'Address',
  country: 'Country',
  time_zone: 'Time zone',
  claim_lapse_days: 'Days until a claim lapses',
  caller_number: 'Caller number',
  caller_name: 'Caller name',
  recordings_keep_days: 'Days to keep recordings',
  claim_on_schedule: 'Scheduling an exact time claims the lead',
  claim_on_put_off: 'Putting off claims the lead',
  claim_on_win: 'Winning claims the lead',
  record_calls: 'Record calls',
  announce_recording: 'Announce recordings',
  away_reasons: 'Reasons to be away',
  most_calls_a_number: 'Calls to one number',
  most_texts_a_number: 'Texts to one number',
  most_calls_a_day: 'Calls of the account',
  most_texts_a_day: 'Texts of the account',
  most_automated_calls: 'Automated calls at once',
};

type Change = AccountChange['account'];
/** As the fields hold them: an empty field is an empty text. */
const NUMBERS = [
  'claim_lapse_days',
  'recordings_keep_days',
  'most_calls_a_number',
  'most_texts_a_number',
  'most_calls_a_day',
  'most_texts_a_day',
  'most_automated_calls',
] as const;
export type Numbers = Record<(typeof NUMBERS)[number], number | string>;
export type Values = Omit<AccountSettings, 'id' | 'created_at' | 'away_reasons' | keyof Numbers> &
  Numbers & { caller_number: string; caller_name: string; away_reasons: string };
export type Form = UseFormReturnType<Values>;

export const toValues = ({ id: _id, created_at: _at, ...account }: AccountSettings): Values => ({
  ...account,
  ...(Object.fromEntries(NUMBERS.map((name) => [name, account[name] ?? ''])) as Numbers),
  caller_number: account.caller_number ?? '',
  caller_name: account.caller_name ?? '',
  away_reasons: account.away_reasons.join(', '),
});

const NULL_WHEN_EMPTY = new Set<string>([...NUMBERS, 'caller_number', 'caller_name']);

/** Only what differs: beside other accounts the address, for one, may not even be named. */
export const changesOf = (before: Values, now: Values): Change =>
  Object.fromEntries(
    Object.entries(now)
      .filter(([name, value]) => before[name as keyof Values] !== value)
      .map(([name, value]) => {
        if (name === 'away_reasons') return [name, namesIn(String(value))];
        const text = typeof value === 'string' ? value.trim() : value;
        return [name, text === '' && NULL_WHEN_EMPTY.has(name) ? null : text];
      }),
  );

/** `Break, Lunch` → each once, as it is written. */
const namesIn = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map((name) => name.trim())
      .filter(Boolean),
  ),
];
