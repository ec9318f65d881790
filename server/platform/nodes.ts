import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { within } from '../../db/patience.ts';
import { Refusal } from '../../db/refusal.ts';
import { VERSION } from '../version.ts';
import { setClock } from './clock.ts';
import { query, type Db } from './db.ts';
import { sql } from './sql.ts';
import { isDatabaseAway } from './errors.ts';
import type { Log } from './log.ts';
import type { Measure } from './measures.ts';

const BEAT_MS = 2_000;
/** Three signs of life missed, and the fourth on its way. */
const SILENT_MS = 7_500;
/** Who has not looked for so long cannot say who was silent meanwhile: everyone gets their time again. */
const BLIND_MS = 5_000;
const LEAVE_MS = 2_000;

export type Role = 'serve' | 'work';

export type Node = {
  id: number;
  /** Ids of nodes that are gone without a word. What they had in hand is free. */
  silent(): number[];
  /** Seconds since it last could say that it lives. */
  silentFor(): number;
  leave(): Promise<void>;
};

// Written anew where it was forgotten: by others, while this process was frozen.
const BEAT = sql('platform/nodes.beat')`
  with beat as (
    insert into nodes (id, role, host, pid, version, folder) overriding system value values ($1, $2, $3, $4, $5, $6)
    on conflict (id) do update set seen_at = now()
  )
  select id, seen_at::text as sign, clock_timestamp() as now from nodes`;

type Sign = { id: number; sign: string; now: Date };

const JOIN = sql('platform/nodes.join')`
  insert into nodes (role, host, pid, version, folder) values ($1, $2, $3, $4, $5)
   returning id, clock_timestamp() as now`;

const SERVED = sql('platform/nodes.served')`
  select from nodes where seen_at between now() - interval '30 seconds' and now() + interval '5 seconds'`;

/** Whether any node is at work, as far as a command can tell by one look. */
export const isServed = async (db: Db): Promise<boolean> => (await query(db, SERVED, [])).length > 0;

const LEAVE = sql('platform/nodes.leave')`delete from nodes where id = $1`;

/**
 * Writes this process down among the nodes and keeps saying that it lives, until `leave`; and watches the others. Their sign of life counts by
 * being another one than before, within the time that passes here: so clocks may be wrong, and may be set, without anyone seeming alive or dead.
 */
export async function joinNodes(db: Db, role: Role, log: Log, folder: string | null = null): Promise<Node> {
  const self = [role, hostname(), process.pid, VERSION, folder];
  const [joined] = await query<{ id: number; now: Date }>(db, JOIN, self);
  const { id, now } = joined!;
  setClock(now);
  const watch = createWatch(id);

  let heardAt = performance.now();
  const beat = async () => {
    const asked = performance.now();
    try {
      const signs = await query<Sign>(db, BEAT, [id, ...self]);
      if (signs[0]) setClock(signs[0].now);
      watch.look(signs, asked);
      heardAt = performance.now();
    } catch (error) {
      // That the database is away is told by its pulse.
      if (!isDatabaseAway(error)) log.error({ err: error }, 'This node could not say that it lives');
    }
  };

  const left = new AbortController();
  const beating = (async () => {
    do await beat();
    while (await sleep(BEAT_MS, true, { signal: left.signal }).catch(() => false));
  })();

  const leave = async () => {
    left.abort();
    // A beat that is still under way would write the row again.
    const gone = beating.then(() => query(db, LEAVE, [id])).catch(() => {});
    await within(LEAVE_MS, gone);
  };
  return { id, silent: watch.silent, silentFor: () => (performance.now() - heardAt) / 1_000, leave };
}

/** Who has shown no other sign of life for a while, by the time that passes here while one looks. */
export function createWatch(own: number) {
  const known = new Map<number, { sign: string; since: number }>();
  let lookedAt = -Infinity;
  return {
    look(signs: Pick<Sign, 'id' | 'sign'>[], asked: number, answered = performance.now()): void {
      const blind = asked - lookedAt > BLIND_MS;
      lookedAt = asked;
      const there = new Set(signs.map(({ id }) => id));
      for (const id of known.keys()) if (!there.has(id)) known.delete(id);
      for (const { id, sign } of signs)
        if (blind || known.get(id)?.sign !== sign) known.set(id, { sign, since: answered });
    },
    silent: (): number[] =>
      [...known].flatMap(([id, { since }]) => (id !== own && lookedAt - since >= SILENT_MS ? [id] : [])),
  };
}

// A time ahead was written before the clock was set back; who lives writes another in a moment.
const LIVE = `from nodes where seen_at between now() - interval '30 seconds' and now() + interval '5 seconds'`;

type LiveNode = { id: number; host: string; pid: number; folder: string | null };

const LIVE_NODES = sql('platform/nodes.live_nodes')`select id, host, pid, folder ${LIVE} order by id`;

export const liveNodes = (db: Db): Promise<LiveNode[]> => query<LiveNode>(db, LIVE_NODES, []);

export const NODES: Measure[] = [
  {
    name: 'leadline_nodes',
    help: 'Processes that say they live',
    labels: ['role', 'version'],
    text: `select role, version, count(*) as value ${LIVE} group by 1, 2`,
  },
];

/**
 * Files in a folder of one machine would be missing on the others, and past ones be taken for removed there. A folder knows itself again when
 * its machine has got another name. Each looks when it has joined, so of two that start together the later one leaves.
 */
export async function refuseApart(
  db: Db,
  { id }: Node,
  place: { path: string; folder: string } | 'a bucket',
): Promise<void> {
  const [says, folder] = place === 'a bucket' ? [place, null] : [`the folder ${place.path}`, place.folder];
  const other = (await liveNodes(db)).find(
    (node) => node.id < id && node.host !== hostname() && node.folder !== folder,
  );
  if (!other) return;
  const why = folder === null ? 'keeps them in a folder of its own' : 'could not read it';
  throw new Refusal(
    `RECORDINGS is ${says}, but ${other.host} works on the same database and ${why}. ` +
      'Set RECORDINGS to the same S3-compatible bucket on every node.',
  );
}

const FORGET = sql('platform/nodes.forget')`delete from nodes where seen_at < now() - interval '1 day'`;

/** Rows of processes that were killed and could not take their leave. */
export async function forgetSilentNodes(db: Db): Promise<void> {
  await query(db, FORGET, []);
}
