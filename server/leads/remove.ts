import { changeMarks } from './marks.ts';
import type { Actor } from '../platform/actor.ts';
import { together } from '../platform/db.ts';
import type { Work } from '../platform/work.ts';
import type { WholeLead } from './access.ts';
import { countLeads } from './counters.ts';

/** For good, with its history. Calls stay and lose their lead. */
export async function removeLead({ db }: Work, actor: Actor, lead: WholeLead): Promise<void> {
  const account = actor.account.id;
  const { list_id, state, category } = lead;
  await together(db, [
    ...changeMarks(account, lead.id, lead.marks, []),
    countLeads(account, [{ list_id, state, category, leads: -1, moves: 1 }]),
    { text: 'delete from leads where account_id = $1 and id = $2', values: [account, lead.id] },
  ]);
}
