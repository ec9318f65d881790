import { useEffect } from 'react';
import { carryDrafts } from '../outcomes/draft.ts';
import { useSession } from '../session.ts';
import type { Lead } from './queries.ts';

/** Whoever has a lead open that was merged goes on with the one it is part of now, with what they wrote. Answers whether it was. */
export function useSurvivor(leadId: number, lead: Lead | undefined, open: (survivor: number) => void): boolean {
  const { user } = useSession();
  const survivor = lead && lead.id !== leadId ? lead.id : undefined;
  useEffect(() => {
    if (survivor === undefined) return;
    carryDrafts(user.id, leadId, survivor);
    open(survivor);
  }, [survivor]);
  return survivor !== undefined;
}
