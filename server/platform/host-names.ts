import { CANCELLED, lookup, Resolver, TIMEOUT } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';

/**
 * Where names that others chose lead. The system's own look-up takes one of two threads for as long as a name server keeps silent, and the
 * database and the mail server are looked up by the same two: so the name servers are asked over sockets, for so long and no longer.
 */

/** `local`: the system may be asked for what the name servers do not know, by search domains or the neighbours' answers. */
export type HostNames = (host: string, options: { local: boolean }) => Promise<string[]>;

/** For all name servers together. */
const WITHIN_MS = 3_000;
const TRIES = 2;

/** The addresses of a name, IPv4 first. Those who ask for the same one at the same time share the answer. */
export function createHostNames({ servers }: { servers?: string[] } = {}): HostNames {
  const asked = new Map<string, Promise<string[]>>();
  // One at a time: the other thread stays free for our own names.
  let system: Promise<unknown> = Promise.resolve();

  const find = async (host: string, local: boolean): Promise<string[]> => {
    const known = await inHosts(host);
    if (known.length > 0) return known;
    const answers = await askServers(host, servers);
    const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (found.length > 0) return found;
    const silent = answers.map((answer) => (answer as PromiseRejectedResult).reason).find((error) => !isUnknown(error));
    if (silent) throw silent.code === CANCELLED ? unanswered(host) : silent;
    if (!local) throw unknown(host);
    const turn = system.then(() => lookup(host, { all: true, order: 'ipv4first' }));
    system = turn.catch(() => {});
    return (await turn).map(({ address }) => address);
  };

  return async (host, { local }) => {
    if (isIP(host)) return [host];
    const key = `${local} ${host}`;
    let answer = asked.get(key);
    if (!answer) asked.set(key, (answer = find(host.toLowerCase(), local).finally(() => asked.delete(key))));
    return answer;
  };
}

/** A new one each time reads afresh which servers the machine asks. Each has its turn within the time, though a silent one may be noticed twice as late. */
async function askServers(host: string, servers: string[] | undefined) {
  const { length } = servers ?? new Resolver().getServers();
  const resolver = new Resolver({ timeout: Math.floor(WITHIN_MS / (2 * length + 1)), tries: TRIES });
  if (servers) resolver.setServers(servers);
  // By itself it would give each of them more in the second round.
  const timer = setTimeout(() => resolver.cancel(), WITHIN_MS);
  return Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]).finally(() => clearTimeout(timer));
}

const isUnknown = (error: NodeJS.ErrnoException) => ['ENOTFOUND', 'ENODATA'].includes(error.code ?? '');

const unknown = (host: string) =>
  Object.assign(new Error(`${host} is not known to any name server.`), { code: 'ENOTFOUND' });

const unanswered = (host: string) =>
  Object.assign(new Error(`No name server answered for ${host}.`), { code: TIMEOUT });

/** What the machine's own list says goes before what a name server does. */
async function inHosts(host: string): Promise<string[]> {
  const name = host.replace(/\.$/, '');
  if (name === 'localhost' || name.endsWith('.localhost')) return ['127.0.0.1', '::1'];
  const text = await readFile('/etc/hosts', 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.split('#', 1)[0]!.trim().split(/\s+/);
    return isIP(address) && names.some((one) => one.toLowerCase() === name) ? [address] : [];
  });
}
