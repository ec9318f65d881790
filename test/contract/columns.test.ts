import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openHouse } from '../house.ts';
import { blame, stepsOf } from './steps.ts';

const house = await openHouse();
const ask = house.withKey(house.key);
const { addList } = stepsOf(ask);

type Column = { id: number; key: string; label: string; type: string; input_type: string; required: boolean };
const columnsOf = async (list: Record<string, unknown>): Promise<Column[]> =>
  (await ask('GET', `/lists/${(await addList(list)).id}/columns`)).body;
const keysOf = async (labels: string[]) =>
  (await columnsOf({ columns_attributes: labels.map((label) => ({ label })) })).map(({ key }) => key);
const defaults: [key: string, label: string, input: string][] = [
  ['company_name', 'Company name', 'string'],
  ['first_name', 'First name', 'string'],
  ['last_name', 'Last name', 'string'],
  ['title', 'Title', 'string'],
  ['work_office_phone', 'Work/Office phone', 'tel'],
  ['mobile_phone', 'Mobile phone', 'tel'],
  ['e_mail', 'E-mail', 'email'],
  ['website', 'Website', 'url'],
];
const tell = (columns: Column[]) => columns.map(({ key, label, input_type }) => [key, label, input_type]);

test('GET /api/v2/lists/:id/columns returns an array of Column objects', async () => {
  const columns = await columnsOf({
    columns_attributes: {
      '0': { label: 'Company', kind: 'none', required: true },
      '1': { label: 'Signed', kind: 'date' },
    },
  });
  for (const column of columns) {
    assert.ok(Number.isInteger(column.id));
    assert.deepEqual(Object.keys(column).toSorted(), ['id', 'input_type', 'key', 'label', 'required', 'type']);
  }
  assert.deepEqual(
    columns.map(({ key, label, type, input_type, required }) => ({ key, label, type, input_type, required })),
    [
      { key: 'company', label: 'Company', type: 'unicode', input_type: 'string', required: true },
      { key: 'signed', label: 'Signed', type: 'datetime', input_type: 'date', required: false },
    ],
  );
});

test('fields are ordered by key, as numbers; an array is taken as it stands; hidden ones are listed too', async () => {
  const columns_attributes = { '10': { label: 'C' }, '9': { label: 'B', visible: false }, '0': { label: 'A' } };
  assert.deepEqual(
    (await columnsOf({ columns_attributes })).map(({ key }) => key),
    ['a', 'b', 'c'],
  );
  assert.deepEqual(await keysOf(['Z', 'A']), ['z', 'a']);
});

test('each kind has its type and input_type', async () => {
  const kinds = {
    none: 'unicode string',
    phone: 'unicode tel',
    email: 'unicode email',
    url: 'unicode url',
    boolean: 'boolean boolean',
    integer: 'integer integer',
    date: 'datetime date',
    text: 'unicode text',
    options: 'unicode select',
    address: 'unicode text',
  };
  const columns = await columnsOf({ columns_attributes: Object.keys(kinds).map((kind) => ({ label: kind, kind })) });
  assert.deepEqual(
    Object.fromEntries(columns.map(({ key, type, input_type }) => [key, `${type} ${input_type}`])),
    kinds,
  );
});

test('kind is none when it is left out; an unknown kind or a missing label is 422', async () => {
  assert.equal((await columnsOf({ columns_attributes: [{ label: 'A' }] }))[0]!.input_type, 'string');
  const refused = (column: object) =>
    ask('POST', '/lists', { list: { name: 'x', columns_attributes: { '0': column } } });
  assert.deepEqual(blame(await refused({ label: 'A', kind: 'colour' })), [422, ['columns_attributes.0.kind']]);
  assert.deepEqual(blame(await refused({ kind: 'none' })), [422, ['columns_attributes.0.label']]);
});

test('a key comes from its label: in ASCII, lower case, runs of anything else to _, trimmed', async () => {
  assert.deepEqual(await keysOf(['Įmonė', 'Telefonas (1)', 'E-mail', 'Straße', 'Æble', 'Позже', ' --Mixed  CASE-- ']), [
    'imone',
    'telefonas_1',
    'e_mail',
    'strasse',
    'aeble',
    'pozzhe',
    'mixed_case',
  ]);
  const [chinese] = await keysOf(['电话']);
  assert.match(chinese!, /^[a-z]+$/);
});

test('an empty key is field; repeats get _2, _3; the parameters of find get _field', async () => {
  assert.deepEqual(await keysOf(['!', 'A', 'a', 'Á', 'matchall', 'Page', 'per page', 'Order', 'AFTER']), [
    'field',
    'a',
    'a_2',
    'a_3',
    'matchall_field',
    'page_field',
    'per_page_field',
    'order_field',
    'after_field',
  ]);
});

test('no columns given: the default fields', async () => {
  assert.deepEqual(tell(await columnsOf({})), defaults);
});

test('lock_on_defaults: the default fields come first, given columns follow, one whose key equals a default is that default', async () => {
  const columns_attributes = [
    { label: 'Budget', kind: 'integer' },
    { label: 'TITLE', kind: 'text' },
  ];
  assert.deepEqual(tell(await columnsOf({ lock_on_defaults: true, columns_attributes })), [
    ...defaults,
    ['budget', 'Budget', 'integer'],
  ]);
});
