const BYTES_AT_ONCE = 500_000;

/** Of rows with their `bytes` the first, until these are enough to have in hand: one row may be a megabyte. */
export const someOf = (rows: string, order = 'row'): string => `
  select f.* from (select s.*, sum(s.bytes) over (order by s.${order}) - s.bytes as before_it from (${rows}) s) f
   where f.before_it < ${BYTES_AT_ONCE}`;
