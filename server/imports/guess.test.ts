import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Match } from '../../contract/imports.ts';
import { planColumns } from '../lists/columns.ts';
import { guessMatches, headingsDigest, type Field, type FileColumn } from './guess.ts';

const DEFAULTS: Field[] = planColumns(undefined, false);

const fieldOf = (key: string, kind: Field['kind'], options: string[] = [], label = key): Field => ({
  key,
  label,
  kind,
  options,
});

/** `Name: value, value` */
const columnsOf = (...columns: [name: string, ...samples: string[]][]): FileColumn[] =>
  columns.map(([name, ...samples]) => ({ name, samples }));

/** Column → field, with a question mark where someone should look. */
function guess(columns: FileColumn[], fields = DEFAULTS, isNewList = false): Record<string, string> {
  return Object.fromEntries(
    guessMatches(columns, fields, isNewList).map((match) => [
      match.columns.map((place) => columns[place]!.name).join('+'),
      `${match.field ?? match.part ?? match.new_field?.kind}${match.dates ? ` ${match.dates}` : ''}${match.sure === false ? '?' : ''}`,
    ]),
  );
}

test('names of thirteen languages find the default fields', () => {
  const languages = [
    ['Company', 'First name', 'Surname', 'Job title', 'Office phone', 'Cell', 'Email address', 'URL'],
    ['Firma', 'Vorname', 'Nachname', 'Position', 'Telefon', 'Handy', 'E-Mail-Adresse', 'Webseite'],
    ['Raison sociale', 'Prénom', 'Nom', 'Fonction', 'Téléphone', 'Portable', 'Courriel', 'Site web'],
    ['Empresa', 'Nombre', 'Apellidos', 'Cargo', 'Teléfono', 'Móvil', 'Correo electrónico', 'Página web'],
    ['Ragione sociale', 'Nome', 'Cognome', 'Ruolo', 'Telefono', 'Cellulare', 'Posta elettronica', 'Sito web'],
    ['Empresa', 'Nome', 'Sobrenome', 'Cargo', 'Telefone', 'Telemóvel', 'Correio eletrónico', 'Site'],
    ['Bedrijfsnaam', 'Voornaam', 'Achternaam', 'Functie', 'Telefoonnummer', 'Mobiel', 'E-mailadres', 'Website'],
    ['Virksomhed', 'Fornavn', 'Efternavn', 'Stilling', 'Telefon', 'Mobilnummer', 'E-mail', 'Hjemmeside'],
    ['Företag', 'Förnamn', 'Efternamn', 'Befattning', 'Telefonnummer', 'Mobiltelefon', 'E-post', 'Hemsida'],
    ['Bedrift', 'Fornavn', 'Etternavn', 'Tittel', 'Tlf.', 'Mobil', 'Epost', 'Nettside'],
    ['Yritys', 'Etunimi', 'Sukunimi', 'Nimike', 'Puhelin', 'Matkapuhelin', 'Sähköposti', 'Kotisivu'],
    ['Nazwa firmy', 'Imię', 'Nazwisko', 'Stanowisko', 'Telefon', 'Telefon komórkowy', 'Adres e-mail', 'Strona www'],
    ['Společnost', 'Jméno', 'Příjmení', 'Pozice', 'Telefon', 'Mobilní telefon', 'E-mail', 'Webové stránky'],
  ];
  for (const names of languages) {
    const found = guess(names.map((name) => ({ name, samples: [] })));
    assert.deepEqual(
      Object.values(found),
      DEFAULTS.map(({ key }) => key),
      names[0],
    );
  }
});

test('two telephones go to the two fields for them, in their order', () => {
  const phones = columnsOf(['Tel. 1', '020 7946 0118'], ['Tel. 2', '020 7946 0119'], ['Tel. 3', '020 7946 0120']);
  assert.deepEqual(guess(phones), { 'Tel. 1': 'work_office_phone', 'Tel. 2': 'mobile_phone' });
});

test('values tell what names do not, but nobody is sure of it', () => {
  const columns = columnsOf(
    ['A', 'ann@acme.example'],
    ['B', '+44 20 7946 0118'],
    ['C', 'acme.com'],
    ['D', '17', '4'],
    ['E', 'gold', 'silver'],
  );
  const fields = [...DEFAULTS, fieldOf('tier', 'options', ['gold', 'silver']), fieldOf('age', 'integer')];
  assert.deepEqual(guess(columns, fields), { A: 'e_mail?', B: 'work_office_phone?', C: 'website?', E: 'tier?' });
});

test('a name does not stand against its values', () => {
  assert.deepEqual(guess(columnsOf(['Phone', 'ann@acme.example'])), { Phone: 'e_mail?' });
});

test('first and last name are joined where the list has one name, and a whole name is not cut', () => {
  const names = columnsOf(['First name', 'Ann'], ['Last name', 'Lee'], ['City', 'Leeds']);
  assert.deepEqual(guess(names, [fieldOf('contact', 'none')]), { 'First name+Last name': 'contact' });
  assert.deepEqual(guess(columnsOf(['Contact', 'Ann Lee'])), { Contact: 'first_name?' });
  const place = columnsOf(['Straße', 'Südallee 9'], ['PLZ', '50667'], ['Ort', 'Köln']);
  assert.deepEqual(guess(place, [fieldOf('address', 'address')]), { 'Straße+PLZ+Ort': 'address?' });
});

test('how dates are written is seen where a value proves it', () => {
  const fields = [fieldOf('ends', 'date')];
  const of = (...samples: string[]) => guess([{ name: 'Ends', samples }], fields).Ends;
  assert.equal(of('2027-03-31'), 'ends year_first');
  assert.equal(of('31/03/2027', '01/02/2027'), 'ends day_first');
  assert.equal(of('03/31/2027', '01/02/2027'), 'ends month_first');
  assert.equal(of('01.02.2027'), 'ends day_first');
  assert.equal(of('01/02/2027'), 'ends day_first?');
  assert.equal(of('31/03/2027', '03/31/2027'), 'ends day_first?');
});

test('what our own files say is known again, beside a field of the same name', () => {
  const columns = columnsOf(
    ['Lead id', '17'],
    ['List', 'North'],
    ['Company name', 'Acme'],
    ['State (state)', 'TX'],
    ['State', 'call_back'],
    ['Category', 'Bad time'],
    ['Due', '2027-01-31 14:30:00 UTC'],
    ['Claimed by', 'ann@acme.example'],
    ['Created', '2026-01-31'],
    ['Updated', '2026-01-31'],
  );
  const fields = [...DEFAULTS, fieldOf('state', 'none', [], 'State'), fieldOf('since', 'date')];
  assert.deepEqual(guess(columns, fields), {
    'Lead id': 'id',
    'Company name': 'company_name',
    'State (state)': 'state',
    State: 'state',
    Category: 'category',
    Due: 'due year_first',
    'Claimed by': 'claimed_by',
  });
  assert.deepEqual(guess(columns, [], true), {
    'Company name': 'none',
    'State (state)': 'none',
    State: 'state',
    Category: 'category',
    Due: 'due year_first',
    'Claimed by': 'claimed_by',
  });
});

test('of the files of others, nothing is taken for the number of a lead, and a state only where it is one', () => {
  const columns = columnsOf(
    ['ID', '17'],
    ['Status', 'call_back', 'won'],
    ['Estado', 'Jalisco'],
    ['Notizen', 'ruft zurück'],
    ['Owner', 'Ann'],
  );
  assert.deepEqual(guess(columns), { Status: 'state?', Notizen: 'comment' });
});

test('a new list has a field for every column, of the kind that its values have', () => {
  const columns = columnsOf(
    ['Firma', 'Acme'],
    ['Telefon', '089 12345'],
    ['Mail', 'a@b.example'],
    ['Vans', '112', '0'],
    ['PLZ', '50667'],
    ['Ref', '0042'],
    ['Since', '31/12/2020'],
    ['Newsletter', 'yes', 'no'],
    ['Notes', 'x'],
    ['Web', 'acme.com'],
    ['Column 11'],
    ['Code', '+44 20 7946 0118'],
  );
  assert.deepEqual(guess(columns, [], true), {
    Firma: 'none',
    Telefon: 'phone',
    Mail: 'email',
    Vans: 'integer?',
    PLZ: 'none',
    Ref: 'none',
    Since: 'date day_first',
    Newsletter: 'boolean?',
    Notes: 'text',
    Web: 'url',
    Code: 'phone?',
  });
  const many = Array.from({ length: 500 }, (_, at) => ({ name: `c${at}`, samples: ['x'] }));
  assert.equal(guessMatches(many, [], true).length, 500);
});

test('no field and no column is matched twice', () => {
  const columns = columnsOf(
    ['E-mail', 'a@b.example'],
    ['E-mail', 'c@d.example'],
    ['Mail', 'e@f.example'],
    ['Phone', '1'],
    ['Phone', '2'],
  );
  const matches: Match[] = guessMatches(columns, DEFAULTS, false);
  const fields = matches.map(({ field }) => field);
  const places = matches.flatMap((match) => match.columns);
  assert.equal(new Set(fields).size, fields.length);
  assert.equal(new Set(places).size, places.length);
  assert.deepEqual(fields, ['e_mail', 'work_office_phone', 'mobile_phone']);
});

test('headings are known again however they are spaced, and not in another order', () => {
  assert.equal(headingsDigest(['Name', 'Phone']), headingsDigest([' name', 'PHONE ']));
  assert.notEqual(headingsDigest(['Name', 'Phone']), headingsDigest(['Phone', 'Name']));
});
