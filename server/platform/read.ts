import { Compile } from 'typebox/compile';
import { Type, type TSchema } from 'typebox';
import { HttpError, isNotFound } from './errors.ts';

export type Faults = Record<string, string[]>;

// Told of a request; whoever mends these hears of the others.
const MOST_FAULTS = 100;

/** Without a prototype: a parameter may be called "constructor". */
export const noFaults = (): Faults => Object.create(null) as Faults;

/** A refusal that names the parameters at fault. */
export function invalid(faults: Faults): HttpError {
  const named = Object.entries(faults).slice(0, MOST_FAULTS);
  const sentence = named.map(([name, [fault]]) => `${name} ${fault}`).join('; ');
  return new HttpError(422, 'validation_failed', `${sentence.slice(0, 1).toUpperCase()}${sentence.slice(1)}.`, {
    errors: Object.assign(noFaults(), Object.fromEntries(named)),
  });
}

/** What a body names and is not there is a parameter at fault, not a page that does not exist. */
export const named = <T>(parameter: string, fault: string, found: Promise<T>): Promise<T> =>
  found.catch((error: unknown) => {
    throw isNotFound(error) ? invalid({ [parameter]: [fault] }) : error;
  });

type Reader = (value: unknown) => { value: unknown } | { error: HttpError };

/** Reads a body or query by its schema: integers and booleans also as text, everything else as it is. */
export function compileReader(schema: TSchema): Reader {
  const check = Compile(schema);
  const optional = Type.IsOptional(schema);
  return (given) => {
    if (optional && isEmpty(given)) return { value: undefined };
    const value = loosen(schema, given);
    const unstorable = findUnstorable(value);
    if (unstorable) return { error: invalid({ [nameOf(unstorable.path.join('/'))]: [unstorable.fault] }) };
    if (check.Check(value)) return { value };
    const errors = noFaults();
    const found = check.Errors(value);
    for (const { keyword, instancePath, params } of found) {
      // Of alternatives, the one that came further tells more.
      if (keyword !== 'required' && found.some((other) => other.instancePath.startsWith(`${instancePath}/`))) continue;
      if (keyword === 'anyOf') continue;
      for (const [name, fault] of describe(keyword, instancePath, params)) {
        if (!errors[name]?.includes(fault)) (errors[name] ??= []).push(fault);
      }
    }
    return { error: invalid(errors) };
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

function loosen(schema: TSchema, value: unknown): unknown {
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
  if (anyOf) return anyOf.map((one) => loosen(one, value)).find((read) => read !== value) ?? value;
  if (type === 'integer' && typeof value === 'string' && /^-?\d{1,15}$/.test(value)) return Number(value);
  if (type === 'boolean' && (value === 'true' || value === '1' || value === 1)) return true;
  if (type === 'boolean' && (value === 'false' || value === '0' || value === 0)) return false;
  // What is too long is refused for that; there is no need to look at all of it.
  if (items && Array.isArray(value)) return value.slice(0, maxItems + 1).map((item) => loosen(items, item));
  if (properties && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    // Members the schema does not know are dropped here and so can never assign anything.
    const known = Object.entries(value).filter(([name]) => additionalProperties || Object.hasOwn(properties, name));
    return Object.fromEntries(
      known.map(([name, one]) => [name, Object.hasOwn(properties, name) ? loosen(properties[name]!, one) : one]),
    );
  }
  const [member] = Object.values(patternProperties ?? {});
  if (member && typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, loosen(member, one)]));
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

function describe(keyword: string, path: string, params: Record<string, unknown>): [name: string, fault: string][] {
  const name = nameOf(path);
  switch (keyword) {
    case 'required':
      return (params.requiredProperties as string[]).map((property) => [nameOf(`${path}/${property}`), 'is missing']);
    case 'type':
      return [[name, `must be ${article(String(params.type))}`]];
    case 'const':
      return [[name, `must be "${String(params.allowedValue)}"`]];
    case 'enum':
      return [[name, `must be one of ${(params.allowedValues as unknown[]).join(', ')}`]];
    case 'minLength':
      return [
        [name, params.limit === 1 ? 'must not be empty' : `must have at least ${String(params.limit)} characters`],
      ];
    case 'maxLength':
      return [[name, `must have at most ${String(params.limit)} characters`]];
    case 'minimum':
      return [[name, `must be at least ${String(params.limit)}`]];
    case 'maximum':
      return [[name, `must be at most ${String(params.limit)}`]];
    default:
      return [[name, 'is not valid']];
  }
}

const article = (type: string) => (/^[aeiou]/.test(type) ? `an ${type}` : `a ${type}`);

/** An id in a path. What is none, or none we could have given, is as unknown as any other. */
export function readId(text: string | undefined): number | undefined {
  const id = /^[1-9]\d{0,15}$/.test(text ?? '') ? Number(text) : NaN;
  return Number.isSafeInteger(id) ? id : undefined;
}
