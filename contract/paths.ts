/** Every address that people see, written once for server and browser. */
export const paths = {
  work: '/work',
  leads: '/leads',
  deletedLeads: '/leads/deleted',
  lead: (id: number): string => `/leads/${id}`,
  lists: '/lists',
  newList: '/lists/new',
  list: (id: number): string => `/lists/${id}`,
  listLeads: (id: number): string => `/lists/${id}/leads`,
  listSettings: (id: number, part: string): string => `/lists/${id}/settings/${part}`,
  imports: '/imports',
  newImport: '/imports/new',
  import: (id: number): string => `/imports/${id}`,
  manage: '/manage',
  users: '/manage/users',
  subscription: '/manage/subscription',
  account: '/manage/account',
  integrations: '/manage/integrations',
  outbox: '/manage/outbox',
  preferences: '/preferences',
  credentials: '/preferences/credentials',
  firstRun: '/first-run',
  signIn: '/sign-in',
  signOut: '/sign-out',
  forgotten: '/forgotten',
  accept: '/accept',
  reset: '/reset',
  reference: '/docs',
  /** Takes what a webhook sends, for those who have nothing yet that does. */
  receiver: '/receiver',
} as const;

/** The door, and back from there to where one was going. */
export const signInFor = (to: string): string => `${paths.signIn}?to=${encodeURIComponent(to)}`;
