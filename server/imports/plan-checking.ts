import type { HowRead, Plan } from '../../contract/imports.ts';
import type { LeadList } from '../leads/access.ts';
import { nameNow } from '../leads/outcomes.ts';
import type { Checking, Target } from './check.ts';
import { fieldsOf } from './shape.ts';

type Means = {
  plan: Plan;
  list: LeadList;
  people: Record<string, number>;
  timeZone: string;
  format: HowRead['format'];
};

/** `list` as it will be. */
export function planChecking({ plan, list, people, timeZone, format }: Means): Checking {
  const fields = fieldsOf(plan, list);
  const targets = plan.matches.flatMap(({ columns, part, dates }, index): Target[] => {
    const field = fields[index];
    if (field) return [{ columns, field, dates }];
    return part ? [{ columns, part, dates }] : [];
  });
  const { columns, country, duplicates_match_on, duplicates_match_on_email, duplicates_match_on_phone } = list;
  return {
    targets,
    list: { columns, country, duplicates_match_on, duplicates_match_on_email, duplicates_match_on_phone },
    categories: list.categories,
    renamed: renamedIn(list),
    isNewList: plan.list_id === null,
    state: plan.state,
    people,
    timeZone,
    format,
  };
}

function renamedIn(list: LeadList): Checking['renamed'] {
  const renamed: Checking['renamed'] = {};
  for (const { kind, from } of list.former_categories) {
    const now = nameNow(list, kind, from);
    if (now !== undefined) (renamed[kind] ??= {})[from] = now;
  }
  return renamed;
}
