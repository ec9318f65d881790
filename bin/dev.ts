// `npm run dev`: the service, begun again after every change of its code, and in front of it Vite, which shows a change of the pages at once.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, request as ask, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSocket, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pipeline, type Duplex } from 'node:stream';
import { createServer as startVite } from 'vite';
import { readConfig, readEnvironment } from '../server/config.ts';
import { PHONE_PATH } from '../server/phones/socket.ts';

const ROOT = join(import.meta.dirname, '..');
/** The modules of the pages lie under a name of their own: some of their folders are called as pages are. */
const MODULES = '/dev/';

const { port, bind, baseUrl } = readConfig(readEnvironment());
const behind = await findPort();
const service = spawn(process.execPath, ['--watch', join(ROOT, 'bin/leadline.mjs'), 'serve'], {
  env: { ...process.env, PORT: String(behind), BIND: '127.0.0.1', BASE_URL: baseUrl },
  stdio: 'inherit',
});

const server = createServer();
const vite = await startVite({
  configFile: join(ROOT, 'web/vite.config.ts'),
  appType: 'custom',
  base: MODULES,
  plugins: [
    {
      name: 'early',
      // The build makes a script of its own of it.
      transformIndexHtml: () => [
        { tag: 'script', attrs: { type: 'module', src: `${MODULES}early.ts` }, injectTo: 'head-prepend' },
      ],
    },
  ],
  clearScreen: false,
  server: {
    middlewareMode: true,
    hmr: { server },
    fs: { allow: ['web', 'contract', 'node_modules'].map((folder) => join(ROOT, folder)) },
  },
});
server.on('request', (request, response) => {
  if (request.url!.startsWith(MODULES)) vite.middlewares(request, response);
  else pass(request, response);
});
// The telephone's socket; Vite has one of its own on the same server.
server.on('upgrade', (request, socket) => {
  if (request.url === PHONE_PATH) passSocket(request, socket);
});
server.listen(port, bind);

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => service.kill(signal));
await once(service, 'exit');
await vite.close();
process.exit();

function pass(request: IncomingMessage, response: ServerResponse): void {
  const { url, method, headers } = request;
  const asked = ask({ host: '127.0.0.1', port: behind, path: url, method, headers }, (answer) => {
    if (isApplication(answer)) void sendApplication(answer, response);
    else answer.pipe(response.writeHead(answer.statusCode!, answer.headers));
  });
  asked.on('error', () => {
    if (response.headersSent) response.destroy();
    else response.writeHead(503, { 'retry-after': '1', refresh: '1' }).end('The service is starting.');
  });
  response.on('close', () => asked.destroy());
  request.pipe(asked);
}

function passSocket({ url, headers }: IncomingMessage, socket: Duplex): void {
  const asked = ask({ host: '127.0.0.1', port: behind, path: url, headers });
  asked.on('upgrade', ({ statusCode, statusMessage, rawHeaders }, theirs) => {
    const lines = rawHeaders.map((text, at) => (at % 2 === 0 ? `${text}: ` : `${text}\r\n`)).join('');
    socket.write(`HTTP/1.1 ${statusCode} ${statusMessage}\r\n${lines}\r\n`);
    pipeline(socket, theirs, socket, () => {});
  });
  for (const event of ['response', 'error']) asked.on(event, () => socket.destroy());
  asked.end();
}

/** The one document whose styles are let in by a word that is said once. */
function isApplication({ headers }: IncomingMessage): boolean {
  return String(headers['content-security-policy']).includes("style-src 'self' 'nonce-");
}

/** As it lies in web/, and without the policy for content: Vite writes scripts and styles into it. */
async function sendApplication(answer: IncomingMessage, response: ServerResponse): Promise<void> {
  answer.resume();
  const html = readFileSync(join(ROOT, 'web/index.html'), 'utf8').replace(
    '../node_modules',
    `/@fs${ROOT}/node_modules`,
  );
  const page = (await vite.transformIndexHtml('/', html)).replace(`${MODULES}assets/`, '/assets/');
  const cookies = answer.headers['set-cookie'];
  response
    .writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...(cookies && { 'set-cookie': cookies }) })
    .end(page);
}

async function findPort(): Promise<number> {
  const socket = createSocket().listen(0, '127.0.0.1');
  await once(socket, 'listening');
  const { port: free } = socket.address() as AddressInfo;
  socket.close();
  await once(socket, 'close');
  return free;
}
