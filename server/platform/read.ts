import { Compile } from 'typebox/schema';
import { Type, type TSchema } from 'typebox';
import { HttpError, isNotFound } from './errors.ts';
import { readTime } from '../../contract/times.ts';

export type Faults = Record<string, string[]>;

// Told of a request; whoever mends these hears of the others.
const MOST_FAULTS = 100;

/** Without a prototype: a parameter may be called "constructor". */
export const noFaults = (): Faults => Object.create(null) as Faults;

/** A refusal that names the parameters at fault. */
export function invalid(faults: Faults): HttpError {
  const named = Object.entries(faults).slice(0, MOST_FAULTS);
  const sentence = named.map(([name, [fault]]) => `${name} ${fault}`).join('; ');
  return new HttpError(422, 'validation_failed', `${beginSentence(sentence)}.`, {
    errors: Object.assign(noFaults(), Object.fromEntries(named)),
  });
}

/** A plain word may begin it as words do; `user_ids` stays as it is written. */
const beginSentence = (sentence: string) =>
  /^[a-z]+ /.test(sentence) ? `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}` : sentence;

/** What a body names and is not there is a parameter at fault, not a page that does not exist. */
export const named = <T>(parameter: string, fault: string, found: Promise<T>): Promise<T> =>
  found.catch((error: unknown) => {
    throw isNotFound(error) ? invalid({ [parameter]: [fault] }) : error;
  });

type Reader = (value: unknown) => { value: unknown } | { error: HttpError };

/** `left out`: an optional parameter that is null or "" was not given. As given: it has to be what the schema says. */
type Leniency = { blanks: 'left out' | 'as given' };

/** Reads a body or query by its schema: integers and booleans also as text, everything else as it is. */
export function compileReader(schema: TSchema, leniency: Leniency = { blanks: 'as given' }): Reader {
  // Made when it is first needed: there are hundreds.
  let made: ReturnType<typeof Compile<TSchema>> | undefined;
  const optional = Type.IsOptional(schema);
  return (given) => {
    if (optional && isEmpty(given)) return { value: undefined };
    // An absent body lacks what an empty one lacks, by name.
    const value = loosen(schema, given ?? (Type.IsObject(schema) ? {} : given), leniency);
    const unstorable = findUnstorable(value);
    if (unstorable) return { error: invalid({ [nameOf(unstorable.path.join('/'))]: [unstorable.fault] }) };
    const check = (made ??= Compile(schema));
    if (check.Check(value)) return { value };
    const [, found] = check.Errors(value);
    return { error: invalid(describeFaults(schema, found)) };
  };
}

const isEmpty = (value: unknown) =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

type Loose = {
  type?: string;
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  additionalProperties?: TSchema | boolean;
  items?: TSchema;
  maxItems?: number;
  anyOf?: TSchema[];
};

function loosen(schema: TSchema, value: unknown, leniency: Leniency): unknown {
  const {
    type,
    properties,
    patternProperties,
    additionalProperties,
    items,
    maxItems = Infinity,
    anyOf,
  } = schema as Loose;
  // The alternative that has something to loosen is the one that was meant.
  if (anyOf) return anyOf.map((one) => loosen(one, value, leniency)).find((read) => read !== value) ?? value;
  if (type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === '1' || value === 1)) return true;
  if (type === 'boolean' && (value === 'false' || value === '0' || value === 0)) return false;
  // What is too long is refused for that; there is no need to look at all of it.
  if (items && Array.isArray(value)) return value.slice(0, maxItems + 1).map((item) => loosen(items, item, leniency));
  if (properties && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // Members the schema does not know are dropped here and so can never assign anything.
    const members = Object.entries(value).flatMap(([name, one]) => {
      const member = Object.hasOwn(properties, name) ? properties[name]! : undefined;
      if (!member) return additionalProperties ? [[name, one]] : [];
      const isLeftOut = leniency.blanks === 'left out' && (one === null || one === '') && Type.IsOptional(member);
      return isLeftOut ? [] : [[name, loosen(member, one, leniency)]];
    });
    return Object.fromEntries(members);
  }
  const [member] = Object.values(patternProperties ?? {});
  if (member && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, loosen(member, one, leniency)]));
  }
  return value;
}

const DEEPEST = 20;

/** What the database cannot take, wherever it is: half a character, U+0000, a number that is none any more. */
function findUnstorable(value: unknown, depth = 0): { path: string[]; fault: string } | undefined {
  if (typeof value === 'string') {
    if (value.includes('\0')) return { path: [''], fault: 'holds the character U+0000, which cannot be stored' };
    return value.isWellFormed() ? undefined : { path: [''], fault: 'holds half a character (a lone surrogate)' };
  }
  if (typeof value === 'number') {
    const lost = !Number.isFinite(value) || (Number.isInteger(value) && !Number.isSafeInteger(value));
    return lost ? { path: [''], fault: 'is too large' } : undefined;
  }
  if (typeof value !== 'object' || value === null) return undefined;
  if (depth === DEEPEST) return { path: [''], fault: 'is nested too deeply' };
  // Where it is, is put together only once something was found: there can be half a million items.
  const names = Array.isArray(value) ? undefined : Object.keys(value);
  const members = value as Record<string | number, unknown>;
  const count = names?.length ?? (value as unknown[]).length;
  for (let index = 0; index < count; index += 1) {
    const name = names?.[index] ?? index;
    const found = findUnstorable(name) ?? findUnstorable(members[name], depth + 1);
    if (found) return { ...found, path: ['', String(name), ...found.path.slice(1)] };
  }
  return undefined;
}

/** `/user/email` is told as `email`: the wrapper is not the client's parameter. */
function nameOf(instancePath: string): string {
  const names = instancePath.split('/').slice(1);
  return (names.length > 1 ? names.slice(1) : names).join('.') || 'body';
}

type Fault = { keyword: string; schemaPath: string; instancePath: string; params: object };

function describeFaults(schema: TSchema, found: Fault[]): Faults {
  const faults = noFaults();
  const add = (name: string, fault: string) => {
    if (!faults[name]?.includes(fault)) (faults[name] ??= []).push(fault);
  };
  for (const { keyword, instancePath: path, params } of found) {
    if (keyword === 'anyOf') continue;
    // Of alternatives, the one that came further tells more.
    if (keyword !== 'required' && found.some(({ instancePath }) => instancePath.startsWith(`${path}/`))) continue;
    const here = found.filter((other) => other.instancePath === path && other.keyword !== 'anyOf');
    const ofType = here.filter((other) => other.keyword === 'type');
    if (keyword === 'required') {
      for (const property of (params as { requiredProperties: string[] }).requiredProperties)
        add(nameOf(`${path}/${property}`), 'is missing');
    } else if (keyword !== 'type') add(nameOf(path), describe(keyword, params as Record<string, unknown>));
    else if (ofType.length === here.length) add(nameOf(path), `must be ${nameTypes(schema, ofType)}`);
  }
  return faults;
}

/** All the types that a parameter may be of, without the null of those that can be cleared. */
function nameTypes(schema: TSchema, faults: Fault[]): string {
  const names = faults.map(({ params, schemaPath }) => {
    const { type } = params as { type: string };
    const { items } = findSchema(schema, schemaPath);
    const of = items && (items as Loose).type;
    return type === 'null' ? [] : `${article(type)}${of ? ` of ${of}s` : ''}`;
  });
  return [...new Set(names.flat())].join(' or ') || 'null';
}

/** What a path such as `#/properties/list/properties/user_ids` leads to. */
function findSchema(schema: TSchema, path: string): Loose {
  let at: unknown = schema;
  for (const name of path.split('/').slice(1)) at = (at as Record<string, unknown> | undefined)?.[name];
  return at ?? {};
}

const article = (noun: string) => (/^[aeiou]/.test(noun) ? `an ${noun}` : `a ${noun}`);

function describe(keyword: string, { limit, ...params }: Record<string, unknown>): string {
  switch (keyword) {
    case 'const':
      return `must be "${String(params.allowedValue)}"`;
    case 'enum':
      return `must be one of ${(params.allowedValues as unknown[]).join(', ')}`;
    case 'minLength':
      return limit === 1 ? 'must not be empty' : `must have at least ${String(limit)} characters`;
    case 'maxLength':
      return `must have at most ${String(limit)} characters`;
    case 'minItems':
      return `must have at least ${String(limit)} items`;
    case 'maxItems':
      return `must have at most ${String(limit)} items`;
    case 'minimum':
      return `must be at least ${String(limit)}`;
    case 'maximum':
      return `must be at most ${String(limit)}`;
    case 'pattern':
      return `must match ${String(params.pattern)}`;
    default:
      return 'is not valid';
  }
}

/** A time among the parameters. */
export function readMoment(parameter: string, text: string): Date {
  const time = readTime(text);
  if (!time) throw invalid({ [parameter]: ['must be a time such as 2026-12-01 09:30:00 UTC'] });
  return time;
}

/** An id in a path. What is none, or none we could have given, is as unknown as any other. */
export function readId(text: string | undefined): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
