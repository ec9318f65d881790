/**
 * What the queue does to leads: it finds them by its own order, and they are held and come round again by these. Ids as arrays: joined, they
 * would be looked for among all leads of the account while the table has no statistics yet.
 */

/** Holds the one in `chosen (id, rank, skipped)` for whom it is given to: `$1` is the account, `$3` the user. */
export const HOLD_CHOSEN = `
  update leads l set held_by = $3, held_until = now() + interval '2 minutes', input_at = now(), skipped = false
   where l.account_id = $1 and l.id = any (array(select id from chosen))
  returning l.id, (select rank from chosen), (select skipped from chosen)`;

/** Where only skipped ones were left of the rank of `taken`, the next round of it begins in list `$2`; elsewhere it is asked once, and nothing is read. */
export const NEW_ROUND = `
  update leads set skipped = false where account_id = $1 and id = any (array(
    select id from leads
     where (select skipped from taken) and account_id = $1 and list_id = $2 and rank = (select rank from taken)
       and skipped
       and id <> (select id from taken) for no key update skip locked))`;
