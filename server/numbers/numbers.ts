import { getCountryCallingCode, isSupportedCountry } from 'libphonenumber-js/max';
import type { Static } from 'typebox';
import type { ReadNumbers } from '../../contract/calls.ts';
import { seesLead } from '../leads/access.ts';
import { toldSql } from '../leads/told.ts';
import { boundOf, type Actor } from '../platform/actor.ts';
import { one, query } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { readPhone, writePhone } from '../platform/phones.ts';
import { invalid } from '../platform/read.ts';
import { placeOf, whereIs } from '../platform/zones.ts';
import type { Reading } from '../platform/work.ts';
import type { CallerId } from '../telephony/carrier.ts';
import type { WholeLead } from '../leads/access.ts';

/** Which number is called, and which one is shown. */

/** How an account, and one of its lists, calls. */
export type Manners = {
  country: string;
  record_calls: boolean;
  /** Whether those who are recorded hear so first. */
  announce_recording: boolean;
  /** null: numbers are dialled as they stand; 'account': those without + get the prefix of the account's country; else the prefix. */
  prepend_phone: string | null;
  caller: CallerId;
};

const MANNERS = sql('numbers/numbers.manners')`
  select a.country, coalesce(li.record_calls, a.record_calls) as record_calls, a.announce_recording,
         li.prepend_phone,
         json_build_object('number', coalesce(li.caller_number, a.caller_number),
                           'name', case when li.caller_number is null then coalesce(li.caller_name, a.caller_name)
                             else li.caller_name end) as caller
    from accounts a left join lists li on li.account_id = a.id and li.id = $2 where a.id = $1`;

export async function mannersOf(
  { db }: Pick<Reading, 'db'>,
  accountId: number,
  listId: number | null,
): Promise<Manners> {
  const [manners] = await query<Manners>(db, MANNERS, [accountId, listId]);
  return manners!;
}

/** The number of a lead that is asked for: one that is given, one of its phone columns, or the first that is filled in. */
export function numberOf({ list, data }: WholeLead, given: { number?: string; column?: string }): string {
  if (given.number !== undefined) return given.number;
  const phones = list.columns.filter(({ kind }) => kind === 'phone').map(({ key }) => key);
  if (given.column !== undefined && !phones.includes(given.column))
    throw invalid({
      column: [
        phones.length > 0 ? `must be one of ${phones.join(', ')}` : 'must be left out: the list has no phone columns',
      ],
    });
  const number = (given.column === undefined ? phones : [given.column])
    .map((key) => data.get(key)?.trim())
    .find(Boolean);
  if (!number) throw invalid({ [given.column === undefined ? 'lead_id' : 'column']: ['has no phone number'] });
  return number;
}

const FEWEST_DIGITS = 2;
const LONGEST = 40;

/** As it is dialled. */
export function dialable(text: string, { country, prepend_phone }: Pick<Manners, 'country' | 'prepend_phone'>): string {
  const digits = text.replaceAll(/\D/g, '');
  if (digits.length < FEWEST_DIGITS || digits.length > LONGEST) throw invalid({ number: ['must be a phone number'] });
  // What stands before a number, `(`, `tel:` or a mark that nobody sees, is no part of it.
  const begun = text.slice(text.search(/[+＋\d]/));
  if (/^([+＋]|00)/.test(begun)) return international(begun, country) ?? `+${digits.replace(/^00/, '')}`;
  if (prepend_phone === null) return digits;
  if (prepend_phone !== 'account') return international(prepend_phone + digits, country) ?? prepend_phone + digits;
  return international(text, country) ?? `+${callingCode(country)}${digits}`;
}

/** Antarctica has none. */
function callingCode(country: string): string {
  if (isSupportedCountry(country)) return getCountryCallingCode(country);
  throw invalid({ number: ['must begin with +: the country of the account has no numbers of its own'] });
}

function international(text: string, country: string): string | undefined {
  const normal = readPhone(text, country)?.normal;
  return normal?.startsWith('+') ? normal : undefined;
}

const NUMBERS = sql('numbers/numbers.numbers')`
  select a.country, a.time_zone, (
           select ${toldSql('c.key')} from list_columns c
            where c.account_id = l.account_id and c.list_id = l.list_id and c.key in ('time_zone', 'timezone')
            order by c.position limit 1) as own_zone,
         array(select json_build_object('column', c.key, 'text', ${toldSql('c.key')}) from list_columns c
                where c.account_id = l.account_id and c.list_id = l.list_id and c.kind = 'phone'
                  and ${toldSql('c.key')} <> '' order by c.position) as numbers
    from leads l
    join accounts a on a.id = l.account_id
    join lists li on li.account_id = l.account_id and li.id = l.list_id
    join lead_data d on d.account_id = l.account_id and d.lead_id = l.id
   where l.account_id = $1 and l.id = $2 and ${seesLead('l', '$3::bigint')}`;

/** Where a lead's numbers are, and what time it is there. */
export async function readNumbers(
  { db }: Reading,
  actor: Actor,
  leadId: number | undefined,
): Promise<Static<typeof ReadNumbers>> {
  type Row = {
    country: string;
    time_zone: string;
    own_zone: string | null;
    numbers: { column: string; text: string }[];
  };
  const values = [actor.account.id, leadId ?? 0, boundOf(actor, 'leads.read')];
  const lead = await one<Row>(db, NUMBERS, values);
  // A column of the list that says it, says it of the lead.
  const own = placeOf(lead.own_zone);
  return lead.numbers.flatMap(({ column, text }) => {
    const read = writePhone(text, lead.country);
    const there = own ?? whereIs(text, lead.country, lead.time_zone) ?? null;
    return read ? [{ column, ...read, there }] : [];
  });
}
