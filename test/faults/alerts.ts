// node test/faults/alerts.ts [--quiet=600]: a Leadline of its own under Prometheus with the shipped rules. First nothing is wrong for a
// while, and no alert fires; then each fault happens, and its alert does.
import { spawnSync } from 'node:child_process';
import { chmodSync, readdirSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { hasPrometheus, startPrometheus, type Prometheus } from '../prometheus.ts';
import { command, isRoot, postgresOf, Trial, until, type Undo } from '../trial.ts';

type Fault = {
  title: string;
  alerts: string[];
  /** Makes it happen, and returns what mends it. */
  make: (trial: Trial) => Promise<Undo>;
  /** Its rule looks back so far that it goes on firing for a while. */
  lasts?: true;
  rootOnly?: true;
};

const FAULTS: Fault[] = [
  {
    title: 'a subscriber answers 500 for half an hour',
    alerts: ['LeadlineDeliveriesOld'],
    make: async (trial) => {
      const end = await trial.tell('/fails');
      await trial.sql(`update deliveries set created_at = now() - interval '31 minutes' where state = 'waiting'`);
      return end;
    },
  },
  {
    title: 'a subscriber refuses what it is told',
    alerts: ['LeadlineDeliveriesFailed'],
    lasts: true,
    make: (trial) => trial.tell('/refuses'),
  },
  {
    title: 'a delivery is due and no node can take it',
    alerts: ['LeadlineDeliveriesLate'],
    make: async (trial) => {
      await trial.tell('/late');
      // Under way, its attempt would note that it arrived after all.
      await until(
        'it has arrived',
        async () => (await trial.sql(`select from deliveries where state = 'waiting'`)) === 0,
      );
      const locked = await trial.connect();
      await locked.query('begin');
      await locked.query(`select from deliveries where resource like '/api/v2/calls/%' for key share`);
      await trial.sql(`update deliveries set state = 'waiting', next_at = now() - interval '3 minutes'`);
      return () => locked.end();
    },
  },
  {
    title: 'the mail server is away',
    alerts: ['LeadlineMailsFailed'],
    make: async (trial) => {
      const user = { email: 'ann@example.com' };
      await trial.ask('/api/v2/users', 'POST', { accept_charge_upon_invitation_acceptance: '1', user });
      return () => trial.sql('delete from mails');
    },
  },
  {
    title: 'a job fails, because a table that it needs is away',
    alerts: ['LeadlineJobsFailed'],
    make: async (trial) => {
      await trial.sql('alter table idempotent_answers rename to idempotent_answers_away');
      await trial.sql(`insert into pgboss.job (name, retry_limit) values ('sweep', 0)`);
      const failed = `select from pgboss.job where name = 'sweep' and state = 'failed'`;
      await until('the job has failed', async () => (await trial.sql(failed)) > 0);
      return async () => {
        await trial.sql('alter table idempotent_answers_away rename to idempotent_answers');
        await trial.sql(`delete from pgboss.job where state = 'failed'`);
      };
    },
  },
  {
    title: 'a job waits that no node does',
    alerts: ['LeadlineJobsLate'],
    make: async (trial) => {
      await trial.sql(
        `insert into pgboss.queue select (jsonb_populate_record(q, '{"name": "unknown"}')).* from pgboss.queue q where name = 'sweep'`,
      );
      await trial.sql(`insert into pgboss.job (name, start_after) values ('unknown', now() - interval '11 minutes')`);
      return () => trial.sql(`delete from pgboss.job where name = 'unknown'`);
    },
  },
  {
    title: 'the folder of recordings is read-only',
    alerts: ['LeadlineRecordingsWaiting'],
    make: async (trial) => {
      await trial.call();
      const stored = () => readdirSync(trial.recordings).find((name) => /^\d+$/.test(name));
      await until('a recording is stored', stored);
      const writable = makeReadOnly(join(trial.recordings, stored()!));
      trial.undo.push(writable);
      await trial.call();
      const age = `update recordings set noted_at = now() - interval '11 minutes' where file is not null`;
      await until('a recording waits', async () => (await trial.sql(age)) > 0);
      return writable;
    },
  },
  {
    title: 'the disk is nearly full',
    alerts: ['LeadlineDiskNearlyFull'],
    rootOnly: true,
    make: async (trial) => {
      const file = join(trial.recordings, 'filler');
      const { bavail, bsize } = statfsSync(trial.recordings);
      writeFileSync(file, Buffer.alloc(bavail * bsize - 1_000_000));
      return () => rmSync(file);
    },
  },
  {
    title: 'the last backup was three days ago',
    alerts: ['LeadlineBackupOld'],
    make: async (trial) => {
      writeFileSync(join(trial.dataDir, 'last-backup'), new Date(Date.now() - 3 * 86_400_000).toISOString());
      return () => trial.backUp();
    },
  },
  {
    title: 'a process stands still again and again',
    alerts: ['LeadlineBlocked'],
    make: async ({ serve: { child } }) =>
      again(async () => {
        child.kill('SIGSTOP');
        await sleep(1_200);
        child.kill('SIGCONT');
        await sleep(300);
      }),
  },
  {
    title: 'eighty requests want a lead that is locked',
    alerts: ['LeadlineConnectionsScarce', 'LeadlineFaults'],
    lasts: true,
    make: async (trial) => {
      const list = await trial.ask('/api/v2/lists', 'POST', { list: { name: 'Locked' } });
      const lead = await trial.ask(`/api/v2/lists/${list.id}/leads`, 'POST', { lead: { first_name: 'Ann' } });
      const locked = await trial.connect();
      await locked.query('begin');
      await locked.query('select from leads where id = $1 for update', [lead.id]);
      // By two, the key and the owner: who asks for a lot waits behind themselves, and makes nothing scarce.
      const change = (door: string) => () =>
        trial.send(`${door}/leads/${lead.id}`, 'PATCH', { lead: { title: 'Dr' } }).catch(() => sleep(500));
      const ends = Array.from({ length: 80 }, (_, index) => again(change(index % 2 ? '/api/v2' : '/app')));
      return () => Promise.all([locked.end(), ...ends.map((end) => end())]);
    },
  },
  {
    title: 'PostgreSQL is frozen',
    alerts: ['LeadlineDatabaseAway', 'LeadlineHeartbeatLate'],
    make: async ({ dataDir, undo }) => {
      const pids = postgresOf(dataDir);
      const thaw = () => pids.forEach((pid) => signal(pid, 'SIGCONT'));
      undo.push(thaw);
      for (const pid of pids) signal(pid, 'SIGSTOP');
      return thaw;
    },
  },
  {
    title: 'kill -9 of a node',
    alerts: ['LeadlineNodeDown'],
    lasts: true,
    make: async ({ work }) => {
      work.child.kill('SIGKILL');
      return () => {};
    },
  },
  {
    title: 'kill -9 of the one that holds the line, and no other is left',
    alerts: ['LeadlineLineUnheld'],
    lasts: true,
    make: async ({ serve }) => {
      serve.child.kill('SIGKILL');
      return () => {};
    },
  },
];

/** For root nothing is read-only but a mount. */
function makeReadOnly(folder: string): Undo {
  if (!isRoot) {
    chmodSync(folder, 0o500);
    return () => chmodSync(folder, 0o700);
  }
  command('mount', '--bind', folder, folder);
  command('mount', '-o', 'remount,ro,bind', folder);
  return () => spawnSync('umount', [folder]);
}

/** Does something over and over, until the returned function is called; that waits for the last time. */
function again(doing: () => Promise<unknown>): () => Promise<void> {
  let ended = false;
  const running = (async () => {
    while (!ended) await doing();
  })();
  // Told to whoever ends it.
  running.catch(() => {});
  return () => {
    ended = true;
    return running;
  };
}

function signal(pid: number, name: 'SIGSTOP' | 'SIGCONT'): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has ended by itself.
  }
}

/** A little of everything, as on a slow day. */
const work = (trial: Trial, list: number): (() => Promise<void>) =>
  again(async () => {
    await trial.ask(`/api/v2/lists/${list}/leads`, 'POST', { lead: { first_name: 'Ann' } });
    await trial.ask(`/api/v2/lists/${list}/leads`, 'GET');
    await trial.call();
    await sleep(3_000);
  });

async function watchQuiet(trial: Trial, seconds: number): Promise<void> {
  const { id } = await trial.ask('/api/v2/lists', 'POST', { list: { name: 'Quiet' } });
  // All its calls go to one number.
  await trial.sql('update accounts set most_calls_a_number = null');
  const prometheus = await startPrometheus([trial.serve.address, trial.work.address], { hasty: false });
  trial.undo.push(() => prometheus.stop());
  const end = work(trial, id);
  const fired = new Set<string>();
  for (const deadline = Date.now() + seconds * 1_000; Date.now() < deadline; await sleep(1_000))
    for (const name of await prometheus.firing()) fired.add(name);
  await end();
  const looks = await prometheus.ask(`sum(count_over_time(up[${seconds}s]))`);
  const slowest = await prometheus.ask(`max(max_over_time(scrape_duration_seconds[${seconds}s]))`);
  await prometheus.stop();
  if (fired.size > 0) throw new Error(`Nothing was wrong, and yet: ${[...fired].join(', ')}`);
  console.log(`quiet for ${seconds} s: no alert; ${looks} looks at /metrics, the slowest ${slowest.toFixed(2)} s`);
}

async function watchFault(trial: Trial, prometheus: Prometheus, fault: Fault): Promise<void> {
  const isGone = async () => !(await prometheus.firing()).some((name) => fault.alerts.includes(name));
  await until(`what came before ${fault.title} is over`, isGone, 400);
  const mend = await fault.make(trial);
  const made = Date.now();
  const took: string[] = [];
  try {
    for (const name of fault.alerts) {
      await until(`${name} fires`, async () => (await prometheus.firing()).includes(name));
      took.push(`${name} after ${((Date.now() - made) / 1_000).toFixed(0)} s`);
    }
  } finally {
    await mend();
  }
  const gone = fault.lasts
    ? ''
    : `; gone ${(await until(`${fault.title}, mended`, isGone)).toFixed(0)} s after it was mended`;
  console.log(`${fault.title}: ${took.join(', ')}${gone}`);
}

/** `quiet`: seconds in which nothing may fire. */
export async function run({ quiet = 600 }: { quiet?: number } = {}): Promise<void> {
  if (!hasPrometheus()) throw new Error('Prometheus is not on this machine (Debian: apt install prometheus).');
  const trial = new Trial();
  try {
    await trial.start();
    trial.backUp();
    await watchQuiet(trial, quiet);
    const prometheus = await startPrometheus([trial.serve.address, trial.work.address], { hasty: true });
    trial.undo.push(() => prometheus.stop());
    let fired = 0;
    for (const fault of FAULTS) {
      if (fault.rootOnly && !isRoot) console.log(`${fault.title}: passed over, it needs root`);
      else await watchFault(trial, prometheus, fault).then(() => (fired += fault.alerts.length));
    }
    console.log(`${fired} alerts fired under their faults`);
  } finally {
    await trial.stop();
  }
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { quiet: { type: 'string', default: '600' } } });
  await run({ quiet: Number(values.quiet) });
}
