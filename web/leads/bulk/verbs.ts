import {
  IconArchive,
  IconArrowsRightLeft,
  IconForms,
  IconRefresh,
  IconTrash,
  IconUserMinus,
  IconUserPlus,
  type TablerIcon,
} from '@tabler/icons-react';
import type { BulkKind } from '../../../contract/bulk.ts';
import { scopeOf, type Right } from '../../../contract/roles.ts';
import { useSession } from '../../session.ts';

type Verb = {
  icon: TablerIcon;
  word: string;
  right: Right;
  /** Who may, as a sentence. */
  who: string;
  /** What leads are after it. */
  done: string;
  /** How an act is said once it is done, and while it is under way; without: the same. */
  doing?: [past: string, present: string];
};

const BOTH = 'Supervisors and data managers';

/** What can be done to many leads, as people say it. */
export const VERBS: Record<BulkKind, Verb> = {
  delegate: {
    icon: IconUserPlus,
    word: 'Delegate',
    right: 'leads.delegate',
    who: `${BOTH} delegate leads to others.`,
    done: 'delegated',
    doing: ['Delegated', 'Delegating'],
  },
  migrate: {
    icon: IconArrowsRightLeft,
    word: 'Move',
    right: 'leads.migrate',
    who: 'Data managers move leads to other lists.',
    done: 'moved',
    doing: ['Moved', 'Moving'],
  },
  archive: {
    icon: IconArchive,
    word: 'Archive',
    right: 'leads.outcome',
    who: `${BOTH} archive many leads.`,
    done: 'archived',
    doing: ['Archived', 'Archiving'],
  },
  delete: {
    icon: IconTrash,
    word: 'Delete',
    right: 'leads.manage',
    who: 'Data managers delete leads.',
    done: 'deleted',
    doing: ['Deleted', 'Deleting'],
  },
  release: {
    icon: IconUserMinus,
    word: 'Release',
    right: 'leads.release',
    who: `${BOTH} release leads of others.`,
    done: 'released',
    doing: ['Released', 'Releasing'],
  },
  renew: {
    icon: IconRefresh,
    word: 'Make new again',
    right: 'leads.outcome',
    who: `${BOTH} make leads new again.`,
    done: 'new again',
    doing: ['Made', 'Making'],
  },
  change: {
    icon: IconForms,
    word: 'Set a field',
    right: 'leads.write',
    who: `${BOTH} change many leads.`,
    done: 'changed',
  },
};

/** In the bar; the others are in its menu. */
export const IN_BAR: BulkKind[] = ['delegate', 'migrate', 'archive', 'delete'];
export const IN_MENU: BulkKind[] = ['release', 'renew', 'change'];

/** Whether one may do it to many leads, as the server decides it. */
export function useMay(): (kind: BulkKind) => boolean {
  const { user } = useSession();
  const reaches = (right: Right) => scopeOf(user, right) === 'account';
  return (kind) => reaches('leads.bulk') && reaches(VERBS[kind].right);
}
