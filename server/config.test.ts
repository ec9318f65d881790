import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Refusal } from '../db/refusal.ts';
import { makeFolder } from '../test/leadline.ts';
import { readConfig, readEnvironment, type Environment } from './config.ts';
import { settings } from './settings.ts';

const SECRET_KEY = 'x'.repeat(32);

function faultsOf(environment: Environment): string[] {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof Refusal);
    return error.message.split('\n  ').slice(1);
  }
  return [];
}

test('nothing set: everything has a default', () => {
  const config = readConfig({});
  assert.equal(config.port, 3000);
  assert.equal(config.bind, '127.0.0.1');
  assert.equal(config.baseUrl, 'http://localhost:3000');
  assert.deepEqual(config.dataDir, { path: 'data', explicit: false });
  assert.equal(config.database, undefined);
  assert.deepEqual(config.rateLimits, [
    { requests: 60, seconds: 60 },
    { requests: 300, seconds: 300 },
  ]);
});

test('an empty value is as good as none', () => {
  assert.equal(readConfig({ PORT: '', DATABASE_URL: ' ' }).port, 3000);
});

test('all faults are told at once, each naming its variable and what is expected', () => {
  assert.deepEqual(
    faultsOf({ PORT: '70000', BASE_URL: 'calls.example.com', LOG_LEVEL: 'loud', TLS_CERT: '/nowhere' }),
    [
      'TLS_CERT is set without TLS_KEY; https needs both.',
      'PORT is "70000"; it must be a whole number from 0 to 65535 (0 takes any free one).',
      'TLS_CERT is "/nowhere"; it must be the path of a readable PEM file.',
      'BASE_URL is "calls.example.com"; it must be an http(s) address without a path, such as https://calls.example.com.',
      'LOG_LEVEL is "loud"; it must be one of trace, debug, info, warn, error, fatal, silent.',
    ],
  );
});

const wrong: Record<keyof typeof settings, string[]> = {
  PORT: ['-1', '3000.5', '0x10', 'http', '99999'],
  WORK_PORT: ['-1', 'none'],
  BIND: ['everywhere', '256.0.0.1'],
  BASE_URL: ['ftp://a', 'https://a/path', 'https://a?x', 'https://ann:pw@a', '//a'],
  DATA_DIR: [],
  DATABASE_URL: ['localhost', 'mysql://a/b', 'postgresql://host', 'postgresql://host/', 'postgresql://a,b'],
  DATABASE_DIRECT_URL: ['https://a/b'],
  DATABASE_PATIENCE: ['0', '61', 'six', '1.5'],
  SECRET_KEY: ['short'],
  RATE_LIMITS: ['60', '60/0', '60/60;300/300', 'none', '0/60'],
  APP_LIMITS: ['600', 'none'],
  WEBHOOK_ALLOW: ['10.0.0.0/33', 'a b', '::1/129', ',', 'http://a'],
  SMTP_URL: ['mail.example.com', 'http://mail.example.com'],
  MAIL_FROM: ['Ann', 'ann@', 'Ann <ann>', 'a@b\nBcc: c@d'],
  RECORDINGS: ['s3://bucket', 'https://a/b', 's3://key:secret@host'],
  UPLOAD_LIMIT: ['1', '1 TB', '11 GB', '0 MB', '1.5 GB'],
  CARRIER: ['sip', 'Simulated'],
  PUBLIC_IP: ['calls.example.com', '1.2.3.4;5.6.7.8'],
  RTP_PORTS: ['40000', '40999-40000', '80-90', '40000-70000'],
  ICE_SERVERS: ['turn.example.com', 'https://a', '[{}]', '[{"urls":["x"]}]', '{"urls":"stun:a"}'],
  TRUST_PROXY: ['0', '10', 'everyone', '10.0.0.0/64'],
  TLS_CERT: ['/nowhere/cert.pem'],
  TLS_KEY: ['/nowhere/key.pem'],
  LOG_LEVEL: ['verbose'],
  METRICS_TOKEN: ['short'],
  OWNER_EMAIL: ['ann', 'ann@', '@example.com', 'ann @example.com'],
  OWNER_PASSWORD: ['short'],
  ACCOUNT_API_KEY: ['short', `${'x'.repeat(32)} y`, `"${'x'.repeat(32)}"`],
};
const companions: Environment = {
  DATABASE_URL: 'postgresql://host/leadline',
  SECRET_KEY,
  OWNER_EMAIL: 'a@b.c',
  OWNER_PASSWORD: 'long enough',
};

for (const [name, values] of Object.entries(wrong)) {
  for (const value of values) {
    test(`${name} ${JSON.stringify(value)} is refused`, () => {
      const faults = faultsOf({ ...companions, [name]: value }).filter((fault) => fault.includes('; it must be '));
      assert.equal(faults.length, 1);
      assert.ok(faults[0]!.startsWith(`${name} is`));
    });
  }
}

test('the value of a secret setting is never repeated', () => {
  for (const [name, { secret }] of Object.entries(settings)) {
    if (!secret) continue;
    const value = wrong[name as keyof typeof settings].at(-1)!;
    assert.ok(
      !faultsOf({ ...companions, [name]: value })
        .join()
        .includes(value),
      name,
    );
  }
});

test('settings that belong together are asked for together', () => {
  assert.match(
    faultsOf({ DATABASE_URL: 'postgresql://host/leadline' }).join(),
    /DATABASE_URL is set without SECRET_KEY/,
  );
  assert.match(faultsOf({ DATABASE_DIRECT_URL: 'postgresql://host/leadline' }).join(), /without DATABASE_URL/);
  assert.match(faultsOf({ OWNER_EMAIL: 'a@b.c' }).join(), /OWNER_EMAIL is set without OWNER_PASSWORD/);
  assert.match(faultsOf({ OWNER_PASSWORD: 'long enough' }).join(), /OWNER_PASSWORD is set without OWNER_EMAIL/);
});

test('right values are read', () => {
  const config = readConfig({
    ...companions,
    BIND: '::',
    BASE_URL: 'https://calls.example.com/',
    DATABASE_DIRECT_URL: 'postgresql://direct/leadline',
    RATE_LIMITS: 'off',
    WEBHOOK_ALLOW: '10.0.0.0/8, hooks.internal,fd00::/8',
    MAIL_FROM: 'Calls <calls@example.com>',
    RECORDINGS: 's3://key:secret@s3.example.com/calls?region=eu-1',
    TRUST_PROXY: '10.0.0.1,192.168.0.0/16',
  });
  assert.equal(config.baseUrl, 'https://calls.example.com');
  assert.deepEqual(config.database, { url: 'postgresql://host/leadline', directUrl: 'postgresql://direct/leadline' });
  assert.deepEqual(config.rateLimits, []);
  assert.deepEqual(config.webhookAllow, ['10.0.0.0/8', 'hooks.internal', 'fd00::/8']);
  assert.ok(config.recordings && 'bucket' in config.recordings && config.recordings.bucket.pathname === '/calls');
  assert.deepEqual(config.trustProxy, ['10.0.0.1', '192.168.0.0/16']);
});

test('the environment goes before the file .env', () => {
  const folder = makeFolder();
  writeFileSync(join(folder, '.env'), 'PORT=4000\nBIND="::1" # loopback\n');
  const { PORT, BIND } = readEnvironment(folder, { PORT: '5000' });
  assert.deepEqual({ PORT, BIND }, { PORT: '5000', BIND: '::1' });
});
