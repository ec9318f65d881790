import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createSecureContext } from 'node:tls';
import { parseEnv } from 'node:util';
import type { DataDir } from '../db/embedded/home.ts';
import type { DatabaseAddress } from '../db/open.ts';
import { Refusal } from '../db/refusal.ts';
import type { IceSetting } from './phones/ice.ts';
import type { RateLimit } from './platform/limits.ts';
import { settings, Unreadable, type Recordings, type Setting } from './settings.ts';
import type { MediaSettings } from './telephony/media/media.ts';
import type { CarrierName } from './telephony/open.ts';

export type Environment = Record<string, string | undefined>;

export type Config = {
  port: number;
  /** Of health and metrics of `leadline work`; unset: it listens nowhere. */
  workPort?: number;
  bind: string;
  baseUrl: string;
  dataDir: DataDir;
  /** The external database; unset for the embedded one. */
  database?: DatabaseAddress;
  /** Unset with the embedded database: then the data folder holds it. */
  secretKey?: string;
  /** Empty: no limits. */
  rateLimits: RateLimit[];
  /** Of each person in the web application. Empty: none, nor a limit of how many at once. */
  appLimits: RateLimit[];
  /** Unset: decided by the account's own address. */
  webhookAllow?: string[];
  mail: { smtpUrl?: string; from: string };
  /** Unset: beside the embedded database, or in the data folder. */
  recordings?: Recordings;
  /** How many bytes a file with leads may have. */
  uploadLimit: number;
  databasePatience: number;
  /** Which line calls go over. */
  carrier: CarrierName;
  /** How browsers reach us with the sound of calls. */
  media: MediaSettings;
  iceServers: IceSetting[];
  trustProxy: false | number | string[];
  tls?: { cert: string; key: string };
  logLevel: string;
  metricsToken?: string;
  owner?: { email: string; password: string };
  accountApiKey?: string;
};

/** The environment over the file `.env` of the working folder. */
export function readEnvironment(folder = process.cwd(), environment: Environment = process.env): Environment {
  const file = join(folder, '.env');
  return existsSync(file) ? { ...parseEnv(readFileSync(file, 'utf8')), ...environment } : environment;
}

/** Reads every setting, and throws all that is wrong at once, a sentence each. */
export function readConfig(environment: Environment): Config {
  const faults: string[] = [];
  const isSet = (name: keyof typeof settings) => Boolean(environment[name]?.trim());

  function get<Name extends keyof typeof settings>(name: Name) {
    const { read, expects, secret } = settings[name] as Setting<ReturnType<(typeof settings)[Name]['read']>>;
    const text = environment[name]?.trim();
    if (!text) return undefined;
    try {
      return read(text);
    } catch (error) {
      if (!(error instanceof Unreadable)) throw error;
      faults.push(`${name} ${secret ? 'is not usable' : `is "${text}"`}; it must be ${expects}.`);
      return undefined;
    }
  }

  function demand(name: keyof typeof settings, other: keyof typeof settings, why: string) {
    if (isSet(name) && !isSet(other)) faults.push(`${name} is set without ${other}; ${why}.`);
  }
  demand('DATABASE_URL', 'SECRET_KEY', 'every node needs the same secret, so it cannot be made here');
  demand('DATABASE_DIRECT_URL', 'DATABASE_URL', 'it is another way to the same database');
  demand('TLS_CERT', 'TLS_KEY', 'https needs both');
  demand('TLS_KEY', 'TLS_CERT', 'https needs both');
  demand('OWNER_EMAIL', 'OWNER_PASSWORD', 'the owner needs both');
  demand('OWNER_PASSWORD', 'OWNER_EMAIL', 'the owner needs both');

  const port = get('PORT') ?? 3000;
  const tls = readTls(get('TLS_CERT'), get('TLS_KEY'), faults);
  const baseUrl = get('BASE_URL') ?? `${tls ? 'https' : 'http'}://localhost:${port}`;
  const dataDir = { path: get('DATA_DIR') ?? 'data', explicit: isSet('DATA_DIR') };
  const url = get('DATABASE_URL');
  const directUrl = get('DATABASE_DIRECT_URL') ?? url;
  const smtpUrl = get('SMTP_URL');
  const email = get('OWNER_EMAIL');
  const password = get('OWNER_PASSWORD');
  const rateLimits = get('RATE_LIMITS') ?? [
    { requests: 60, seconds: 60 },
    { requests: 300, seconds: 300 },
  ];
  const config: Config = {
    port,
    ...optional('workPort', get('WORK_PORT')),
    bind: get('BIND') ?? '127.0.0.1',
    baseUrl,
    dataDir,
    ...(url && directUrl && { database: { url, directUrl } }),
    ...optional('secretKey', get('SECRET_KEY')),
    rateLimits,
    appLimits: get('APP_LIMITS') ?? (rateLimits.length === 0 ? [] : [{ requests: 600, seconds: 60 }]),
    ...optional('webhookAllow', get('WEBHOOK_ALLOW')),
    mail: { ...optional('smtpUrl', smtpUrl), from: get('MAIL_FROM') ?? `leadline@${new URL(baseUrl).hostname}` },
    ...optional('recordings', get('RECORDINGS')),
    uploadLimit: get('UPLOAD_LIMIT') ?? 1_000_000_000,
    databasePatience: get('DATABASE_PATIENCE') ?? 1,
    carrier: get('CARRIER') ?? 'simulated',
    media: { publicIps: get('PUBLIC_IP') ?? [], ports: get('RTP_PORTS') ?? { first: 40_000, last: 40_999 } },
    iceServers: get('ICE_SERVERS') ?? [],
    trustProxy: get('TRUST_PROXY') ?? false,
    ...optional('tls', tls),
    logLevel: get('LOG_LEVEL') ?? 'info',
    ...optional('metricsToken', get('METRICS_TOKEN')),
    ...(email && password && { owner: { email, password } }),
    ...optional('accountApiKey', get('ACCOUNT_API_KEY')),
  };
  if (faults.length > 0) throw new Refusal(['The configuration needs a change:', ...faults].join('\n  '));
  return config;
}

function optional<Name extends string, T>(name: Name, value: T | undefined) {
  return (value === undefined ? {} : { [name]: value }) as { [key in Name]?: T };
}

function readTls(cert: string | undefined, key: string | undefined, faults: string[]): Config['tls'] {
  if (!cert || !key) return undefined;
  try {
    createSecureContext({ cert, key });
  } catch (error) {
    faults.push(`TLS_CERT and TLS_KEY do not belong together (${(error as Error).message}).`);
  }
  return { cert, key };
}
