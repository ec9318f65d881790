import { queryOptions, useQuery } from '@tanstack/react-query';
import { FIELD, OPERATORS_OF, SUBJECTS, type Operator, type Subject } from '../../../contract/filters.ts';
import type { Subjects } from '../../../contract/lead-table.ts';
import type { ColumnKind } from '../../../contract/lists.ts';
import { get } from '../../api.ts';
import { useColleagues } from '../../colleagues.ts';
import { useSession } from '../../session.ts';
import { STATES } from '../../ui/states.tsx';
import { isSubject, sayName, SUBJECT_WORDS, type About } from './words.ts';

export const subjectsQuery = (lists: number[]) =>
  queryOptions({
    // Together with all else that is known of lists, so that it is asked for again with it.
    queryKey: ['lists', 'subjects', lists.join(',')],
    queryFn: () => get<Subjects>(`/leads/subjects${lists.length > 0 ? `?lists=${lists.join(',')}` : ''}`),
    staleTime: 60_000,
  });

const RANGES = new Set<Operator>(['at_least', 'at_most', 'between']);
const COMPARED = new Set<ColumnKind>(['integer', 'date', 'none']);

/** Dates and numbers can be compared, and plain text that may hold numbers; whatever else a field is, it is text to a filter. */
function aboutField({ key, label, kind, options }: Subjects['fields'][number]): About {
  const values =
    kind === 'date'
      ? 'time'
      : kind === 'options'
        ? 'choice'
        : kind === 'boolean'
          ? 'choice'
          : kind === 'integer'
            ? 'number'
            : 'text';
  const choices = kind === 'boolean' ? ['true', 'false'] : options;
  return {
    name: FIELD + key,
    label,
    values,
    choices: choices.map((value) => ({ value, label: value })),
    operators: OPERATORS_OF.field.filter((operator) => COMPARED.has(kind) || !RANGES.has(operator)),
    isPast: false,
  };
}

const PAST = new Set<Subject>(['created', 'updated', 'last_outcome']);

type Choices = Partial<Record<Subject, About['choices']>>;

const aboutSubject = (name: Subject, choices: Choices): About => {
  const kind = SUBJECTS[name];
  return {
    name,
    label: SUBJECT_WORDS[name],
    values: kind === 'text' ? 'choice' : kind === 'id' ? 'number' : kind,
    choices: choices[name] ?? [],
    operators: OPERATORS_OF[kind],
    isPast: PAST.has(name),
  };
};

/** Of a field that is none of these lists’, or of none that anybody knows. */
const aboutNothing = (name: string): About => ({
  name,
  label: sayName(name),
  values: 'text',
  choices: [],
  operators: OPERATORS_OF.field,
  isPast: false,
});

/** All that the leads of these lists can be filtered by: their fields, then what all leads have. */
export function useSubjects(lists: number[]) {
  const { data, error, refetch } = useQuery(subjectsQuery(lists));
  const { user } = useSession();
  const colleagues = useColleagues();
  const people = colleagues
    .toSorted((a, b) => Number(b.id === user.id) - Number(a.id === user.id) || a.name.localeCompare(b.name))
    .map(({ id, name, email, active }) => ({
      value: String(id),
      label: id === user.id ? 'You' : name,
      hint: active ? (name === email ? undefined : email) : 'not active',
    }));
  const choices: Choices = {
    state: Object.entries(STATES).map(([value, { word }]) => ({ value, label: word })),
    category: (data?.categories ?? []).map((value) => ({ value, label: value })),
    claimed_by: people,
    imported_by: people,
    duplicate: [
      { value: 'yes', label: 'yes' },
      { value: 'no', label: 'no' },
    ],
  };
  const all = [
    ...(data?.fields ?? []).map(aboutField),
    ...Object.keys(SUBJECTS).map((name) => aboutSubject(name as Subject, choices)),
  ];
  const find = (name: string): About => all.find((one) => one.name === name) ?? aboutNothing(name);
  const nameOf = (value: string) => {
    const person = colleagues.find(({ id, email }) => String(id) === value || email === value);
    return person ? (person.id === user.id ? 'You' : person.name) : value;
  };
  const isThere = (name: string) => isSubject(name) || data === undefined || all.some((one) => one.name === name);
  return { all, find, nameOf, isThere, isKnown: data !== undefined, error, refetch };
}
export type Known = ReturnType<typeof useSubjects>;
