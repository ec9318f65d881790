import { isUtf8 } from 'node:buffer';
import { setImmediate } from 'node:timers/promises';
import { Busboy } from '@fastify/busboy';
import type { FastifyInstance } from 'fastify';
import { HttpError } from './errors.ts';
import { MOST_KEYS, MOST_LEVELS, tooManyKeys, tooManyLevels } from './json.ts';
import { invalid } from './read.ts';
import { bytesOf, decodeText, isPlain, notUtf8, type Charset } from './text.ts';

/** Forms as clients of Rack send them: `lead[comment]=x` is `{ lead: { comment: 'x' } }`, `ids[]=1&ids[]=2` an array. */

export type Pair = [name: string, value: string];
type Member = string | Member[] | Members;
export type Members = { [name: string]: Member };

const malformed = (sentence: string) => new HttpError(400, 'malformed_form', sentence);

/** `a=1&b=2`. */
export function readPairs(bytes: Buffer, charset: Charset): Pair[] {
  // One character a byte, until each part is unescaped: it may hold bytes of any charset.
  const parts = bytes.toString('latin1').split('&', MOST_KEYS + 1);
  if (parts.length > MOST_KEYS) throw tooManyKeys();
  return pairsOf(parts, (part) => decodeText(part, charset));
}

function pairsOf(parts: string[], decode: (bytes: Buffer) => string): Pair[] {
  const read = (part: string) => (isPlain(part) ? part : decode(bytesOf(part)));
  return parts
    .filter((part) => part !== '')
    .map((part) => {
      const equals = part.indexOf('=');
      return equals < 0 ? [read(part), ''] : [read(part.slice(0, equals)), read(part.slice(equals + 1))];
    });
}

/**
 * The query of an address, by the same rules: the router's own reader takes a value with one stray percent sign as it stands, escapes and all.
 * It refuses nothing, since nobody could be told yet: `findQueryFault` does.
 */
export function readQuery(query: string): Record<string, string | string[]> {
  const values = Object.create(null) as Record<string, string | string[]>;
  for (const [name, value] of pairsOf(query.split('&', MOST_KEYS), (bytes) => bytes.toString())) {
    const known = values[name];
    if (Array.isArray(known)) known.push(value);
    else values[name] = known === undefined ? value : [known, value];
  }
  return values;
}

/** Five thousand parts take a fifth of a second: others have their turn in between. */
const PIECE = 16 * 1024;
const LONGEST_NAME = 1_000;
const MOST_TURNS = 100;

export async function readMultipart(bytes: Buffer, type: string): Promise<Pair[]> {
  const [, boundary = ''] = /;\s*boundary\s*=\s*"?([^\s;"]+)/i.exec(type) ?? [];
  if (boundary === '') throw malformed('The form names no boundary in its Content-Type.');
  // A line before each part, and one behind the last; the first may have nothing before it.
  const parts = countOf(bytes, `\r\n--${boundary}`) - (bytes.indexOf(`--${boundary}`) === 0 ? 0 : 1);
  if (parts > MOST_KEYS) throw tooManyKeys();
  const pairs: Pair[] = [];
  let fault: HttpError | undefined;
  const form = openForm(type);
  let isRead = false;
  form.on('finish', () => (isRead = true));
  form.on('error', () => (fault ??= malformed('The form does not end, or is not a form.')));
  form.on('file', (name, file) => {
    // It is not read to its end, which it takes for a fault.
    file.on('error', () => {}).resume();
    fault ??= invalid({ [name || 'body']: ['must not be a file: send its text as the value'] });
  });
  form.on('field', (name: string | undefined, value) => {
    if (name === undefined) fault ??= malformed('A part of the form has no name.');
    else if (name.length > LONGEST_NAME) fault ??= malformed('A name in the form is too long.');
    else pairs.push([name, value]);
  });
  for (let at = 0; at < bytes.length && !fault; at += PIECE) {
    form.write(bytes.subarray(at, at + PIECE));
    await setImmediate();
  }
  form.end();
  // All of it is here, so a few turns are enough; the parser waits for ever on a part whose head does not end.
  for (let turn = 0; turn < MOST_TURNS && !isRead && !fault; turn += 1) await setImmediate();
  if (fault) throw fault;
  // It passes over other parts that it cannot read, decodes each by its own charset, and replaces what it cannot.
  if (!isRead || pairs.length < parts) throw malformed('A part of the form cannot be read.');
  if (!isUtf8(bytes) && pairs.some((pair) => pair.some((text) => /[\u0080-\u009f\ufffd]/.test(text))))
    throw notUtf8('body');
  return pairs;
}

function openForm(type: string): InstanceType<typeof Busboy> {
  try {
    return new Busboy({ headers: { 'content-type': type } });
  } catch {
    throw malformed('The Content-Type of the form cannot be read.');
  }
}

function countOf(bytes: Buffer, text: string): number {
  let count = 0;
  for (let at = bytes.indexOf(text); at >= 0 && count <= MOST_KEYS + 1; at = bytes.indexOf(text, at + text.length))
    count += 1;
  return count;
}

/** Names taken apart at their brackets. Of a name that comes twice the last counts, as with the hidden field before a box. */
export function nest(pairs: Pair[]): Members {
  const all = noMembers();
  let keys = 0;
  let steps = 0;
  const make = <M extends Member>(member: M): M => {
    keys += 1;
    if (keys > MOST_KEYS) throw tooManyKeys();
    return member;
  };
  for (const [name, value] of pairs) {
    const path = pathOf(name);
    // Whoever copies it member by member would assign a prototype.
    if (path.includes('__proto__')) continue;
    // Deep names are walked for each value, however few members they make.
    steps += path.length;
    if (steps > MOST_KEYS * 4) throw tooManyKeys();
    const clash = () => malformed(`${path[0]} is given both as a value and with members.`);
    let at: Member[] | Members = all;
    for (let depth = 0; depth < path.length - 1; depth += 1) {
      const isList = path[depth + 1] === '';
      let inner: Member | undefined = Array.isArray(at) ? lastFor(at, path, depth + 1) : at[path[depth]!];
      if (inner === undefined) {
        inner = make(isList ? [] : noMembers());
        if (Array.isArray(at)) at.push(inner);
        else at[path[depth]!] = inner;
      }
      if (typeof inner === 'string' || Array.isArray(inner) !== isList) throw clash();
      at = inner;
    }
    const own = path.at(-1)!;
    if (Array.isArray(at)) at.push(make(value));
    else if (typeof (at[own] ?? '') === 'string') at[own] = make(value);
    else throw clash();
  }
  return all;
}

const noMembers = (): Members => Object.create(null) as Members;
const asMembers = (member: Member | undefined): Members | undefined =>
  typeof member === 'object' && !Array.isArray(member) ? member : undefined;

/** The last of a list, unless it has this already, which then belongs to the next: `columns[][label]=A&columns[][label]=B`. */
function lastFor(items: Member[], path: string[], depth: number): Members | undefined {
  const last = asMembers(items.at(-1));
  let at: Member | undefined = last;
  for (let inner = depth; inner < path.length; inner += 1) at = asMembers(at)?.[path[inner]!];
  return at === undefined ? last : undefined;
}

/** `list[columns][][label]` as list, columns, '', label. What has no such brackets is a name as it stands. */
function pathOf(name: string): string[] {
  if (!name.includes('[')) return [name];
  if (name.split('[', MOST_LEVELS + 1).length > MOST_LEVELS) throw tooManyLevels();
  const [, first, brackets] = /^([^[\]]+)((?:\[[^[\]]*\])+)$/.exec(name) ?? [];
  return first === undefined ? [name] : [first, ...brackets!.slice(1, -1).split('][')];
}

/**
 * What clients of Rack put into the query: members of what the body wraps (`?lead[comment]=x`), and lists of values where one is taken
 * (`?list_ids[]=1`, `?list_ids[0]=1`). What the body says itself goes before.
 */
export function acceptBrackets(scope: FastifyInstance): void {
  scope.addHook('preValidation', (request, _reply, done) => {
    if (!/[[]|%5b/i.test(request.url)) return done();
    const { body, querystring } = (request.routeOptions.schema ?? {}) as { body?: Shape; querystring?: Shape };
    const given = request.query as Record<string, string | string[]>;
    for (const [name, schema] of Object.entries(querystring?.properties ?? {})) {
      if (!takesMany(schema)) continue;
      const more = Object.keys(given).filter(
        (key) => key.startsWith(`${name}[`) && /^\[\d*\]$/.test(key.slice(name.length)),
      );
      if (more.length > 0) given[name] = [given[name] ?? [], ...more.map((key) => given[key]!)].flat();
    }
    const [wrapper] = Object.entries(body?.properties ?? {}).find(([, { type }]) => type === 'object') ?? [];
    if (wrapper === undefined) return done();
    const pairs = Object.entries(given)
      .filter(([name]) => name.startsWith(`${wrapper}[`))
      .flatMap(([name, values]) => [values].flat().map((value): Pair => [name, value]));
    try {
      request.body = merge(request.body, wrapper, nest(pairs)[wrapper]);
      done();
    } catch (error) {
      done(error as HttpError);
    }
  });
}

type Shape = { type?: string; properties?: Record<string, Shape>; anyOf?: Shape[] };

const takesMany = ({ type, anyOf = [] }: Shape): boolean => type === 'array' || anyOf.some(takesMany);

function merge(body: unknown, wrapper: string, members: Member | undefined): unknown {
  if (members === undefined || typeof (body ?? {}) !== 'object' || body === null || Array.isArray(body)) return body;
  const own = (body as Members | undefined)?.[wrapper];
  if (own === undefined) return { ...(body as Members | undefined), [wrapper]: members };
  return asMembers(own) && asMembers(members)
    ? { ...(body as Members), [wrapper]: { ...(members as Members), ...(own as Members) } }
    : body;
}
