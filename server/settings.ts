import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostsOf } from '../db/hosts.ts';
import type { RateLimit } from './platform/limits.ts';
import { readOrigin } from './platform/origin.ts';
import { hasPasswordLength } from './platform/passwords.ts';
import { readIceServers } from './phones/ice.ts';
import { CARRIERS, isCarrier, type CarrierName } from './telephony/open.ts';

/** One environment variable: what it means, what it takes, how it is read. The papers are generated from this list. */
export type Setting<T> = {
  about: string;
  /** Completes "it must be …". */
  expects: string;
  /** What holds when it is not set, in words. */
  unset: string;
  /** Never shown in a message or a log. */
  secret?: boolean;
  /** Throws `Unreadable` when the text is not what is expected. */
  read: (text: string) => T;
};

export class Unreadable extends Error {}

const setting = <T>(description: Setting<T>) => description;

export const settings = {
  PORT: setting({
    about: 'Port of the web server.',
    expects: 'a whole number from 0 to 65535 (0 takes any free one)',
    unset: '3000',
    read: (text) => readInteger(text, 0, 65_535),
  }),
  WORK_PORT: setting({
    about: 'Port at which `leadline work` answers /health and /metrics, and nothing else.',
    expects: 'a whole number from 0 to 65535 (0 takes any free one)',
    unset: '`leadline work` listens nowhere',
    read: (text) => readInteger(text, 0, 65_535),
  }),
  BIND: setting({
    about: 'Address to listen on; `0.0.0.0` or `::` opens it to the network.',
    expects: 'an IP address or `localhost`',
    unset: '127.0.0.1: only this machine',
    read: (text) => (text === 'localhost' || isIP(text) ? text : fail()),
  }),
  BASE_URL: setting({
    about: 'Address under which people and clients reach the service; links in mails and answers begin with it.',
    expects: 'an http(s) address without a path, such as https://calls.example.com',
    unset: 'http://localhost (https with TLS_CERT) and the port',
    read: (text) => readOrigin(text) ?? fail(),
  }),
  DATA_DIR: setting({
    about: 'Folder of the embedded PostgreSQL, of the secret key and of recordings.',
    expects: 'the path of a folder',
    unset: '`data` in the working folder',
    read: (text) => text,
  }),
  DATABASE_URL: setting({
    about:
      'An external PostgreSQL, version 17 or later, instead of the embedded one; of several hosts the one that can be written to is used. Needs SECRET_KEY.',
    expects: 'an address such as postgresql://user:password@host:5432/leadline, with several hosts separated by commas',
    unset: 'the embedded PostgreSQL',
    secret: true,
    read: readDatabaseUrl,
  }),
  DATABASE_DIRECT_URL: setting({
    about:
      'The same database without the pooler that DATABASE_URL goes through, for migrations, which need a connection of their own.',
    expects: 'an address such as postgresql://user:password@host:5432/leadline, with several hosts separated by commas',
    unset: 'as DATABASE_URL',
    secret: true,
    read: readDatabaseUrl,
  }),
  DATABASE_PATIENCE: setting({
    about:
      'How many times longer than usual the database may take, for a machine or a disk that is slow at times. Later than that one is told to come again.',
    expects: 'a whole number from 1 to 60',
    unset: '1: 5 seconds for a connection, 5 to 30 for a statement, 2 to 5 for a lock',
    read: (text) => readInteger(text, 1, 60),
  }),
  SECRET_KEY: setting({
    about: 'Encrypts API keys, webhook secrets and mails at rest. The same on every node; without it they are lost.',
    expects: 'at least 32 characters; `openssl rand -base64 32` makes some',
    unset: 'made once in the file `secret` of DATA_DIR',
    secret: true,
    read: (text) => readLong(text, 32),
  }),
  RATE_LIMITS: setting({
    about: 'Requests per seconds for each API key, every limit of the list holds. `off` is for test suites.',
    expects: '`off`, or a list such as 60/60,300/300 (requests/seconds)',
    unset: '60/60,300/300',
    read: readRateLimits,
  }),
  APP_LIMITS: setting({
    about:
      'The same for each person in the web application, who has at most 16 requests at once besides. `off` lifts both.',
    expects: '`off`, or a list such as 600/60 (requests/seconds)',
    unset: '600/60, or off where RATE_LIMITS is',
    read: readRateLimits,
  }),
  WEBHOOK_ALLOW: setting({
    about: 'Targets that webhooks may reach although they are loopback or private addresses.',
    expects: 'a comma-separated list of networks (10.1.0.0/16) or host names',
    unset: 'loopback and private targets while BASE_URL and the address of the account are such themselves',
    read: (text) => readList(text, (item) => isNetwork(item) || isHostName(item)),
  }),
  SMTP_URL: setting({
    about: 'Mail server for invitations and password resets.',
    expects: 'an address such as smtps://user:password@mail.example.com',
    unset: 'no mail leaves: pages give the links to hand over; others wait under Manage → Outbox',
    secret: true,
    read: (text) => readUrl(text, ['smtp:', 'smtps:']).href,
  }),
  MAIL_FROM: setting({
    about: 'Sender of these mails.',
    expects: 'an e-mail address, also as Name <calls@example.com>',
    unset: 'leadline@ and the host of BASE_URL',
    read: (text) => (/^([^<>\r\n]*<[^\s@<>]+@[^\s@<>]+>|[^\s@<>]+@[^\s@<>]+)$/.test(text) ? text : fail()),
  }),
  RECORDINGS: setting({
    about: 'Where recordings are kept. Several nodes need a bucket.',
    expects: 'the path of a folder, or s3://ACCESS_KEY:SECRET@host/bucket?region=…',
    unset: '`recordings` in DATA_DIR',
    secret: true,
    read: readRecordings,
  }),
  UPLOAD_LIMIT: setting({
    about:
      'How large a file with leads may be that someone uploads. It lies in the database until a week after its import; of an account ten times as much may wait to be imported, of one person five times.',
    expects: 'a size such as 500 MB or 2 GB, from 1 MB to 10 GB',
    unset: '1 GB',
    read: readSize,
  }),
  CARRIER: setting({
    about:
      'Which line calls and texts go over. `simulated` needs nothing: whom it calls behaves by the last digits of the number; with `simulated-random`, as people do.',
    expects: `one of ${Object.keys(CARRIERS).join(', ')}`,
    unset: 'simulated',
    read: (text): CarrierName => (isCarrier(text) ? text : fail()),
  }),
  PUBLIC_IP: setting({
    about: 'Addresses at which browsers reach this machine for the sound of calls, where it does not know them itself.',
    expects: 'a comma-separated list of IP addresses',
    unset: 'the addresses this machine has',
    read: (text) => readList(text, (item) => isIP(item) > 0),
  }),
  RTP_PORTS: setting({
    about: 'UDP ports for the sound of calls; each page in a call takes one, and browsers have to reach them.',
    expects: 'two numbers from 1024 to 65535 such as 40000-40999, the second not below the first',
    unset: '40000-40999',
    read: readPorts,
  }),
  ICE_SERVERS: setting({
    about:
      'Servers that help browsers to reach us through networks that block UDP. `turns:host?secret=…` makes passwords for an hour, as coturn does with `use-auth-secret`.',
    expects: 'a comma-separated list of stun:, turn: and turns: addresses, or a JSON list as browsers take it',
    unset: 'none',
    secret: true,
    read: (text) => readIceServers(text) ?? fail(),
  }),
  TRUST_PROXY: setting({
    about: 'Whose `X-Forwarded-*` headers to believe.',
    expects: 'the number of proxies in front (1 to 9), or a comma-separated list of their addresses or networks',
    unset: 'nobody',
    read: readProxies,
  }),
  TLS_CERT: setting({
    about: 'Certificate chain (PEM), to serve https without a proxy. Needs TLS_KEY.',
    expects: 'the path of a readable PEM file',
    unset: 'plain http',
    read: readPem,
  }),
  TLS_KEY: setting({
    about: 'Private key (PEM) of TLS_CERT.',
    expects: 'the path of a readable PEM file',
    unset: 'plain http',
    read: readPem,
  }),
  LOG_LEVEL: setting({
    about: 'How much is logged.',
    expects: 'one of trace, debug, info, warn, error, fatal, silent',
    unset: 'info',
    read: (text) => (/^(trace|debug|info|warn|error|fatal|silent)$/.test(text) ? text : fail()),
  }),
  METRICS_TOKEN: setting({
    about: 'Opens /metrics to other machines, as `Authorization: Bearer …`.',
    expects: 'at least 16 characters',
    unset: '/metrics answers this machine alone, while BASE_URL is localhost or loopback and TRUST_PROXY is not set',
    secret: true,
    read: (text) => readLong(text, 16),
  }),
  OWNER_EMAIL: setting({
    about: 'With OWNER_PASSWORD: makes the account and its owner on an empty database.',
    expects: 'an e-mail address',
    unset: 'the first start prints a link',
    read: (text) => (/^[^\s@<>]+@[^\s@<>]+$/.test(text) ? text : fail()),
  }),
  OWNER_PASSWORD: setting({
    about: "The owner's first password.",
    expects: '10 to 200 characters, not easily guessed',
    unset: 'the first start prints a link',
    secret: true,
    read: (text) => (hasPasswordLength(text) ? text : fail()),
  }),
  ACCOUNT_API_KEY: setting({
    about: 'The account key to set on an empty database, taken as given.',
    expects: 'at least 32 letters, digits or -._~+/=',
    unset: 'a random one',
    secret: true,
    read: (text) => (/^[\w\-.~+/=]{32,}$/.test(text) ? text : fail()),
  }),
};

export type Recordings = { folder: string } | { bucket: URL };

function fail(): never {
  throw new Unreadable();
}

function readInteger(text: string, least: number, most: number): number {
  const number = /^\d{1,9}$/.test(text) ? Number(text) : fail();
  return number >= least && number <= most ? number : fail();
}

function readPorts(text: string): { first: number; last: number } {
  const [, from, to] = /^(\d{4,5}) ?- ?(\d{4,5})$/.exec(text) ?? fail();
  const first = readInteger(from!, 1_024, 65_535);
  return { first, last: readInteger(to!, first, 65_535) };
}

function readSize(text: string): number {
  const [, number, unit] = /^(\d{1,5}) ?(MB|GB)$/i.exec(text) ?? fail();
  const bytes = Number(number) * (unit!.toUpperCase() === 'GB' ? 1_000_000_000 : 1_000_000);
  return bytes >= 1_000_000 && bytes <= 10_000_000_000 ? bytes : fail();
}

function readLong(text: string, least: number): string {
  return text.length >= least ? text : fail();
}

function readUrl(text: string, protocols: string[]): URL {
  const url = URL.canParse(text) ? new URL(text) : fail();
  return protocols.includes(url.protocol) && (url.hostname || url.searchParams.has('host')) ? url : fail();
}

function readDatabaseUrl(text: string): string {
  const fits = (host: string) => readUrl(host, ['postgres:', 'postgresql:']).pathname.length > 1;
  return hostsOf(text).every(fits) ? text : fail();
}

function readList(text: string, valid: (item: string) => boolean): string[] {
  const items = text.split(',').map((item) => item.trim());
  return items.every(valid) ? items : fail();
}

function readRateLimits(text: string): RateLimit[] {
  if (text === 'off') return [];
  return readList(text, (item) => /^[1-9]\d{0,8}\/[1-9]\d{0,5}$/.test(item)).map((item) => {
    const [requests, seconds] = item.split('/').map(Number);
    return { requests: requests!, seconds: seconds! };
  });
}

function readProxies(text: string): number | string[] {
  return /^\d+$/.test(text) ? readInteger(text, 1, 9) : readList(text, (item) => isIP(item) > 0 || isNetwork(item));
}

function readRecordings(text: string): Recordings {
  if (!/^\w+:\/\//.test(text)) return { folder: text };
  const bucket = readUrl(text, ['s3:']);
  return bucket.username && bucket.password && bucket.pathname.length > 1 ? { bucket } : fail();
}

function readPem(text: string): string {
  try {
    const pem = readFileSync(text, 'utf8');
    return pem.includes('-----BEGIN ') ? pem : fail();
  } catch {
    return fail();
  }
}

function isNetwork(text: string): boolean {
  const [address = '', bits = '', more] = text.split('/');
  const width = { 0: -1, 4: 32, 6: 128 }[isIP(address)]!;
  return more === undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= width;
}

const isHostName = (text: string) =>
  /^(?=.{1,253}$)([a-z\d]([a-z\d-]{0,61}[a-z\d])?)(\.[a-z\d]([a-z\d-]{0,61}[a-z\d])?)*$/i.test(text);
