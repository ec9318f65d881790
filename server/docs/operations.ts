import type { HeaderName } from './headers.ts';
import type { MoreRefusals } from './refusals.ts';

/** What the reference says of each group, in the order in which it tells them. */
export const TAGS = {
  Users: 'People who work with the service. Roles add up: Agent, User manager, Data manager, Analyst, Supervisor.',
  Lists: 'What leads belong to: a list has fields (columns), categories for each outcome, and agents who work it.',
  Leads: 'Those who are to be called. Their data are the values of the columns of their list, under the keys of these.',
  Outcomes:
    'How a talk ended. Each moves the lead into its state from any other, and writes one event with comment and category.',
  Calls: 'Attempts to reach someone, answered or not, with their recordings.',
  Webhooks:
    'Subscriptions to what happens inside the service. What comes through the API is not told. Notifications are signed by [Standard Webhooks](https://www.standardwebhooks.com), come at least once, and in any order.',
} as const;

export type Operation = {
  /** The name of the operation in clients that are generated. */
  id: string;
  tag: keyof typeof TAGS;
  /** Markdown; the summary is the route's own. */
  description: string;
  /** What it can answer beyond that which follows from the route (`refusalsOf`). */
  refusals?: MoreRefusals;
  /** Headers of its success beyond those of every answer and of every page. */
  headers?: HeaderName[];
};

/** A lead that was merged is read where it went, and changed there only. */
const READS_LEAD: MoreRefusals = { 301: ['merged'] };
const CHANGES_LEAD: MoreRefusals = { 409: ['lead_claimed', 'merged'] };

const SCHEDULE =
  '`scheduled_for` goes before `call_back_in`. `category` has to be one of the list’s for this outcome, exactly, or for 30 days a name that one of them had before; otherwise nothing is recorded. The claim stays as it is. The body may be left out.';

const outcome = (id: string, description: string): Operation => ({
  id,
  tag: 'Outcomes',
  description: `${description} ${SCHEDULE}`,
  refusals: CHANGES_LEAD,
});

/**
 * What the reference says of every route at /api/v2, in the order in which it tells them. A route without a row here fails
 * `docs/openapi.test.ts`, and so does a row without a route.
 */
export const OPERATIONS: Record<string, Operation> = {
  'POST /users': {
    id: 'inviteUser',
    tag: 'Users',
    description:
      'Creates a user and mails an invitation, whose link works once and for 72 hours. The user counts toward the subscription, can sign in, and has a personal key once it is accepted.',
    refusals: { 409: ['outbox_full'] },
  },

  'GET /users': {
    id: 'listUsers',
    tag: 'Users',
    description:
      'A page of everyone in the account, newest first, with their roles and lists; invited and disabled ones too.',
  },
  'GET /users/:id': { id: 'getUser', tag: 'Users', description: 'The user with their roles, lists and status.' },

  'GET /lists': {
    id: 'listLists',
    tag: 'Lists',
    description: 'Every list that the key may see, newest first, without its categories. Not paged.',
  },
  'POST /lists': {
    id: 'createList',
    tag: 'Lists',
    description:
      'Makes a list with its fields. A field’s key comes from its label (`Telefonas (1)` is `telefonas_1`); read the keys from `/columns`. Without `columns_attributes` the list has the default fields. An account has at most 5,000 lists, those deleted in the last seven days included.',
    headers: ['Location'],
  },
  'GET /lists/:id': { id: 'getList', tag: 'Lists', description: 'The list with its categories.' },
  'GET /lists/:id/columns': {
    id: 'listColumns',
    tag: 'Lists',
    description: 'Every field in its order, hidden ones too. `key` is what leads are written and found by.',
  },
  'GET /lists/:id/stats': {
    id: 'getListStats',
    tag: 'Lists',
    description: 'Counts by state and category. They are kept as leads change, so they are never behind.',
  },

  'GET /lists/:id/leads': {
    id: 'listLeads',
    tag: 'Leads',
    description:
      'A page of leads, newest first by `created_at`; with `order=last_updated_first` the last changed first. Follow `Link: rel="next"` to walk through all of them. To keep a copy in step ask with `updated_since`: nothing that changes is missed, some leads come twice.',
    headers: ['X-Next-Updated-Since'],
  },
  'POST /lists/:id/leads': {
    id: 'createLead',
    tag: 'Leads',
    description:
      'Keys that are no columns of the list are kept hidden and named in `X-Unknown-Fields`; when none is known, 422. `{"lead":{}}` makes an empty lead unless a column is required. No webhook fires.',
    headers: ['Location', 'X-Unknown-Fields'],
  },
  'GET /lists/:id/leads/find': {
    id: 'findLeads',
    tag: 'Leads',
    description:
      'Exact match on the fields of the list: `?e_mail=ann@example.com&last_name=Ash`. Case-sensitive, the whole value, at most 50 conditions. All have to hold; with `matchall=false` one is enough, and keys that are no columns are passed over and named in `X-Unknown-Fields`.',
    headers: ['X-Unknown-Fields'],
  },
  'GET /leads/search': {
    id: 'searchLeads',
    tag: 'Leads',
    description:
      'Free text over lead data and activity: words in any order, whatever their case and accents, the last also by its beginning; phone numbers by their digits. Best match first while there are up to 1,000, else newest first.',
  },
  'GET /leads/:id': {
    id: 'getLead',
    tag: 'Leads',
    description: 'The lead with its newest 20 events. The id of a lead that was merged leads to the one that is left.',
    refusals: READS_LEAD,
  },
  'PATCH /leads/:id': {
    id: 'updateLead',
    tag: 'Leads',
    description:
      'Changes the values that are given and leaves the others; `null` or `""` clears. Keys that are no columns are kept hidden and named in `X-Unknown-Fields`. No webhook fires.',
    refusals: CHANGES_LEAD,
    headers: ['X-Unknown-Fields'],
  },
  'GET /leads/:id/events': {
    id: 'listEvents',
    tag: 'Leads',
    description: 'Everything that happened to the lead, newest first. A call names one of these as its `event_id`.',
    refusals: READS_LEAD,
  },
  'PATCH /leads/:id/delegate': {
    id: 'delegateLead',
    tag: 'Leads',
    description:
      'Gives the claim to a user of the account, whether assigned to the list or not. Agents give it to themselves only.',
    refusals: CHANGES_LEAD,
  },
  'PATCH /leads/:id/migrate': {
    id: 'migrateLead',
    tag: 'Leads',
    description:
      'Only a move: state, category, schedule and history stay. Values carry over by their keys; those without a column there are kept hidden and come back with a move back. Within the same list only the release happens.',
    refusals: CHANGES_LEAD,
  },

  'POST /leads/:id/winner': outcome('markWinner', 'The lead is `won`.'),
  'POST /leads/:id/call_back': outcome(
    'markCallBack',
    'The lead is a `call_back`, due when it is scheduled for, or at once where no time is given.',
  ),
  'POST /leads/:id/loser': outcome('markLoser', 'The lead is `lost`.'),
  'POST /leads/:id/archive': outcome('markArchived', 'The lead is `archived`.'),

  'GET /calls': {
    id: 'listCalls',
    tag: 'Calls',
    description:
      'A page of the calls that the key may see, newest first by `started_at`, by what is asked of them. A call is told from its first moment on; disposition, recordings and outcome come later.',
  },
  'GET /calls/:id': {
    id: 'getCall',
    tag: 'Calls',
    description:
      'The call with its recordings, whose addresses are signed anew each time. `event_id` is the outcome that it led to.',
  },

  'POST /lists/:id/webhook': {
    id: 'subscribeToList',
    tag: 'Webhooks',
    description:
      'Tells `target_url` of one event of a list. The answer has the `secret` that signs notifications, once. The same list, event and target again is answered with the subscription that is there. A list has at most 100, an account 10,000 in all, whose targets have at most 4 MiB together.',
  },
  'POST /webhooks': {
    id: 'subscribeToAccount',
    tag: 'Webhooks',
    description: 'Tells `target_url` of the calls or recordings of all lists. Otherwise as for one list.',
  },
  'GET /webhooks': {
    id: 'listWebhooks',
    tag: 'Webhooks',
    description:
      'Every subscription, newest first, without its secret. `last_error` tells how the last attempt failed.',
  },
  'DELETE /webhook/:id': {
    id: 'removeWebhook',
    tag: 'Webhooks',
    description: 'Ends a subscription and answers with it. Note the path: `webhook`, in the singular.',
  },
};
