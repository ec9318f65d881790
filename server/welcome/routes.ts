import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import { VERSION } from '../version.ts';

const read = (name: string) => readFileSync(join(import.meta.dirname, name), 'utf8');

/** What a person sees who opens the address in a browser. */
export function addWelcome(app: FastifyInstance): void {
  const page = read('welcome.html').replaceAll('{{version}}', VERSION);
  const style = read('welcome.css');
  const mark = read('mark.svg');
  app.get('/', (_request, reply) =>
    reply.type('text/html; charset=utf-8').header('cache-control', 'no-cache').send(page),
  );
  app.get('/assets/welcome.css', (_request, reply) => reply.type('text/css; charset=utf-8').send(style));
  app.get('/assets/mark.svg', (_request, reply) => reply.type('image/svg+xml').send(mark));
}
