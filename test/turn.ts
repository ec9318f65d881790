import { execFileSync, spawn, type ExecFileSyncOptionsWithStringEncoding } from 'node:child_process';
import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { existsSync, globSync, mkdirSync, writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { CipherContext, HashAlgorithm, NamedCurveAlgorithm, SignatureAlgorithm } from 'werift';
import { atEnd } from './database.ts';
import { eventually, makeFolder } from './leadline.ts';

/** coturn, which carries sound for those who may send no UDP. Unpacked, not installed: Debian's package starts a service. */

const CACHE = join(import.meta.dirname, '../node_modules/.cache/leadline-coturn');
const LIBRARIES = join(CACHE, 'usr/lib/x86_64-linux-gnu');

/** Undefined where it is neither on this machine nor to be had. */
export function findTurnServer(): string | undefined {
  const places = ['/usr/bin/turnserver', join(CACHE, 'usr/bin/turnserver')];
  const found = () => places.find((path) => existsSync(path));
  if (!found())
    try {
      unpack();
    } catch {
      return undefined;
    }
  return found();
}

function unpack(): void {
  mkdirSync(CACHE, { recursive: true });
  const quietly: ExecFileSyncOptionsWithStringEncoding = {
    cwd: CACHE,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
    timeout: 60_000,
  };
  const needed = execFileSync('apt-cache', ['depends', '--important', 'coturn'], quietly);
  const libraries = [...needed.matchAll(/^\s*Depends: (lib\S+)/gm)].map(([, name]) => name!);
  const missing = libraries.filter((name) => !isInstalled(name));
  execFileSync('apt-get', ['download', 'coturn', ...missing], quietly);
  for (const file of globSync('*.deb', { cwd: CACHE })) execFileSync('dpkg', ['-x', file, '.'], quietly);
}

function isInstalled(name: string): boolean {
  try {
    return execFileSync('dpkg-query', ['-W', '-f', '${Status}', name], {
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).endsWith(' installed');
  } catch {
    return false;
  }
}

export type TurnServer = {
  /** For `ICE_SERVERS`. */
  setting: string;
  /** Of its key, for browsers that are to trust it. */
  fingerprint: string;
  /** Whether a packet comes from it. */
  isFrom: (port: number) => boolean;
};

const SWITCHES = ['no-cli', 'no-udp', 'no-tcp', 'no-dtls', 'use-auth-secret', 'allow-loopback-peers', 'simple-log'].map(
  (name) => `--${name}`,
);
const PORTS = { first: 45_000, last: 45_099 };

/** One that takes nothing but TLS, and lets those in who were given a password that lasts. */
export async function openTurnServer(path: string): Promise<TurnServer> {
  const folder = makeFolder();
  const port = await findPort();
  const secret = randomBytes(16).toString('hex');
  const { certPem, keyPem } = await CipherContext.createSelfSignedCertificateWithKey(
    { signature: SignatureAlgorithm.ecdsa_3, hash: HashAlgorithm.sha256_4 },
    NamedCurveAlgorithm.secp256r1_23,
  );
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(cert, certPem);
  writeFileSync(key, keyPem);
  const settings = {
    'listening-ip': '127.0.0.1',
    'relay-ip': '127.0.0.1',
    'tls-listening-port': port,
    'min-port': PORTS.first,
    'max-port': PORTS.last,
    'static-auth-secret': secret,
    realm: 'leadline',
    cert,
    pkey: key,
    pidfile: join(folder, 'pid'),
    'log-file': 'stdout',
    userdb: join(folder, 'users'),
  };
  const child = spawn(
    path,
    ['-n', ...SWITCHES, ...Object.entries(settings).map(([name, value]) => `--${name}=${value}`)],
    { cwd: folder, env: { LD_LIBRARY_PATH: LIBRARIES }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (data) => (output += String(data)));
  const ended = new Promise((resolve) => child.once('exit', resolve));
  // Also where the file does not get as far as its end.
  process.once('exit', () => child.kill('SIGKILL'));
  atEnd(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  await eventually('coturn listens', async () => {
    if (child.exitCode !== null) throw new Error(output);
    return canConnect(port);
  });
  const spki = new X509Certificate(certPem).publicKey.export({ type: 'spki', format: 'der' });
  return {
    setting: `turns:127.0.0.1:${port}?transport=tcp&secret=${secret}`,
    fingerprint: createHash('sha256').update(spki).digest('base64'),
    isFrom: (from) => from >= PORTS.first && from <= PORTS.last,
  };
}

async function findPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const { port } = server.address() as AddressInfo;
  await new Promise((done) => server.close(done));
  return port;
}

const canConnect = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
