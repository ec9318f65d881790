import { useQuery } from '@tanstack/react-query';
import type { Subjects } from '../../../contract/lead-table.ts';
import { subjectsQuery } from '../filter/subjects.ts';

export type Field = Subjects['fields'][number];

const NONE: Field[] = [];

/** The fields of the lists that are shown; those of the same key are one. */
export const useFields = (lists: number[]): Field[] => useQuery(subjectsQuery(lists)).data?.fields ?? NONE;
