import { isIP, type LookupFunction } from 'node:net';
import { callbackify } from 'node:util';
import ipaddr, { type IPv4, type IPv6 } from 'ipaddr.js';
import type { Agent, buildConnector } from 'undici';
import { createHostNames, type HostNames } from './host-names.ts';

/** Requests to addresses that others chose. The address of every connection is looked at, however the target was written. */

export type Allowed = {
  /** Networks and host names that may be reached although they are not public. */
  exceptions: string[] | undefined;
  /** Whether loopback and private ones may, where there are no exceptions. */
  nearby: boolean;
};

/** A target that may not be reached. Not worth another attempt. */
export class RefusedTarget extends Error {}

// Where clouds keep their metadata outside the link-local ranges: Azure, Alibaba, Oracle; AWS (also its names, clock and containers), Google, Scaleway.
const METADATA = new Set([
  '168.63.129.16',
  '100.100.100.200',
  '192.0.0.192',
  'fd00:ec2:0:0:0:0:0:254',
  'fd00:ec2:0:0:0:0:0:253',
  'fd00:ec2:0:0:0:0:0:123',
  'fd00:ec2:0:0:0:0:0:23',
  'fd20:ce:0:0:0:0:0:254',
  'fd00:42:0:0:0:0:0:42',
]);

const NEARBY = new Set(['loopback', 'private', 'uniqueLocal', 'carrierGradeNat']);

/** Fails closed: what is not known to be allowed is refused. Link-local ones, where clouds keep their metadata, always are. */
export function isAllowed(address: string, host: string, { exceptions, nearby }: Allowed): boolean {
  let ip: IPv4 | IPv6;
  try {
    ip = ipaddr.process(address);
  } catch {
    return false;
  }
  if (METADATA.has(ip.toNormalizedString())) return false;
  const range = ip.range();
  // Of IPv6 only what is handed out at all: the rest maps and embeds other addresses.
  if (range === 'unicast') return ip.kind() === 'ipv4' || (ip as IPv6).parts[0]! >>> 13 === 1;
  if (!NEARBY.has(range)) return false;
  if (!exceptions) return nearby;
  return exceptions.some((exception) => {
    if (!exception.includes('/') && !isIP(exception)) return exception.toLowerCase() === host.toLowerCase();
    const [network, bits] = exception.includes('/')
      ? ipaddr.parseCIDR(exception)
      : [ipaddr.parse(exception), exception.includes(':') ? 128 : 32];
    return network.kind() === ip.kind() && ip.match(network, bits);
  });
}

/** Whether a host is one of this machine or of the network around it, as far as its name says. */
export function isNearby(host: string): boolean {
  const bare = host.replace(/^\[(.*)\]$/, '$1');
  return (
    bare === 'localhost' || bare.endsWith('.localhost') || (isIP(bare) > 0 && NEARBY.has(ipaddr.process(bare).range()))
  );
}

const CONNECT_MS = 5_000;
// Of a target with several addresses, before the next one is tried.
const ATTEMPT_MS = 2_000;
const EXCHANGE_MS = 15_000;
const BODY_MS = 2_000;
const LONGEST_ANSWER = 64 * 1024;

type Undici = typeof import('undici');

export type Post = { url: string; body: string; headers: Record<string, string> };
export type PostAnswer = { status: number; text: string };
export type PostOut = (post: Post, allowed: Allowed) => Promise<PostAnswer>;

/** Redirects are not followed, and an answer is read only so far. */
export function createPostOut(names: HostNames = hostNames): { post: PostOut; close: () => Promise<void> } {
  const agents = new Map<string, Agent>();

  // Loaded with the first delivery: a service without subscribers stays small.
  const load = async () => (undici ??= await import('undici'));
  let undici: Undici | undefined;

  // One for each way of looking at addresses: a kept connection was looked at by the rules it was opened under.
  const agentFor = ({ Agent: Kind, buildConnector: build }: Undici, allowed: Allowed): Agent => {
    const key = JSON.stringify(allowed);
    let agent = agents.get(key);
    if (!agent) {
      const connect = guard(build, names, allowed);
      agents.set(
        key,
        (agent = new Kind({ connect, pipelining: 1, headersTimeout: EXCHANGE_MS, bodyTimeout: EXCHANGE_MS })),
      );
    }
    return agent;
  };

  const post: PostOut = async ({ url, body, headers }, allowed) => {
    const loaded = await load();
    const { statusCode, body: answer } = await loaded.request(url, {
      method: 'POST',
      body,
      headers,
      dispatcher: agentFor(loaded, allowed),
      signal: AbortSignal.timeout(EXCHANGE_MS),
    });
    return { status: statusCode, text: await readSome(answer) };
  };
  return { post, close: async () => void (await Promise.all([...agents.values()].map((agent) => agent.destroy()))) };
}

function guard(build: Undici['buildConnector'], names: HostNames, allowed: Allowed): buildConnector.connector {
  // Connected to the addresses that were looked at, not to whatever the name says a moment later.
  const lookup: LookupFunction = callbackify(async (host: string, _options: unknown) =>
    (await resolve(host, names, allowed)).map((address) => ({ address, family: isIP(address) })),
  );
  const connect = build({
    timeout: CONNECT_MS,
    lookup,
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
  });
  return (options, callback) => {
    const host = options.hostname.replace(/^\[(.*)\]$/, '$1');
    // One that is an address already is not looked up.
    if (isIP(host) && !isAllowed(host, host, allowed)) return callback(refuse(host), null);
    connect(options, callback);
  };
}

const hostNames = createHostNames();

/** Where names led when they were last looked up, the newest at the end. */
const ledTo = new Map<string, string[]>();
const MOST_NAMES = 1_000;

async function addressesOf(host: string, names: HostNames, { exceptions, nearby }: Allowed): Promise<string[]> {
  // Where no address nearby may be reached, a name that only the neighbours know leads nowhere.
  const addresses = await names(host, { local: exceptions === undefined ? nearby : exceptions.length > 0 });
  ledTo.delete(host);
  ledTo.set(host, addresses);
  if (ledTo.size > MOST_NAMES) ledTo.delete(ledTo.keys().next().value!);
  return addresses;
}

const hostOf = (url: string) => (URL.parse(url)?.hostname ?? '').replace(/^\[(.*)\]$/, '$1');

/** Asks where a target's name leads, for `foresee`. */
export async function lookUp(url: string, allowed: Allowed): Promise<void> {
  await addressesOf(hostOf(url), hostNames, allowed).catch(() => {});
}

/**
 * Why a target would be refused, as far as it is known without asking anyone: by its address, or by where its name led when it was last
 * looked up. A name that never was is not judged.
 */
export function foresee(url: string, allowed: Allowed): string | undefined {
  const host = hostOf(url);
  const isLocal = host === 'localhost' || host.endsWith('.localhost');
  const addresses = isIP(host) ? [host] : isLocal ? ['127.0.0.1'] : (ledTo.get(host) ?? []);
  return addresses.every((address) => isAllowed(address, host, allowed))
    ? undefined
    : `${host} is not an address that may be reached from here. Deliveries will be refused; WEBHOOK_ALLOW can allow loopback and private ones.`;
}

async function resolve(host: string, names: HostNames, allowed: Allowed): Promise<string[]> {
  const addresses = await addressesOf(host, names, allowed);
  if (!addresses.every((address) => isAllowed(address, host, allowed))) throw refuse(host);
  return addresses;
}

const refuse = (host: string) => new RefusedTarget(`${host} is not an address that may be reached from here.`);

/** The status stands whatever becomes of the body; that is read for the log, a little and not for long. */
async function readSome(answer: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const pieces: Buffer[] = [];
  let length = 0;
  const timer = setTimeout(() => answer.destroy(), BODY_MS);
  try {
    for await (const piece of answer) {
      pieces.push(piece);
      length += piece.length;
      if (length >= LONGEST_ANSWER) break;
    }
  } catch {
    // Cut off.
  } finally {
    clearTimeout(timer);
    answer.destroy();
  }
  return Buffer.concat(pieces).subarray(0, LONGEST_ANSWER).toString('utf8');
}
