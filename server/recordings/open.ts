import type { Recordings } from '../settings.ts';
import { openBucket } from './bucket.ts';
import { openFolder } from './folder.ts';
import type { Store } from './store.ts';

export function openStore(recordings: Recordings): Store {
  const store = 'folder' in recordings ? openFolder(recordings.folder) : openBucket(recordings.bucket);
  return {
    take: async (key, file) => store.take(checkKey(key), file),
    measure: async (key) => store.measure(checkKey(key)),
    open: async (key, range) => store.open(checkKey(key), range),
    remove: async (key) => store.remove(checkKey(key)),
  };
}

/** Account and recording. Anything else could lead out of the folder. */
function checkKey(key: string): string {
  if (!/^\d+\/\d+\.wav$/.test(key)) throw new Error(`Not the key of a recording: ${JSON.stringify(key)}`);
  return key;
}
