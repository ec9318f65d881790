import {
  IconAlignLeft,
  IconCalendar,
  IconHash,
  IconLetterCase,
  IconList,
  IconMail,
  IconMapPin,
  IconPhone,
  IconToggleLeft,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react';
import type { ColumnKind } from '../../../contract/lists.ts';

/** What a field holds, as people call it. */
export const KINDS: Record<ColumnKind, { word: string; icon: TablerIcon }> = {
  none: { word: 'Text', icon: IconLetterCase },
  text: { word: 'Long text', icon: IconAlignLeft },
  phone: { word: 'Phone', icon: IconPhone },
  email: { word: 'E-mail', icon: IconMail },
  url: { word: 'Web address', icon: IconWorld },
  integer: { word: 'Whole number', icon: IconHash },
  date: { word: 'Date', icon: IconCalendar },
  boolean: { word: 'Yes or no', icon: IconToggleLeft },
  options: { word: 'Choice', icon: IconList },
  address: { word: 'Address', icon: IconMapPin },
};

export const KIND_NAMES = Object.keys(KINDS) as ColumnKind[];
export const KIND_CHOICES = KIND_NAMES.map((value) => ({ value, label: KINDS[value].word }));

/** Values of these are what duplicates and search look for. */
export const isMarked = (kind: ColumnKind): boolean => kind === 'phone' || kind === 'email';

/** One a line; commas separate too, as at the API. */
export const readOptions = (text: string): string[] => [
  ...new Set(
    text
      .split(/[\n,]/)
      .map((option) => option.trim())
      .filter(Boolean),
  ),
];
