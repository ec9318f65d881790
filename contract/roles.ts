/** What a user can be; roles add up. The owner may do everything and is not listed below. */
export const ROLES = ['agent', 'users_admin', 'lists_admin', 'analyst', 'supervisor'] as const;
export type Role = (typeof ROLES)[number];

/** As people call them. */
export const ROLE_NAMES: Record<Role, string> = {
  agent: 'Agent',
  users_admin: 'User manager',
  lists_admin: 'Data manager',
  analyst: 'Analyst',
  supervisor: 'Supervisor',
};

/** How far a right reaches: the lists one works and the leads one holds, one's own, or the whole account. */
export type Scope = 'assigned' | 'own' | 'account';

/** Who may do what. Both doors ask this table, and nothing else decides. */
export const RIGHTS = {
  'users.manage': { users_admin: 'account' },
  'users.read': { users_admin: 'account', lists_admin: 'account' },
  'users.assign': { users_admin: 'account', lists_admin: 'account' },
  'lists.index': {
    agent: 'assigned',
    users_admin: 'account',
    lists_admin: 'account',
    analyst: 'account',
    supervisor: 'account',
  },
  'lists.read': { agent: 'assigned', lists_admin: 'account', analyst: 'account', supervisor: 'account' },
  'stats.read': { agent: 'assigned', lists_admin: 'account', analyst: 'account', supervisor: 'account' },
  'lists.write': { lists_admin: 'account' },
  'leads.read': { agent: 'assigned', lists_admin: 'account', supervisor: 'account' },
  'leads.write': { agent: 'assigned', lists_admin: 'account', supervisor: 'account' },
  'leads.outcome': { agent: 'assigned', lists_admin: 'account', supervisor: 'account' },
  /** Assigned: to oneself. */
  'leads.delegate': { agent: 'assigned', lists_admin: 'account', supervisor: 'account' },
  /** Giving a claim back, within the list. */
  'leads.release': { agent: 'assigned', lists_admin: 'account', supervisor: 'account' },
  /** To another list. */
  'leads.migrate': { lists_admin: 'account' },
  /** Merging and deleting. */
  'leads.manage': { lists_admin: 'account' },
  'leads.bulk': { lists_admin: 'account', supervisor: 'account' },
  /** Files with leads, into any list or a new one. */
  'leads.import': { lists_admin: 'account' },
  /** As a file, however many. */
  'leads.export': { lists_admin: 'account' },
  'calls.read': { agent: 'assigned', lists_admin: 'account', analyst: 'account', supervisor: 'account' },
  /** The telephone and text messages. */
  'calls.make': { agent: 'assigned' },
  'recordings.hear': { agent: 'own', lists_admin: 'account', supervisor: 'account' },
  'queue.work': { agent: 'assigned' },
  'live.read': { agent: 'assigned', lists_admin: 'account', analyst: 'account', supervisor: 'account' },
  'webhooks.manage': { lists_admin: 'account' },
  'audit.read': {},
  'account.manage': {},
  'line.simulate': {},
  'subscription.read': {},
  'outbox.read': {},
} as const satisfies Record<string, Partial<Record<Role, Scope>>>;

export type Right = keyof typeof RIGHTS;

/** Rights that are not a matter of roles: `anyone` who came through the door, and `public`, before there is an actor. */
export type Demand = Right | 'anyone' | 'public';

export type Roles = { owner: boolean } & Record<Role, boolean>;

const WIDTH: Scope[] = ['own', 'assigned', 'account'];

/** The widest reach that one of the roles gives, or none. */
export function scopeOf(roles: Roles, right: Right): Scope | undefined {
  if (roles.owner) return 'account';
  const given: Partial<Record<Role, Scope>> = RIGHTS[right];
  return WIDTH.findLast((scope) => ROLES.some((role) => roles[role] && given[role] === scope));
}

/** Whether someone who manages users may give a role to others, or take it from them: nobody makes of others what they are not themselves. */
export const mayGrant = (roles: Roles, role: Role): boolean => roles.owner || role === 'agent' || roles[role];
