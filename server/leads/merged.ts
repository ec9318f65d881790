import { boundOf } from '../platform/actor.ts';
import { query, type Db, type Statement } from '../platform/db.ts';
import { HttpError, isNotFound } from '../platform/errors.ts';
import { readId } from '../platform/read.ts';
import { sql } from '../platform/sql.ts';
import type { Asked, Route } from '../platform/route.ts';
import { seesLead } from './access.ts';

/** The id of a lead that was merged keeps leading to the one that stayed. */

// What led to the one that goes leads to the other from now on, so that nobody has to follow one after another.
const LEAD_ON = sql('leads/merged.lead_on')`
  update merged_leads set survivor_id = $3 where account_id = $1 and survivor_id = $2`;
const REMEMBER = sql('leads/merged.remember')`
  insert into merged_leads (account_id, lead_id, survivor_id) values ($1, $2, $3)`;

/** To be done before the lead goes, and with it what led there. */
export const rememberMerge = (accountId: number, gone: number, kept: number): Statement[] =>
  [LEAD_ON, REMEMBER].map((text) => ({ text, values: [accountId, gone, kept] }));

const SURVIVOR = sql('leads/merged.survivor')`
  select l.id from merged_leads m join leads l on l.account_id = m.account_id and l.id = m.survivor_id
   where m.account_id = $1 and m.lead_id = $2 and ${seesLead('l', '$3::bigint')}`;

/** Routes of a lead that know what became of merged ones: GET says where it is now, whoever changes something is told of whom it speaks. */
export const followMerges = (routes: Route[]): Route[] =>
  routes.map((one) => {
    if (!one.path.startsWith('/leads/:id')) return one;
    if (one.method !== 'GET')
      return {
        ...one,
        act: (work, asked, prepared) => one.act(work, asked, prepared).catch(tellSurvivor(work, asked)),
      };
    return {
      ...one,
      read: (reading, asked) => one.read(reading, asked).catch(tellSurvivor(reading, asked)),
    };
  });

/** Asked only where there is no such lead. */
const tellSurvivor =
  ({ db }: { db: Db }, { actor, params, request }: Asked) =>
  async (error: unknown): Promise<never> => {
    const gone = readId(params.id);
    if (!isNotFound(error) || gone === undefined) throw error;
    const values = [actor.account.id, gone, boundOf(actor, 'leads.read')];
    const [survivor] = await query<{ id: number }>(db, SURVIVOR, values);
    if (!survivor) throw error;
    const path = request.routeOptions.url!.replace(':id', String(survivor.id));
    const [, asked] = request.url.split('?', 2);
    throw new HttpError(
      request.method === 'GET' || request.method === 'HEAD' ? 301 : 409,
      'merged',
      `Lead ${gone} was merged into lead ${survivor.id}.`,
      { location: asked ? `${path}?${asked}` : path },
    );
  };
