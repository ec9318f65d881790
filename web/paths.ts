/** Every address of the application, written once. */
export const paths = {
  work: '/work',
  leads: '/leads',
  lead: (id: number) => `/leads/${id}`,
  users: '/manage/users',
  subscription: '/manage/subscription',
  account: '/manage/account',
  integrations: '/manage/integrations',
  outbox: '/manage/outbox',
  credentials: '/preferences/credentials',
} as const;
