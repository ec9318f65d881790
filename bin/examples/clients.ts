import { EXAMPLE_ADDRESS } from '../../server/docs/examples.ts';

export const OWNER = { email: 'ellen@example.com', password: 'ladder violet harbour nine' };
export const ACCOUNT_KEY = 'the-key-of-the-account-of-the-examples-0001';

export type Body = Record<string, unknown>;
export type Answer = { status: number; headers: Headers; body: any };
export type Ask = (
  method: string,
  path: string,
  body?: Body | string,
  headers?: Record<string, string>,
) => Promise<Answer>;

export function asking(address: string, door: string, own: Record<string, string>): Ask {
  return async (method, path, body, headers = {}) => {
    const answer = await fetch(address + door + path, {
      method,
      redirect: 'manual',
      headers: { 'content-type': 'application/json', ...own, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await answer.text();
    return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text) };
  };
}

export async function enterPages(address: string): Promise<Ask> {
  const stranger = asking(address, '/app', { origin: EXAMPLE_ADDRESS });
  const cookie = cookieIn(await stranger('POST', '/session', OWNER));
  const ask = asking(address, '/app', { origin: EXAMPLE_ADDRESS, cookie });
  return async (method, path, body) => {
    const answer = await ask(method, path, body);
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.body.error}`);
    return answer;
  };
}

const cookieIn = ({ headers }: Answer) => headers.get('set-cookie')!.split(';', 1)[0]!;

/** Someone who was invited comes in by the link of the mail, and has a key from then on. */
export async function keyOf(address: string, owner: Ask, id: number): Promise<string> {
  const { body: person } = await owner('GET', `/users/${id}`);
  const { body: mails } = await owner('GET', '/outbox');
  const { text } = mails.find(({ recipient }: { recipient: string }) => recipient === person.email);
  const token = /token=([\w-]+)/.exec(text)![1]!;
  const stranger = asking(address, '/app', { origin: EXAMPLE_ADDRESS });
  const cookie = cookieIn(await stranger('POST', '/invitation', { token, password: OWNER.password }));
  const own = asking(address, '/app', { origin: EXAMPLE_ADDRESS, cookie });
  return (await own('POST', '/keys/personal/show', { password: OWNER.password })).body.key;
}
