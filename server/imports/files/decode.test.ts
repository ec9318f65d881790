import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { ENCODINGS, type Encoding } from '../../../contract/imports.ts';
import { openDecoder } from './decode.ts';
import { guessEncoding } from './encoding.ts';

function decode(bytes: Buffer, encoding: Encoding, places: number[] = []): string {
  const read = openDecoder(encoding);
  const at = places.map((place) => place % (bytes.length + 1)).toSorted((one, other) => one - other);
  return [0, ...at]
    .map((from, index) => read(bytes.subarray(from, at[index] ?? bytes.length), index === at.length))
    .join('');
}

const utf16be = (text: string) => Buffer.from(text, 'utf16le').swap16();

test('text comes back whole wherever its bytes are cut', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: fc.constantFrom('a', 'é', '€', '\uFFFD', '\uFEFF', '😀'), maxLength: 12 }),
      fc.array(fc.nat(), { maxLength: 6 }),
      (text, places) => {
        assert.equal(decode(Buffer.from(text), 'utf-8', places), text);
        assert.equal(decode(Buffer.from(text, 'utf16le'), 'utf-16le', places), text);
        assert.equal(decode(utf16be(text), 'utf-16be', places), text);
      },
    ),
  );
});

test('bytes that do not fit are seen, wherever they are cut, and nothing else is', () => {
  const byte = fc.constantFrom(0x41, 0x80, 0xbf, 0xc3, 0xa9, 0xe2, 0xef, 0xbf, 0xbd, 0xf0, 0x9f, 0x98);
  fc.assert(
    fc.property(fc.array(byte, { maxLength: 12 }), fc.array(fc.nat(), { maxLength: 4 }), (given, places) => {
      const bytes = Buffer.from(given);
      const text = decode(bytes, 'utf-8', places);
      assert.equal(text.isWellFormed(), isUtf8(bytes));
      assert.equal(text.toWellFormed(), bytes.toString());
    }),
    { numRuns: 5_000 },
  );
  assert.equal(decode(Buffer.from('a\uFFFDb'), 'utf-8'), 'a\uFFFDb');
  assert.equal(decode(Buffer.from([0x41, 0, 0x00, 0xd8, 0x42, 0]), 'utf-16le').isWellFormed(), false);
  assert.equal(decode(Buffer.from([0x41, 0, 0x42]), 'utf-16le').isWellFormed(), false);
  assert.equal(decode(Buffer.from([0x41, 0x81]), 'windows-1252').isWellFormed(), false);
  assert.equal(decode(Buffer.from([0x82]), 'shift_jis').isWellFormed(), false);
});

test('every encoding that can be chosen is read', () => {
  const written: Partial<Record<Encoding, [string, number[]]>> = {
    'windows-1252': ['’€é', [0x92, 0x80, 0xe9]],
    'windows-1250': ['Łż', [0xa3, 0xbf]],
    'windows-1251': ['Привет', [0xcf, 0xf0, 0xe8, 0xe2, 0xe5, 0xf2]],
    'windows-1253': ['Αθ', [0xc1, 0xe8]],
    'windows-1254': ['ğş', [0xf0, 0xfe]],
    'windows-1257': ['ūž', [0xfb, 0xfe]],
    'iso-8859-2': ['šž', [0xb9, 0xbe]],
    'iso-8859-15': ['€', [0xa4]],
    macintosh: ['éü', [0x8e, 0x9f]],
    'koi8-r': ['Да', [0xe4, 0xc1]],
    shift_jis: ['日本', [0x93, 0xfa, 0x96, 0x7b]],
    gb18030: ['中国', [0xd6, 0xd0, 0xb9, 0xfa]],
    big5: ['台北', [0xa5, 0x78, 0xa5, 0x5f]],
    'euc-kr': ['서울', [0xbc, 0xad, 0xbf, 0xef]],
  };
  for (const encoding of Object.keys(ENCODINGS) as Encoding[]) {
    const [text, bytes] = written[encoding] ?? ['', []];
    assert.equal(decode(Buffer.from(bytes), encoding, [1]), text, encoding);
  }
});

/** As an old program would have written it. */
function encode(text: string, encoding: Encoding): Buffer {
  const decoder = new TextDecoder(encoding);
  const bytesOf = new Map<string, number[]>();
  const note = (...bytes: number[]) => bytesOf.set(decoder.decode(Uint8Array.from(bytes)), bytes);
  if (SEVERAL_BYTES.has(encoding)) {
    for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) note(lead, trail);
  }
  for (let byte = 0; byte < (SEVERAL_BYTES.has(encoding) ? 128 : 256); byte += 1) note(byte);
  return Buffer.from(Array.from(text).flatMap((character) => bytesOf.get(character) ?? assert.fail(character)));
}

const SEVERAL_BYTES = new Set<Encoding>(['shift_jis', 'gb18030', 'big5', 'euc-kr']);

const TABLES: [Encoding, string][] = [
  [
    'windows-1252',
    'Firma;Ansprechpartner;Ort;Straße\nMüller & Söhne GmbH;Jürgen Groß;München;Königsstraße 5\nBäckerei Schröder;Käthe Böhm;Köln;Südallee 9\n',
  ],
  [
    'windows-1252',
    'Société;Prénom;Ville\nCafé de la Gare;François;Orléans\nBoulangerie Béranger;Hélène;Besançon\nÉcole supérieure;Zoé;Sète\n',
  ],
  [
    'windows-1252',
    'Empresa;Contacto;Ciudad\nPanadería Muñoz;José Ibáñez;Málaga\nConstrucción Núñez;María Peña;A Coruña\n',
  ],
  ['windows-1252', 'Företag;Namn;Ort\nÅkessons Måleri;Björn Sjöberg;Göteborg\nKött och Ägg;Åsa Öberg;Malmö\n'],
  ['windows-1252', 'name,city\nJose,Zürich\nAnna,Bern\n'],
  [
    'windows-1250',
    'Firma;Kontakt;Město\nŠkoda a synové;Jiří Dvořák;Plzeň\nPekařství Černý;Věra Nováková;České Budějovice\nŽelezářství Kučera;Tomáš Říha;Žďár nad Sázavou\nStavební společnost;Lukáš Šťastný;Třebíč\n',
  ],
  [
    'windows-1250',
    'Firma;Kontakt;Miasto\nPiekarnia Żółć;Łukasz Wójcik;Łódź\nUsługi budowlane Gąsior;Małgorzata Świątek;Kraków\nZakład ślusarski;Józef Dąbrowski;Gdańsk\nPrzedsiębiorstwo;Grażyna Źrebiec;Częstochowa\n',
  ],
  [
    'windows-1251',
    'Компания;Контакт;Город\nРога и копыта;Иван Петров;Москва\nСтроитель;Мария Сидорова;Новосибирск\nПекарня на углу;Сергей Кузнецов;Екатеринбург\n',
  ],
  [
    'windows-1253',
    'Εταιρεία;Όνομα;Πόλη\nΑρτοποιείο Παπαδόπουλος;Γιώργος Νικολάου;Αθήνα\nΚατασκευαστική;Ελένη Γεωργίου;Θεσσαλονίκη\n',
  ],
  [
    'koi8-r',
    'Компания;Контакт;Город\nРога и копыта;Иван Петров;Москва\nСтроитель;Мария Сидорова;Новосибирск\nПекарня на углу;Сергей Кузнецов;Екатеринбург\n',
  ],
  [
    'shift_jis',
    '会社名,担当者,住所\n株式会社山田製作所,山田太郎,東京都千代田区\n有限会社さくら,鈴木花子,大阪府大阪市\nカフェたかはし,高橋一郎,北海道札幌市\n',
  ],
  ['gb18030', '公司,联系人,城市\n北京建筑有限公司,王小明,北京\n上海面包店,李丽,上海\n广州贸易公司,陈大文,广州\n'],
  ['euc-kr', '회사,담당자,도시\n서울건설 주식회사,김철수,서울\n부산무역,이영희,부산\n대구식품,박민수,대구\n'],
  [
    'macintosh',
    'Société;Prénom;Ville\nCafé de la Gare;François;Orléans\nBoulangerie Béranger;Hélène;Besançon\nÉcole supérieure;Zoé;Sète\n',
  ],
];

test('the encoding of a table is guessed by its names', () => {
  for (const [encoding, text] of TABLES)
    assert.equal(guessEncoding(encode(text, encoding)), encoding, text.slice(0, 40));
  const german = TABLES[0]![1];
  assert.equal(guessEncoding(Buffer.from(german)), 'utf-8');
  assert.equal(guessEncoding(Buffer.from(`\uFEFF${german}`)), 'utf-8');
  assert.equal(guessEncoding(Buffer.from(`\uFEFF${german}`, 'utf16le')), 'utf-16le');
  assert.equal(guessEncoding(Buffer.from(german, 'utf16le')), 'utf-16le');
  assert.equal(guessEncoding(utf16be(german)), 'utf-16be');
  assert.equal(guessEncoding(Buffer.from('имя;телефон\nИван;+7 495 123-45-67\n', 'utf16le')), 'utf-16le');
  assert.equal(guessEncoding(Buffer.from('a,b\n1,2\n')), 'utf-8');
});

test('one broken character among many sound ones does not make it another encoding', () => {
  const rows = Array.from({ length: 50 }, (_, at) => `Müller ${at};Köln\n`).join('');
  assert.equal(guessEncoding(Buffer.concat([Buffer.from(rows), Buffer.from([0x4d, 0xfc, 0x0a])])), 'utf-8');
});
