import { IconChevronDown, IconChevronUp } from '@tabler/icons-react';
import { useLocation, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { LeadTable, Total } from '../../contract/lead-table.ts';
import { paths } from '../../contract/paths.ts';
import { get } from '../api.ts';
import { useKeys } from '../keys.ts';
import { IconButton } from '../ui/button.tsx';
import { useIsStill } from '../ui/dialog.tsx';
import { aboutLead } from './queries.ts';

/** Where in the table they stand, and how it goes on at both ends. */
type Table = { asked: string; place: number; total: Total; before: string | null; after: string | null };

declare module '@tanstack/react-router' {
  interface HistoryState {
    /** The leads that the one on this page was chosen from, in their order. */
    among?: number[];
    /** Where they are only some of those in the table. */
    table?: Table;
  }
}

const MOST_EMPTY = 5;

/** The page of the table that goes on from a mark. */
async function askFurther({ asked }: Table, side: 'before' | 'after', mark: string): Promise<LeadTable> {
  const [path, query] = asked.split('?');
  const all = new URLSearchParams(query);
  for (const name of ['at', 'before', 'after']) all.delete(name);
  all.set(side, mark);
  return get<LeadTable>(`${path}?${all}`);
}

/** Back and forth through the leads that this one was chosen from: what was found, those that look the same, the table. */
export function Among({ leadId }: { leadId: number }) {
  const { among = [], table } = useLocation({ select: ({ state }) => state });
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const isStill = useIsStill(leadId);
  const at = among.indexOf(leadId);
  const show = (to: number | undefined, state: { among: number[]; table?: Table | undefined }) =>
    to !== undefined &&
    navigate({
      to: paths.lead(to),
      state: { among: state.among, ...(state.table && { table: state.table }) },
      replace: to === leadId,
    });

  const goFurther = async (from: Table, side: 'before' | 'after', mark: string) => {
    setAsking(true);
    try {
      let [next, ids]: [string | null, number[]] = [mark, []];
      // Pages on which nothing matches are looked through on the way, so many at a time.
      for (let page = 0; page < MOST_EMPTY && next !== null && ids.length === 0; page += 1) {
        const further = await askFurther(from, side, next);
        ids = further.leads.map(({ id }) => id).filter((id) => !among.includes(id));
        next = further[side];
        // Whoever has gone elsewhere by now stays there.
        if (!isStill(leadId)) return;
      }
      const isAfter = side === 'after';
      // Where none was found it stays, and goes on from there when asked again.
      await show((isAfter ? ids[0] : ids.at(-1)) ?? leadId, {
        among: isAfter ? [...among, ...ids] : [...ids, ...among],
        table: {
          ...from,
          [side]: next,
          ...(!isAfter && { place: next === null ? 0 : Math.max(1, from.place - ids.length) }),
        },
      });
    } catch (error) {
      aboutLead(leadId).tellFailure(error);
    } finally {
      setAsking(false);
    }
  };
  const step = (side: 'before' | 'after') => {
    const to = at < 0 ? undefined : among[side === 'after' ? at + 1 : at - 1];
    const mark = at < 0 ? null : (table?.[side] ?? null);
    if (to === undefined && (mark === null || !table)) return undefined;
    return () => {
      if (to !== undefined) void show(to, { among, table });
      else if (!isAsking) void goFurther(table!, side, mark!);
    };
  };
  const [back, on] = [step('before'), step('after')];
  useKeys({ j: () => on?.(), k: () => back?.() });
  if (at < 0 || (among.length < 2 && !back && !on)) return null;
  const total = table?.total ?? { number: among.length, about: false };
  return (
    <div className="among" role="group" aria-label="The leads you came from">
      <IconButton label="Lead before" title="The one before (K)" disabled={!back} onClick={back}>
        <IconChevronUp size={16} stroke={1.75} aria-hidden />
      </IconButton>
      <span className="dim figures">
        {((table?.place ?? 0) + at + 1).toLocaleString()} of {total.about && 'about '}
        {total.number.toLocaleString()}
      </span>
      <IconButton label="Next lead" title="The next one (J)" disabled={!on} onClick={on}>
        <IconChevronDown size={16} stroke={1.75} aria-hidden />
      </IconButton>
    </div>
  );
}
