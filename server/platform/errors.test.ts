import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { describe, test } from 'node:test';
import { ErrorBody } from '../../contract/errors.ts';
import { Compile } from 'typebox/compile';
import { openHouse, OWNER } from '../../test/house.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const owner = await house.signIn(OWNER.email, OWNER.password);
const isErrorBody = Compile(ErrorBody);

/** Bytes as they are, and what comes back before the connection is closed. */
function exchange(sent: string): Promise<{ status: number; head: string; body: { code: string; request_id: string } }> {
  return new Promise((resolve, reject) => {
    const socket = connect(Number(new URL(house.address).port), '127.0.0.1');
    let text = '';
    socket.setEncoding('utf8');
    socket.on('data', (chunk) => (text += String(chunk)));
    socket.on('error', reject);
    socket.on('close', () => {
      const [head = '', body = ''] = text.split('\r\n\r\n');
      resolve({ status: Number(head.split(' ')[1]), head, body: JSON.parse(body) });
    });
    socket.write(sent);
  });
}

const request = (headers: string, path = '/api/v2/lists', body = '') =>
  `POST ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Token "${house.key}"\r\nConnection: close\r\n${headers}\r\n${body}`;

describe('what the parser of HTTP refuses', () => {
  test('has the one shape, a code and the headers of every answer', async () => {
    for (const [sent, status, code] of [
      [request(`X-Long: ${'x'.repeat(20_000)}\r\n`), 431, 'headers_too_large'],
      [request(`X-Long: ${'x'.repeat(500_000)}\r\n`), 431, 'headers_too_large'],
      [request('', `/api/v2/lists?${'x'.repeat(20_000)}`), 431, 'headers_too_large'],
      ['NONSENSE\r\n\r\n', 400, 'bad_request'],
      ['GET /api/v2/lists HTTP/1.1\r\nConnection: close\r\n\r\n', 400, 'bad_request'],
      [request('', '/api/v2/lists?name=\u00e6'), 400, 'bad_address'],
      [
        request('Transfer-Encoding: chunked\r\n', '/api/v2/lists', `5;${'x'.repeat(20_000)}\r\n`),
        413,
        'body_too_large',
      ],
    ] as const) {
      const { status: got, head, body } = await exchange(sent);
      assert.deepEqual([got, body.code], [status, code]);
      assert.ok(isErrorBody.Check(body), JSON.stringify(body));
      assert.match(head, /content-type: application\/json/i);
      assert.match(head, /connection: close/i);
      assert.match(head, new RegExp(`x-request-id: ${body.request_id}`, 'i'));
      assert.match(head, /x-content-type-options: nosniff/i);
    }
  });

  test('a body that is too long is 413 with the same code, said before or found out', async () => {
    const body = `{"list":{"name":"${'x'.repeat(1024 * 1024)}"}}`;
    const chunked = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`;
    for (const sent of [
      request(`Content-Length: ${body.length}\r\n`, '/api/v2/lists', body),
      request('Transfer-Encoding: chunked\r\n', '/api/v2/lists', chunked),
    ]) {
      const { status, body: answer } = await exchange(sent);
      assert.deepEqual([status, answer.code, isErrorBody.Check(answer)], [413, 'body_too_large', true]);
    }
  });
});

describe('sentences', () => {
  const say = async (path: string, body: unknown) => {
    const { status, body: answer } = await ask('POST', path, body);
    assert.equal(status, 422);
    return answer;
  };

  test('name a parameter as it is written and say what it has to be', async () => {
    const list = (given: Record<string, unknown>) => say('/lists', { list: { name: 'x', ...given } });
    for (const [given, sentence] of [
      [{ user_ids: 'x' }, 'user_ids must be an array of integers.'],
      [{ user_ids: ['x'] }, 'user_ids.0 must be an integer.'],
      [{ prepend_phone: 5 }, 'prepend_phone must be a boolean or a string.'],
      [{ prepend_phone: 'x' }, 'prepend_phone must match ^\\+\\d{1,15}$.'],
      [{ columns_attributes: 5 }, 'columns_attributes must be an object or an array of objects.'],
      [{ columns_attributes: [{ label: 5 }] }, 'columns_attributes.0.label must be a string.'],
      [{ name: 5 }, 'Name must be a string.'],
    ] as const)
      assert.equal((await list(given)).error, sentence);
  });

  test('none asks for a null, also where one is allowed', async () => {
    const { body: list } = await ask('POST', '/lists', { list: { name: 'x' } });
    const { body: lead } = await ask('POST', `/lists/${list.id}/leads`, { lead: {} });
    const { errors } = await say(`/leads/${lead.id}/winner`, {
      lead: { call_back_in: 'soon', comment: 5, exactly: 'x' },
    });
    assert.deepEqual(errors, {
      call_back_in: ['must be an integer'],
      comment: ['must be a string'],
      exactly: ['must be a boolean'],
    });
    const { body: account } = await owner('PATCH', '/account', {
      account: { most_calls_a_day: 0, claim_lapse_days: 'x' },
    });
    assert.deepEqual(account.errors, {
      most_calls_a_day: ['must be at least 1'],
      claim_lapse_days: ['must be an integer'],
    });
    const { body: delegation } = await ask('PATCH', `/leads/${lead.id}/delegate`, { lead: { delegate_to: true } });
    assert.deepEqual(delegation.errors, { delegate_to: ['must be an integer or a string'] });
  });
});
