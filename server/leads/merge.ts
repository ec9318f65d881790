import { nameOfField } from '../../contract/changes.ts';
import type { Merge } from '../../contract/leads.ts';
import { moveEvents, record, type Happening } from '../activity/record.ts';
import { lockWholeLead, refuseForeignClaim, type WholeLead } from './access.ts';
import { writeData } from './change.ts';
import { mayClaim } from './claims.ts';
import { rewordLead } from './comments.ts';
import { countMove } from './counters.ts';
import { carryHold } from './holds.ts';
import { rememberMerge } from './merged.ts';
import { removeLead } from './remove.ts';
import { readOfKind } from './values.ts';
import type { ListColumn } from '../lists/columns.ts';
import type { Actor } from '../platform/actor.ts';
import { query, type Statement } from '../platform/db.ts';
import { sql } from '../platform/sql.ts';
import { invalid, named } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { redirectDeliveries } from '../webhooks/deliveries.ts';

const IGNORE = sql('leads/merge.ignore')`
  insert into ignored_duplicates (account_id, lead_id, other_id) values ($1, $2, $3), ($1, $3, $2)
   on conflict do nothing`;

/** Two leads that look alike are two people after all. */
export async function ignoreDuplicate(
  work: Work,
  actor: Actor,
  id: number | undefined,
  read: () => number,
): Promise<void> {
  const lead = await lockWholeLead(work, actor, id, 'leads.write');
  const other = await openOther(work, actor, lead, read());
  refuseForeignClaim(actor, lead, 'leads.write');
  await record(work, actor, { lead, kind: 'duplicate_ignored', changes: { duplicate: [other.id, null] } }, [
    { text: IGNORE, values: [actor.account.id, lead.id, other.id] },
  ]);
}

// One of them may be going in the same moment, into another or for good: it is waited for, and left out.
const IGNORE_TOO = sql('leads/merge.ignore_too')`
  with others as materialized (
    select id from leads where account_id = $1 and id <> $3 and id in (
           select other_id from ignored_duplicates where account_id = $1 and lead_id = $2)
     order by id for key share
  )
  insert into ignored_duplicates (account_id, lead_id, other_id)
  select $1, pair.* from others
   cross join lateral (values ($3::bigint, others.id), (others.id, $3)) as pair (lead_id, other_id)
   on conflict do nothing`;

/** Whoever was found to be another than the lead that goes is another than the one that stays. */
const ignoreToo = (accountId: number, gone: number, kept: number): Statement => ({
  text: IGNORE_TOO,
  values: [accountId, gone, kept],
});

/** Which state is kept of two. */
const WORTH = ['new', 'archived', 'lost', 'call_back', 'won'];

/** Whether someone waits for it: also one whose time has come, and which nobody has called yet. */
const isAgreed = ({ exactly, scheduled_for }: WholeLead): boolean => exactly && scheduled_for !== null;

/** Of two call backs the one that has an appointment, else the sooner. */
function betterOf(kept: WholeLead, gone: WholeLead): WholeLead {
  const worth = WORTH.indexOf(gone.state) - WORTH.indexOf(kept.state);
  if (worth !== 0) return worth > 0 ? gone : kept;
  if (kept.state !== 'call_back') return kept;
  if (isAgreed(kept) !== isAgreed(gone)) return isAgreed(gone) ? gone : kept;
  return gone.turn_at < kept.turn_at ? gone : kept;
}

const KEEP = sql('leads/merge.keep')`
  update leads set state = $3, category = $4, scheduled_for = $5, exactly = $7, turn_at = $8, claimed_by = $6,
         skipped = $9,
         claimed_at = case when $6::bigint is null then null else coalesce(claimed_at, now()) end,
           last_updated = greatest(last_updated, clock_timestamp())
   where account_id = $1 and id = $2`;

/**
 * One lead of two: the first stays, the second goes. Nothing is lost: where nobody chose, empty fields are filled; values that go are in the
 * event, and the histories are one.
 */
export async function mergeLeads(work: Work, actor: Actor, id: number | undefined, read: () => Merge): Promise<void> {
  const kept = await lockWholeLead(work, actor, id, 'leads.manage');
  const { duplicate_id, take } = read();
  const gone = await openOther(work, actor, kept, duplicate_id, 'leads.manage');
  const account = actor.account.id;
  const better = betterOf(kept, gone);
  const [data, hidden] = [new Map(kept.data), new Map(kept.hidden)];
  const columns = new Map(kept.list.columns.map((column) => [column.key, column]));
  const changes: NonNullable<Happening['changes']> = { merged: [gone.id, null] };
  const worse = better === kept ? gone : kept;
  // Times that the list gave are nobody's loss.
  if (isAgreed(worse) && worse.scheduled_for?.getTime() !== better.scheduled_for?.getTime())
    changes.scheduled_for = [worse.scheduled_for, better.scheduled_for];
  // Whoever has it open goes on with what stays, by the claim alone where its list is not theirs.
  const carriesClaim =
    kept.claimed_by === null &&
    gone.claimed_by !== null &&
    (gone.list_id === kept.list_id ||
      gone.held_by === gone.claimed_by ||
      (await mayClaim(work, actor, gone.claimed_by, kept.list_id)));
  const claim = carriesClaim ? gone.claimed_by : kept.claimed_by;
  if (gone.claimed_by !== null && gone.claimed_by !== kept.claimed_by)
    changes.claimed_by = carriesClaim ? [null, gone.claimed_by_email] : [gone.claimed_by_email, kept.claimed_by_email];
  const others = new Map([...gone.hidden, ...gone.data]);
  for (const key of new Set([...others.keys(), ...data.keys()])) {
    const into = columns.has(key) ? data : hidden;
    const [own, other] = [into.get(key) ?? '', others.get(key) ?? ''];
    if (own === other) continue;
    const fault = faultOf(columns.get(key), other);
    const isChosen = into === data && take?.includes(key);
    if (isChosen && fault) throw invalid({ [key]: [fault] });
    // What the other list hides is told to nobody who could choose it.
    const wasAsked = take && into === data && gone.data.has(key);
    const takes = wasAsked ? isChosen : isChosen || (own === '' && !fault);
    const [lost, stays] = takes ? [own, other] : [other, own];
    if (takes) into.set(key, other);
    if (lost !== '') changes[nameOfField(key)] = [lost, stays];
  }
  // Their histories first, and what leads there: with the lead they would go too.
  const moved = [
    redirectDeliveries(account, gone.id, kept.id),
    moveEvents(account, gone.id, kept.id),
    ...work.leadMerged(account, gone.id, kept.id),
    ...rememberMerge(account, gone.id, kept.id),
    ignoreToo(account, gone.id, kept.id),
    carryHold(account, gone.id, kept.id),
  ];
  for (const { text, values } of moved) await query(work.db, text, values);
  await removeLead(work, actor, gone);
  await record(work, actor, { lead: kept, kind: 'merge', changes }, [
    {
      text: KEEP,
      values: [
        account,
        kept.id,
        better.state,
        better.category,
        better.scheduled_for,
        claim,
        better.exactly,
        better.turn_at,
        better.skipped,
      ],
    },
    ...writeData(account, kept.id, kept.list, { data, hidden, former: kept }),
    ...countMove(account, kept, { list_id: kept.list_id, state: better.state, category: better.category }),
  ]);
  await rewordLead(work, account, kept);
}

/** Why a value of one list is none of another's column. */
function faultOf(column: ListColumn | undefined, text: string): string | undefined {
  if (!column) return undefined;
  if (text === '') return column.required ? 'must not be empty' : undefined;
  const read = readOfKind(column, text);
  return 'fault' in read ? read.fault : undefined;
}

function openOther(
  work: Work,
  actor: Actor,
  lead: WholeLead,
  id: number,
  right: 'leads.write' | 'leads.manage' = 'leads.write',
): Promise<WholeLead> {
  if (id === lead.id) throw invalid({ duplicate_id: ['must be another lead'] });
  return named('duplicate_id', 'is no lead of this account', lockWholeLead(work, actor, id, right));
}
