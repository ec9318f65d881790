import { createHmac } from 'node:crypto';
import type { IceServer } from '../../contract/phones.ts';
import { databaseNow } from '../platform/clock.ts';

/** A server that helps browsers to reach us. With a `secret` it gives passwords that last for an hour, as coturn does (`use-auth-secret`). */
export type IceSetting = IceServer & { secret?: string };

export const LASTS_SECONDS = 3_600;

const ADDRESS = /^(?:stuns?|turns?):[\w.:[\]-]{1,253}(?:\?[\w=&.%/+-]{1,500})?$/i;

/** What `ICE_SERVERS` says: a JSON list as browsers take it, or addresses; undefined where it is neither. */
export function readIceServers(text: string): IceSetting[] | undefined {
  const given = text.startsWith('[') ? readJson(text) : text.split(',').map((url) => ({ urls: [url.trim()] }));
  const servers = given?.map(readServer);
  return servers?.every((server) => server !== undefined) ? servers : undefined;
}

type Given = { urls?: unknown; username?: unknown; credential?: unknown; secret?: unknown };

function readJson(text: string): Given[] | undefined {
  try {
    const list = JSON.parse(text) as unknown;
    return Array.isArray(list) && list.every((one) => typeof one === 'object' && one !== null) ? list : undefined;
  } catch {
    return undefined;
  }
}

function readServer(given: Given): IceSetting | undefined {
  const urls = [given.urls].flat();
  if (urls.length === 0 || !urls.every((url) => typeof url === 'string' && ADDRESS.test(url))) return undefined;
  const read = (urls as string[]).map(readAddress);
  const { username, credential, secret = read.find((one) => one.secret !== undefined)?.secret } = given;
  if (secret !== undefined && typeof secret !== 'string') return undefined;
  return {
    urls: read.map(({ url }) => url),
    ...(typeof username === 'string' && { username }),
    ...(typeof credential === 'string' && { credential }),
    ...(secret && { secret }),
  };
}

function readAddress(text: string): { url: string; secret?: string } {
  const [address = '', query = ''] = text.split('?', 2);
  // A secret is often base64, and no form has made a space of its plus.
  const asked = new URLSearchParams(query.replaceAll('+', '%2B'));
  const secret = asked.get('secret');
  asked.delete('secret');
  return { url: asked.size > 0 ? `${address}?${asked}` : address, ...(secret && { secret }) };
}

/** As a page of this user is told. */
export const iceServersFor = (settings: IceSetting[], userId: number, now = databaseNow().getTime()): IceServer[] =>
  settings.map(({ secret, ...server }) => {
    if (secret === undefined) return server;
    const username = `${Math.floor(now / 1_000) + LASTS_SECONDS}:${userId}`;
    return { ...server, username, credential: createHmac('sha1', secret).update(username).digest('base64') };
  });
