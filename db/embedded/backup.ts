import { randomBytes } from 'node:crypto';
import { createWriteStream, existsSync, readFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { extract, pack, type Pack } from 'tar-stream';
import { Refusal } from '../refusal.ts';
import { takeBaseBackup } from './base-backup.ts';
import { noteBackup } from './last-backup.ts';
import type { EmbeddedServer } from './server.ts';

/** What stands beside PostgreSQL's folder and is needed to open it again. */
export const COMPANIONS = ['secret', 'password'];

type IsKey = (secretKey: string) => Promise<boolean>;

/**
 * Writes everything of ours that is needed to start again elsewhere to one file: the database, its password, and the secret key where we keep
 * that. What is kept is tried first: the database may go by SECRET_KEY, beside a file that nobody looks at.
 */
export async function backup({ home, url }: EmbeddedServer, file: string, isKey: IsKey): Promise<string> {
  const target = resolve(file);
  if (existsSync(target)) throw new Refusal(`${target} is there already. Name a new file, or remove it.`);
  const unfinished = `${target}.${randomBytes(6).toString('hex')}.unfinished`;
  const archive = pack();
  const written = pipeline(
    archive,
    createGzip({ level: 3 }),
    createWriteStream(unfinished, { mode: 0o600, flags: 'wx' }),
  );
  let kept: Kept;
  try {
    [, kept] = await Promise.all([written, fill(archive, home.folder, url, isKey)]);
    const handle = await open(unfinished);
    await handle.sync();
    await handle.close();
    await rename(unfinished, target);
  } catch (error) {
    archive.destroy();
    await written.catch(() => {});
    await rm(unfinished, { force: true });
    const { code, message } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOSPC') throw new Refusal(`The backup failed: ${message}`);
    throw error;
  }
  const { size } = await stat(target);
  const unnoted = await noteBackup(home.folder).catch(
    ({ message }: Error) => ` That it was made could not be noted, so the metrics will not know of it: ${message}.`,
  );
  return `Wrote ${target} (${(size / 1e6).toFixed(1)} MB). ${describeKept(kept, home.folder)}${unnoted ?? ''}`;
}

/** What lies there as the secret key: that of this database, another, or nothing. */
type Kept = 'key' | 'another' | 'none';

function describeKept(kept: Kept, folder: string): string {
  if (kept === 'key') return 'It holds the secret key too: keep it where only you can read it.';
  const why = kept === 'another' ? `, as the file ${join(folder, 'secret')} is another and was left out` : '';
  return `It does not hold the secret key${why}: keep what SECRET_KEY says as well, and both where only you can read them.`;
}

async function fill(archive: Pack, folder: string, url: string, isKey: IsKey): Promise<Kept> {
  let kept: Kept = 'none';
  for (const name of COMPANIONS) {
    const path = join(folder, name);
    if (!existsSync(path)) continue;
    const content = readFileSync(path);
    if (name === 'secret') kept = (await isKey(content.toString().trim())) ? 'key' : 'another';
    if (name !== 'secret' || kept === 'key') archive.entry({ name, mode: 0o600 }, content);
  }
  const base = await takeBaseBackup(url);
  const files = extract();
  const fed = pipeline(base.archive, files);
  // When the server breaks off, both end; the loop tells it.
  fed.catch(() => {});
  for await (const entry of files) {
    const header = { ...entry.header, name: `pgdata/${entry.header.name}` };
    if (header.type === 'file') await pipeline(entry, archive.entry(header));
    else {
      archive.entry(header);
      entry.resume();
    }
  }
  await fed;
  archive.entry({ name: 'pgdata/backup_manifest', mode: 0o600 }, await base.manifest);
  archive.finalize();
  return kept;
}
