import { fastify } from 'fastify';
import { Pool, types } from 'pg';
import { FIND_AND_COUNT } from '../../server/people/keys/authenticate.ts';
import { hashToken } from '../../server/platform/secrets.ts';
import { subjectOf } from '../../server/platform/limits.ts';
import { addAnswers } from './answers.ts';

/** The least that can do the same work: Fastify and one statement a request. With FLOOR=fair the key-and-limit statement before it. */

types.setTypeParser(types.builtins.INT8, Number);
const { DATABASE_URL, PORT, FLOOR, ACCOUNT } = process.env;
const pool = new Pool({ connectionString: DATABASE_URL, max: 20 });
const app = fastify();

if (FLOOR === 'fair') {
  app.addHook('onRequest', async ({ headers, ip, host }) => {
    const [, key = ''] = /^Token "(.+)"$/.exec(headers.authorization ?? '') ?? [];
    const values = [[hashToken(key)], [subjectOf('address', ip)], [host], [1], [60, 300]];
    const { rows } = await pool.query({ name: 'key', text: FIND_AND_COUNT, values });
    if (!rows[0].key) throw new Error('The key is not known.');
  });
}
await addAnswers(app, pool, JSON.parse(ACCOUNT!));
await app.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', async () => {
  await app.close();
  await pool.end();
});
