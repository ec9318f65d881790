import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { openHouse } from '../house.ts';
import { eventually } from '../leadline.ts';
import { addNeighbour, idsOf, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList, addLead, readLead } = stepsOf(ask);

describe('Duplicates', () => {
  const mails = [{ label: 'Name' }, { label: 'Tel', kind: 'phone' }, { label: 'Mail', kind: 'email' }];
  const settled = async (lead: { id: number }, ids: number[]) => {
    await eventually('its duplicates', async () => (await readLead(lead)).detected_duplicates.length === ids.length);
    assert.deepEqual((await readLead(lead)).detected_duplicates, ids);
  };

  test('the same phone number however it is written, in any phone column, of any list: both ways', async () => {
    const columns_attributes = [
      { label: 'Home', kind: 'phone' },
      { label: 'Work', kind: 'phone' },
    ];
    const first = await addLead(await addList({ columns_attributes }), { home: '+45 40 11 22 33' });
    const second = await addLead(await addList({ columns_attributes: mails }), { tel: '+45 (40) 11-22-33' });
    const third = await addLead(await addList({ columns_attributes }), { work: '+4540112233' });
    const other = await addLead(await addList({ columns_attributes }), { work: '+4540112234' });
    await settled(third, [first.id, second.id]);
    await settled(first, [second.id, third.id]);
    await settled(second, [first.id, third.id]);
    assert.deepEqual((await readLead(other)).detected_duplicates, []);
  });

  test('a number written nationally is read by the account’s country', async () => {
    const list = await addList({ columns_attributes: mails });
    const first = await addLead(list, { tel: '(212) 736-5000' });
    const second = await addLead(list, { tel: '+1 212 736 5000' });
    await settled(first, [second.id]);
  });

  test('the same e-mail in any case; a changed one detects no longer', async () => {
    const list = await addList({ columns_attributes: mails });
    const first = await addLead(list, { mail: 'Twin@Example.com' });
    const second = await addLead(list, { mail: 'twin@example.com', name: 'Other' });
    await settled(first, [second.id]);
    await settled(second, [first.id]);
    await ask('PATCH', `/leads/${second.id}`, { lead: { mail: 'single@example.com' } });
    await settled(first, []);
    await settled(second, []);
  });

  test('the chosen column, by key or label; names alone are no match', async () => {
    const chosen = await addList({
      columns_attributes: [{ label: 'VAT no' }, { label: 'Name' }],
      duplicates_match_on: 'VAT no',
    });
    const byKey = await addList({
      columns_attributes: [{ label: 'VAT no' }, { label: 'Name' }],
      duplicates_match_on: 'vat_no',
    });
    const first = await addLead(chosen, { vat_no: 'DK12345678', name: 'Same name' });
    const second = await addLead(byKey, { vat_no: 'DK12345678' });
    const third = await addLead(chosen, { vat_no: 'DK87654321', name: 'Same name' });
    await settled(first, [second.id]);
    await settled(second, [first.id]);
    assert.deepEqual((await readLead(third)).detected_duplicates, []);
  });

  test('a pair counts when both lists match on it', async () => {
    const on = await addList({ columns_attributes: mails });
    const off = await addList({
      columns_attributes: mails,
      duplicates_match_on_phone: false,
      duplicates_match_on_email: '0',
    });
    const values = { tel: '+4540998877', mail: 'pair@example.com' };
    const first = await addLead(on, values);
    const silent = await addLead(off, values);
    const second = await addLead(on, values);
    await settled(first, [second.id]);
    await settled(second, [first.id]);
    assert.deepEqual((await readLead(silent)).detected_duplicates, []);
  });

  test('another account’s leads are nobody’s duplicates', async () => {
    const neighbour = await addNeighbour(house);
    const theirs = stepsOf(neighbour.ask);
    const values = { mail: 'border@example.com' };
    await theirs.addLead(await theirs.addList({ columns_attributes: mails }), values);
    const list = await addList({ columns_attributes: mails });
    const first = await addLead(list, values);
    const second = await addLead(list, values);
    await settled(first, [second.id]);
    await settled(second, [first.id]);
  });

  test('rows of lists, find and search tell them too', async () => {
    const list = await addList({ columns_attributes: mails });
    const first = await addLead(list, { mail: 'rows@example.com' });
    const second = await addLead(list, { mail: 'rows@example.com' });
    await settled(second, [first.id]);
    for (const path of [`/lists/${list.id}/leads`, `/lists/${list.id}/leads/find?mail=rows@example.com`]) {
      const { body } = await ask('GET', path);
      assert.deepEqual(idsOf(body), [second.id, first.id]);
      assert.deepEqual(body[0].detected_duplicates, [first.id]);
    }
  });
});
