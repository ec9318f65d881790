/**
 * What a lead says, from `lists li` and `lead_data d`. After a change of fields a job sorts the values anew; until it is through, those of a
 * column are looked for among the hidden ones too, and what has no column any more is not told.
 */

/** Of one of its columns; null where it says nothing. */
export const toldSql = (key: string) =>
  `coalesce(d.data ->> ${key}, case when li.unsettled then d.hidden ->> ${key} end)`;

/** Of all its columns, blank ones too. */
export const TOLD = `
  case when li.unsettled then (
         select jsonb_object_agg(b.key, coalesce(d.data -> b.key, d.hidden -> b.key, b.value))
           from jsonb_each(li.blanks) b)
       else li.blanks || d.data end`;
