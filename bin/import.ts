import { createWriteStream, openSync, readSync, closeSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { createInterface } from 'node:readline/promises';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CHUNK_BYTES, type Import, type ImportCounts, type ImportState, type Plan } from '../contract/imports.ts';
import { Refusal } from '../db/refusal.ts';
import type { Config } from '../server/config.ts';
import type { Household } from '../server/household.ts';
import { findImporter, findListNamed, nameAccount, type NamedList } from '../server/imports/from-shell.ts';
import { announceImport, discardImport, readImport } from '../server/imports/imports.ts';
import { changeImport } from '../server/imports/change.ts';
import { receiveChunk } from '../server/imports/chunks.ts';
import { findFile, writeFaulty } from '../server/imports/faulty.ts';
import { startImport } from '../server/imports/start.ts';
import { giveImportTurns } from '../server/imports/turns.ts';
import { undoImport } from '../server/imports/undo.ts';
import type { Actor } from '../server/platform/actor.ts';
import { createLog } from '../server/platform/log.ts';
import { isServed } from '../server/platform/nodes.ts';
import type { Work } from '../server/platform/work.ts';
import { matchColumns, type Asked } from './import-args.ts';
import { openProgress, type Progress } from './progress.ts';

/** `leadline import`: the same as the pages do, from a shell. What it says goes to standard error, the outcome to standard output. */

const number = (value: number): string => value.toLocaleString('en');
const rows = (value: number): string => `${number(value)} ${value === 1 ? 'row' : 'rows'}`;

/** What will become of the rows, in lines. */
export function sayWhat(counts: ImportCounts, { duplicates, within }: Pick<Plan, 'duplicates' | 'within'>): string[] {
  const { fresh, here, elsewhere, elsewhere_twice, twice, faulty, reasons } = counts;
  const all = fresh + here + elsewhere + twice + faulty;
  const same = within === 'account' ? here + elsewhere + twice : here + twice + elsewhere_twice;
  const made = duplicates === 'add' ? all - faulty : all - faulty - same;
  const becomes = { skip: 'left out', fill: 'fill empty fields', overwrite: 'written over', add: 'added all the same' };
  return [
    `${rows(all)}: ${number(fresh)} new, ${number(here)} already in the list, ${number(elsewhere)} in other lists, ` +
      `${number(twice)} twice in the file, ${number(faulty)} faulty.`,
    ...reasons.slice(0, 10).map((one) => `  ${number(one.number)} × ${one.reason}`),
    `${number(made)} leads will be made; of duplicates (${within === 'list' ? 'in the list' : 'in the whole account'}) ` +
      `${rows(same)} ${same === 1 ? 'is' : 'are'} ${becomes[duplicates]}.`,
  ];
}

/** Rows were faulty; everything else is in. */
const SOME_FAULTY = 2;
/** It ended before all rows had their turn. */
const STOPPED = 3;
const INTERRUPTED = 130;

type Means = { household: Household; config: Config; say: (line: string) => void; remark: (line: string) => void };

/** Exit codes stand in what `import-args.ts` says of the command. */
export async function runImport(asked: Asked, means: Means): Promise<void> {
  const { household } = means;
  const actor = await findImporter(household, { email: asked.as, baseUrl: asked.baseUrl });
  const served = await isServed(household.db);
  // Where no service does it, this process does.
  const turns = served ? undefined : giveImportTurns({ ...household, log: createLog('silent') });
  const interrupt = new AbortController();
  const stop = () => interrupt.abort();
  process.once('SIGINT', stop);
  const progress = openProgress(process.stderr);
  const run = new ShellImport(means, actor, progress, interrupt, turns?.nudge);
  try {
    process.exitCode = await (asked.undo === undefined ? run.bring(asked) : run.undo(asked.undo));
  } catch (error) {
    if (!interrupt.signal.aborted) throw error;
    progress.end();
    await run.interrupted(served);
    process.exitCode = INTERRUPTED;
  } finally {
    progress.end();
    process.off('SIGINT', stop);
    await turns?.stop();
  }
}

class ShellImport {
  #id = 0;
  #runs = false;
  readonly #means: Means;
  readonly #actor: Actor;
  readonly #progress: Progress;
  readonly #interrupt: AbortController;
  readonly #nudge: (() => void) | undefined;

  constructor(
    means: Means,
    actor: Actor,
    progress: Progress,
    interrupt: AbortController,
    nudge: (() => void) | undefined,
  ) {
    this.#means = means;
    this.#actor = actor;
    this.#progress = progress;
    this.#interrupt = interrupt;
    this.#nudge = nudge;
  }

  #transact<T>(act: (work: Work, actor: Actor) => Promise<T>): Promise<T> {
    return this.#means.household.transact((work) => act(work, this.#actor));
  }

  async bring(asked: Asked): Promise<number> {
    const { say, remark, household } = this.#means;
    const list = asked.list === undefined ? undefined : await findListNamed(household, this.#actor, asked.list);
    await this.#upload(asked.file!, list?.id);
    const plan = await this.#match(asked, list);
    for (const line of sayWhat(plan.counts, plan.plan!)) remark(line);
    const account = nameAccount(this.#actor.account);
    remark(`Into ${list?.name ?? asked.newList} of ${account}, in the name of ${this.#actor.name}.`);
    if (asked.dryRun || !(asked.yes || (await this.#agree()))) {
      await this.#transact((work, actor) => discardImport(work, actor, this.#id));
      remark('Nothing was imported.');
      if (!asked.dryRun) return 1;
      return plan.counts.faulty > 0 ? SOME_FAULTY : 0;
    }
    await this.#transact((work, actor) => startImport(work, actor, this.#id, plan.version));
    this.#runs = true;
    const done = await this.#until('finished', 'undone');
    if (done.state === 'undone') {
      remark('Someone has undone it.');
      return 1;
    }
    const { made, updated, left_out, counts, file_name } = done;
    say(
      `Import ${done.id} of ${file_name} into ${done.list?.name} of ${account}: ${number(made)} leads made, ${number(updated)} changed, ` +
        `${number(left_out)} left out, ${rows(counts.faulty)} faulty.`,
    );
    if (done.stopped_at) remark(done.refusal ?? 'Someone stopped it before all rows were in.');
    if (done.has_faulty) await this.#writeFaulty(asked.file!);
    if (done.stopped_at) return STOPPED;
    return done.has_faulty ? SOME_FAULTY : 0;
  }

  async #writeFaulty(name: string): Promise<void> {
    const { remark, household } = this.#means;
    const file = `${name}.faulty.csv`;
    const told = await findFile(household, this.#actor, this.#id);
    await pipeline(
      writeFaulty((read) => read(household, this.#actor), told),
      createWriteStream(file, { mode: 0o600 }),
    );
    remark(`The faulty rows are in ${file}, each with the reason. Mend them and import that file.`);
  }

  async undo(id: number): Promise<number> {
    this.#id = id;
    await this.#transact((work, actor) => undoImport(work, actor, id));
    this.#runs = true;
    const { undone } = await this.#until('undone');
    const { removed, put_back, kept } = undone!;
    this.#means.say(
      `Import ${id} of ${nameAccount(this.#actor.account)} is undone: ${number(removed)} leads removed, ${number(put_back)} put back, ${number(kept)} kept ` +
        `because someone had changed them since.`,
    );
    return 0;
  }

  /** The file as it lies there: what was sent is in the database, whatever happens to this process. */
  async #upload(file: string, list_id: number | undefined): Promise<void> {
    const bytes = sizeOf(file);
    const limit = this.#means.config.uploadLimit;
    const announced = { file_name: basename(file), bytes, ...(list_id !== undefined && { list_id }) };
    this.#id = (await this.#transact((work, actor) => announceImport(work, actor, announced, limit))).id;
    const open = openSync(file, 'r');
    try {
      for (let place = 0; place * CHUNK_BYTES < bytes; place += 1) {
        this.#interrupt.signal.throwIfAborted();
        const chunk = Buffer.alloc(Math.min(CHUNK_BYTES, bytes - place * CHUNK_BYTES));
        readSync(open, chunk, 0, chunk.length, place * CHUNK_BYTES);
        await this.#transact((work, actor) => receiveChunk(work, actor, this.#id, String(place), chunk));
        this.#progress.show('Uploading', (place * CHUNK_BYTES + chunk.length) / bytes);
      }
    } finally {
      closeSync(open);
    }
  }

  /** Read, matched and checked as it is asked; exact. */
  async #match(asked: Asked, list: NamedList | undefined): Promise<Import> {
    let now = await this.#until('checked');
    if (Object.keys(asked.how).length > 0) {
      const { version, how_read } = now;
      await this.#change({ version, how_read: { ...how_read!, ...asked.how } });
      now = await this.#until('checked');
    }
    const guessed = now.plan!;
    const names = now.columns.map(({ name }) => name);
    const plan: Plan = {
      ...guessed,
      list_id: list?.id ?? null,
      ...(asked.newList !== undefined && { new_list: { name: asked.newList } }),
      matches: matchColumns(asked.maps, names, list?.fields ?? [], guessed.matches),
      duplicates: asked.duplicates,
      within: asked.within,
    };
    await this.#change({ version: now.version, plan });
    return this.#until('checked');
  }

  #change(change: Parameters<typeof changeImport>[3]): Promise<unknown> {
    return this.#transact((work, actor) => changeImport(work, actor, this.#id, change));
  }

  /** Without a terminal nobody can be asked. */
  async #agree(): Promise<boolean> {
    if (!process.stdin.isTTY) return true;
    this.#progress.end();
    const terminal = createInterface({ input: process.stdin, output: process.stderr });
    // While it asks, a Ctrl-C comes here.
    terminal.once('SIGINT', () => this.#interrupt.abort());
    try {
      const answer = await terminal.question('Import them? [y/N] ', { signal: this.#interrupt.signal });
      return /^y(?:es)?$/i.test(answer.trim());
    } finally {
      terminal.close();
    }
  }

  async #until(...states: ImportState[]): Promise<Import> {
    for (;;) {
      this.#nudge?.();
      const now = await readImport(this.#means.household, this.#actor, this.#id);
      if (now.state === 'refused') throw new Refusal(now.refusal!);
      this.#show(now);
      if (states.includes(now.state)) return now;
      await sleep(LOOK_MS, undefined, { signal: this.#interrupt.signal });
    }
  }

  #show({ state, rows: all, checked, done, made, updated, undone, a_second, seconds_left }: Import): void {
    const pace = { a_second, seconds_left };
    if (state === 'reading') this.#progress.show('Reading', null, { rows: all, ...pace });
    if (state === 'checking') this.#progress.show('Checking', checked / Math.max(all, 1), pace);
    if (state === 'running') this.#progress.show('Importing', done / Math.max(all, 1), pace);
    if (state === 'undoing') {
      const { removed = 0, put_back = 0, kept = 0 } = undone ?? {};
      this.#progress.show('Undoing', (removed + put_back + kept) / Math.max(made + updated, 1), pace);
    }
  }

  async interrupted(served: boolean): Promise<void> {
    const { remark } = this.#means;
    const id = this.#id;
    if (!this.#runs) {
      if (id > 0) await this.#transact((work, actor) => discardImport(work, actor, id));
      return remark('Nothing was imported.');
    }
    const undo = `leadline import --undo ${id} --base-url ${this.#actor.account.baseUrl}`;
    remark(
      served
        ? `Import ${id} goes on in the service. To take back what it brings: ${undo}`
        : `Import ${id} goes on as soon as the service runs. To take back what it brought: ${undo}`,
    );
  }
}

const LOOK_MS = 200;

function sizeOf(file: string): number {
  const found = statSync(file, { throwIfNoEntry: false });
  if (!found?.isFile()) throw new Refusal(`There is no file ${file}.`);
  if (found.size === 0) throw new Refusal(`${file} is empty.`);
  return found.size;
}
