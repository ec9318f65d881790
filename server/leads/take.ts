/** What the queue does to leads: it finds them by its own order, and they are held and come round again by these statements. */

/** Holds the leads of `chosen (id)` for whom they are given to: `$1` is the account, `$3` the user. */
export const HOLD_CHOSEN = `
  update leads l set held_by = $3, held_until = now() + interval '2 minutes', input_at = now()
    from chosen where l.account_id = $1 and l.id = chosen.id returning l.id, l.rank, l.skipped`;

/** Only skipped ones are left of a rank: the next round begins. */
export const NEW_ROUND = `
  update leads set skipped = false where account_id = $1 and id in (
    select id from leads where account_id = $1 and list_id = $2 and rank = $3 and skipped for no key update skip locked)`;
