import assert from 'node:assert/strict';
import type { Import, ImportState, Plan } from '../contract/imports.ts';
import type { Answer, Ask } from './house.ts';
import { eventually } from './leadline.ts';

const ok = ({ status, body }: Answer) => {
  assert.ok(status < 300, `${status} ${JSON.stringify(body)}`);
  return body;
};

/** Files with leads, as the pages bring them in. */
export function openUploads(ask: Ask) {
  const look = async (id: number): Promise<Import> => ok(await ask('GET', `/imports/${id}`));

  const until = (id: number, ...states: ImportState[]): Promise<Import> =>
    eventually(`import ${id} is ${states.join(' or ')}`, async () => {
      const now = await look(id);
      if (now.state === 'refused' && !states.includes('refused')) throw new Error(now.refusal!);
      return states.includes(now.state) && now;
    });

  /** Read and checked; columns are matched as they were guessed. */
  const upload = async (file: string | Buffer, list_id?: number): Promise<Import> => {
    const bytes = Buffer.from(file as string);
    const given = { file_name: 'leads.csv', bytes: bytes.length, ...(list_id !== undefined && { list_id }) };
    const { id } = ok(await ask('POST', '/imports', { import: given }));
    ok(await ask('PUT', `/imports/${id}/chunks/0`, bytes, { 'content-type': 'application/octet-stream' }));
    return until(id, 'checked');
  };

  const change = async (id: number, plan: Partial<Plan>): Promise<Import> => {
    const now = await look(id);
    ok(await ask('PATCH', `/imports/${id}`, { import: { version: now.version, plan: { ...now.plan, ...plan } } }));
    return until(id, 'checked');
  };

  const start = async (id: number): Promise<Import> => {
    const { version } = await look(id);
    return ok(await ask('POST', `/imports/${id}/start`, { import: { version } }));
  };

  const run = async (id: number): Promise<Import> => {
    await start(id);
    return until(id, 'finished');
  };

  /** From the file to the leads. */
  const bring = async (file: string | Buffer, list_id?: number, plan: Partial<Plan> = {}): Promise<Import> => {
    const { id } = await upload(file, list_id);
    if (Object.keys(plan).length > 0) await change(id, plan);
    return run(id);
  };

  const undo = async (id: number): Promise<Import> => {
    ok(await ask('POST', `/imports/${id}/undo`));
    return until(id, 'undone');
  };

  return { look, until, upload, change, start, run, bring, undo };
}
