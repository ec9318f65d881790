import { IconAdjustments, IconId, IconInbox, IconPlugConnected, IconUsers, type TablerIcon } from '@tabler/icons-react';
import type { Right } from '../../contract/roles.ts';
import { paths } from '../../contract/paths.ts';

type Place = { to: string; word: string; icon: TablerIcon; right: Right };

/** The pages of Manage, and what one needs to open each. */
export const PLACES: [group: string, places: Place[]][] = [
  [
    'People',
    [
      { to: paths.users, word: 'Users', icon: IconUsers, right: 'users.read' },
      { to: paths.subscription, word: 'Subscription', icon: IconId, right: 'subscription.read' },
    ],
  ],
  [
    'Configure',
    [
      { to: paths.account, word: 'Account', icon: IconAdjustments, right: 'account.manage' },
      { to: paths.integrations, word: 'Integrations', icon: IconPlugConnected, right: 'webhooks.manage' },
    ],
  ],
  ['Look back', [{ to: paths.outbox, word: 'Outbox', icon: IconInbox, right: 'outbox.read' }]],
];
