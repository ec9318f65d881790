import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { Transform, Writable } from 'node:stream';
import { buffer as readAll } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { extract } from 'tar-stream';
import { Refusal } from '../refusal.ts';
import { COMPANIONS } from './backup.ts';
import { prepareHome, type DataDir, type Home } from './home.ts';
import { occupy } from './occupancy.ts';

type Manifest = { Files: { Path?: string; 'Encoded-Path'?: string; Size: number; Checksum: string }[] };

/** Lays a backup down in an empty data folder: whole, checked file by file against the manifest, or not at all. */
export async function restore(dataDir: DataDir, file: string, say: (sentence: string) => void): Promise<string> {
  if (!existsSync(file)) throw new Refusal(`There is no file ${resolve(file)}.`);
  const home = prepareHome(dataDir, say);
  const ownership = await occupy(home, 0, say);
  try {
    return await layDown(home, file);
  } finally {
    ownership.giveUp();
  }
}

async function layDown(home: Home, file: string): Promise<string> {
  const taken = ['pgdata', ...COMPANIONS].find((name) => existsSync(join(home.folder, name)));
  if (taken) {
    throw new Refusal(
      `${home.folder} already holds ${taken}. Set DATA_DIR to an empty folder, or move the old one away.`,
    );
  }
  const unfinished = join(home.folder, 'pgdata.new-restore');
  const companions = new Map<string, Buffer>();
  await rm(unfinished, { recursive: true, force: true });
  await mkdir(unfinished, { mode: 0o700 });
  try {
    await readThrough(file);
    await check(unfinished, await unpack(file, unfinished, companions));
    for (const [name, content] of companions) await writeFile(join(home.folder, name), content, { mode: 0o600 });
    await rename(unfinished, home.cluster);
  } catch (error) {
    await rm(unfinished, { recursive: true, force: true });
    for (const name of companions.keys()) await rm(join(home.folder, name), { force: true });
    if (error instanceof Refusal) throw error;
    throw new Refusal(`${resolve(file)} is damaged or no backup (${(error as Error).message}). Nothing was restored.`);
  }
  return `Restored to ${home.folder}. Start Leadline with DATA_DIR=${home.folder}.`;
}

/** An archive that breaks off within a file would leave whoever unpacks it waiting for the rest for ever. */
const readThrough = (file: string): Promise<void> =>
  pipeline(createReadStream(file), createGunzip(), new Writable({ write: (_chunk, _encoding, done) => done() }));

/** Returns size and checksum of each file it wrote. */
async function unpack(file: string, folder: string, companions: Map<string, Buffer>): Promise<Map<string, string>> {
  const seen = new Map<string, string>();
  const entries = extract();
  const fed = pipeline(createReadStream(file), createGunzip(), entries);
  // A damaged archive ends both; the loop tells it.
  fed.catch(() => {});
  for await (const entry of entries) {
    const { name, type } = entry.header;
    if (COMPANIONS.includes(name)) {
      companions.set(name, await readAll(entry));
      continue;
    }
    const path = name.replace(/^pgdata\/(\.\/)?/, '');
    if (!name.startsWith('pgdata/') || path.split('/').includes('..') || (type !== 'file' && type !== 'directory')) {
      throw new Error(`it holds ${name}, which does not belong there`);
    }
    const target = join(folder, path);
    if (type === 'directory') {
      entry.resume();
      await mkdir(target, { recursive: true, mode: 0o700 });
    } else {
      await mkdir(dirname(target), { recursive: true, mode: 0o700 });
      seen.set(path, await write(entry as AsyncIterable<Buffer>, target));
    }
  }
  await fed;
  return seen;
}

async function write(entry: AsyncIterable<Buffer>, target: string): Promise<string> {
  const hash = createHash('sha256');
  let size = 0;
  const measure = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk);
      size += chunk.length;
      done(null, chunk);
    },
  });
  await pipeline(entry, measure, createWriteStream(target, { mode: 0o600 }));
  return `${size} ${hash.digest('hex')}`;
}

async function check(folder: string, seen: Map<string, string>): Promise<void> {
  const manifest = JSON.parse(await readFile(join(folder, 'backup_manifest'), 'utf8')) as Manifest;
  for (const { Path, 'Encoded-Path': encoded, Size, Checksum } of manifest.Files) {
    const path = Path ?? Buffer.from(encoded!, 'hex').toString();
    if (seen.get(path) !== `${Size} ${Checksum}`) throw new Error(`the file ${path} differs from its checksum`);
  }
}
