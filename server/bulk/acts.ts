import type { Static, TSchema } from 'typebox';
import { FieldChange, Spread, type BulkKind } from '../../contract/bulk.ts';
import type { EventKind } from '../../contract/events.ts';
import { FIELD, LONGEST_VALUE } from '../../contract/filters.ts';
import type { Matching } from '../../contract/lead-table.ts';
import { Migration, Outcome } from '../../contract/leads.ts';
import { scopeOf, type Right } from '../../contract/roles.ts';
import { lockLead, lockWholeLead } from '../leads/access.ts';
import { changeLead } from '../leads/change.ts';
import { delegateLead, findClaimants, releaseLead } from '../leads/claims.ts';
import { deleteLead } from '../leads/deleted.ts';
import { migrateLead } from '../leads/migrate.ts';
import { giveOutcome } from '../leads/outcomes.ts';
import type { Before } from '../leads/put-back.ts';
import { renewLead } from '../leads/renew.ts';
import { findList } from '../lists/lists.ts';
import type { Actor } from '../platform/actor.ts';
import { Last, settle } from '../platform/db.ts';
import { conflict, forbidden, type HttpError } from '../platform/errors.ts';
import { compileReader, invalid, named } from '../platform/read.ts';
import type { Work } from '../platform/work.ts';
import { findArchiving, findTaken, type Refusing } from './refusing.ts';
import type { Standing } from './standing.ts';

/** What is done to one lead after the other. */
export type Doing = {
  right: Right;
  /** Why nothing is to be done to a lead. */
  leaves: (lead: Standing, row: ActRow) => string | undefined;
  do: (work: Work, actor: Actor, lead: Standing, row: ActRow) => Promise<unknown>;
  /** What undoing puts back; unset: it cannot be undone. */
  before?: (lead: Standing) => Before | Deleted;
};

/** A lead of an act. Of an undo, what it is to put back. */
export type ActRow = { place: number; lead_id: number; before: Before | Deleted | null; left_at: string | null };

/** What can be done to many leads: each the verb for one lead, with what has to be known of it besides. */
export type Act = Doing & {
  /** What it takes, as it was read. */
  asked: object;
  says: string;
  /** The event that subscribers hear of; null: they hear nothing. */
  fires: { kind: EventKind; comment: string } | null;
  /** What is wrong with it when it is asked for. Once it has begun it goes on without. */
  fault?: HttpError;
  /** Leads to which it is done already, as a filter, where that can be said; `reason` goes on after “they are”. */
  already?: { reason: string; among: Matching };
  /** Lists to whose leads it cannot be done, and why. */
  refusing?: Refusing[];
};

/** Of a lead that was deleted: when, so that it is not brought back after somebody deleted it again. */
export type Deleted = { deleted_at: string };

export const NO_RIGHT = 'Your role does not allow this.';

export function refuseRole({ roles }: Actor, right: Right): void {
  if (scopeOf(roles, right) !== 'account') throw forbidden(NO_RIGHT);
}

export const RIGHTS: Record<BulkKind, Right> = {
  delegate: 'leads.delegate',
  release: 'leads.release',
  migrate: 'leads.migrate',
  archive: 'leads.outcome',
  renew: 'leads.outcome',
  change: 'leads.write',
  delete: 'leads.manage',
};

const reader = <Schema extends TSchema>(schema: Schema) => {
  const read = compileReader(schema);
  return (lead: unknown): Static<Schema> => {
    const result = read({ lead: lead ?? {} });
    if ('error' in result) throw result.error;
    return result.value as Static<Schema>;
  };
};

const readSpread = reader(Spread);
const readMigration = reader(Migration);
const readOutcome = reader(Outcome);
const readChange = reader(FieldChange);

const claimOf = ({ row: { claimed_by, claimed_at } }: Standing): Before => ({ claimed_by, claimed_at });
const stateOf = ({ row: { state, category, scheduled_for, exactly, turn_at, skipped } }: Standing): Before => ({
  state,
  category,
  scheduled_for,
  exactly,
  turn_at,
  skipped,
});
const withState = (...values: string[]): Matching => ({ filter: [{ name: 'state', operator: 'in', values }] });

type Open = (work: Work, actor: Actor, lead: unknown) => Promise<Omit<Act, 'right'>>;

const OPEN: Record<BulkKind, Open> = {
  delegate: async (work, actor, lead) => {
    const { delegate_to } = readSpread(lead).lead;
    const found = await findClaimants(work, actor, delegate_to);
    const people = [...new Map(found.map((person) => [person.id, person])).values()];
    const fault = invalid({ delegate_to: ['must be ids or e-mails of users who are not disabled'] });
    // By its place, so that those who have some of them already keep their share, and once more changes nothing.
    const turnOf = ({ place }: ActRow) => people[(place - 1) % people.length];
    const [only] = people;
    return {
      asked: { delegate_to },
      says:
        people.length === 1 ? `Delegated to ${only!.name}` : `Delegated to ${people.length} people, as many to each`,
      fires: { kind: 'claim', comment: '' },
      ...(found.length < delegate_to.length && { fault }),
      leaves: ({ row }, act) =>
        people.length === 0 ? fault.message : row.claimed_by === turnOf(act)!.id ? 'already theirs' : undefined,
      ...(people.length === 1 && {
        already: {
          reason: 'already theirs',
          among: { filter: [{ name: 'claimed_by', operator: 'is', values: [String(only!.id)] }] },
        },
      }),
      before: claimOf,
      do: async (doing, by, { id }, act) => settle(doing.db, await delegateLead(doing, by, id, () => turnOf(act)!.id)),
    };
  },
  release: async () => ({
    asked: {},
    says: 'Released',
    fires: null,
    leaves: ({ row }) => (row.claimed_by === null ? 'claimed by nobody' : undefined),
    already: {
      reason: 'claimed by nobody',
      among: { filter: [{ name: 'claimed_by', operator: 'empty', values: [] }] },
    },
    before: claimOf,
    do: async (work, actor, { id }) =>
      settle(work.db, releaseLead(work, actor, await lockLead(work, actor, id, 'leads.release'))),
  }),
  migrate: async (work, actor, lead) => {
    const asked = readMigration(lead).lead;
    const { to_list_id, give_back_leads = false } = asked;
    const list = await named(
      'to_list_id',
      'is no list of this account',
      findList(work, actor, to_list_id, 'leads.migrate'),
    );
    return {
      asked,
      says: `Moved to ${list.name}${give_back_leads ? ', released' : ''}`,
      fires: null,
      leaves: ({ row }) =>
        row.list_id === to_list_id && !(give_back_leads && row.claimed_by !== null)
          ? 'already in that list'
          : undefined,
      ...(!give_back_leads && { already: { reason: 'already in that list', among: { list_ids: [to_list_id] } } }),
      before: (one) => ({ list_id: one.row.list_id, ...(give_back_leads && claimOf(one)) }),
      do: async (doing, by, { id }) => settle(doing.db, await migrateLead(doing, by, id, () => asked)),
    };
  },
  archive: async (reading, { account }, lead) => {
    const { category, comment } = readOutcome(lead).lead;
    const taken = category ? await findArchiving(reading, account.id, category) : undefined;
    const given = { ...(category && { category }), ...(comment && { comment }) };
    const ofCategory = category ? [{ name: 'category', operator: 'is' as const, values: [category] }] : [];
    return {
      asked: given,
      says: category ? `Archived as ${category}` : 'Archived',
      fires: { kind: 'archive', comment: comment ?? '' },
      ...(taken?.fault && { fault: taken.fault }),
      leaves: ({ row }) =>
        row.state === 'archived' && (!category || row.category === category)
          ? 'already archived'
          : taken?.refusals.get(row.list_id)?.message,
      already: { reason: 'already archived', among: { filter: [...withState('archived').filter!, ...ofCategory] } },
      ...(taken && { refusing: taken.refusing }),
      before: stateOf,
      do: async (work, actor, { id }) => settle(work.db, await giveOutcome(work, actor, id, 'archive', () => given)),
    };
  },
  renew: async () => ({
    asked: {},
    says: 'Made new again',
    fires: { kind: 'lead_updated', comment: '' },
    leaves: ({ row }) => (row.state === 'new' ? 'already new' : undefined),
    already: { reason: 'already new', among: withState('new') },
    before: stateOf,
    do: async (work, actor, { id }) => settle(work.db, await renewLead(work, actor, id)),
  }),
  change: async (work, { account }, lead) => {
    const { field, value } = readChange(lead).lead;
    const { label, refusals, refusing, fault } = await findTaken(work, account.id, field, value);
    return {
      asked: { field, value },
      says: value ? `${label} set to ${shorten(value)}` : `${label} cleared`,
      fires: { kind: 'lead_updated', comment: '' },
      ...(fault && { fault }),
      leaves: ({ row, text }) =>
        refusals.get(row.list_id)?.message ?? (text === (value ?? '') ? 'already says so' : undefined),
      ...(value &&
        value.length <= LONGEST_VALUE && {
          already: {
            reason: 'saying so already',
            among: { filter: [{ name: `${FIELD}${field}`, operator: 'is', values: [value] }] },
          },
        }),
      refusing,
      before: ({ text }) => ({ fields: { [field]: text ?? '' } }),
      do: async (doing, by, { id }) => {
        const done = await changeLead(doing, by, id, () => ({ [field]: value }));
        // By what kind of field it is, it says the same.
        if (!(done instanceof Last)) throw conflict('unchanged', 'already says so');
        await settle(doing.db, done);
      },
    };
  },
  delete: async () => ({
    asked: {},
    says: 'Deleted',
    fires: null,
    leaves: () => undefined,
    before: ({ now }) => ({ deleted_at: now }),
    do: async (work, actor, { id }) => deleteLead(work, actor, await lockWholeLead(work, actor, id, 'leads.manage')),
  }),
};

const shorten = (text: string): string => (text.length > 60 ? `${text.slice(0, 59)}…` : text);

/** Reads what it takes, or says what is wrong with that. */
export const openAct = async (work: Work, actor: Actor, kind: BulkKind, lead: unknown): Promise<Act> => ({
  right: RIGHTS[kind],
  ...(await OPEN[kind](work, actor, lead)),
});
