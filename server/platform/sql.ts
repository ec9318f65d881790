import type { Rows } from '../../db/rows.ts';

declare const made: unique symbol;

/** The text of a statement, and for the compiler what its rows are made of. */
export type Sql<Row = unknown> = string & { readonly [made]: Row };

/**
 * A value that is looked at when the statement runs. For the values at hand some statements always look cheaper than for any: a short page, a filter
 * that is not asked. Those are planned anew each time, which takes longer than what it gains.
 */
export const whenRun = (value: string): string => `(select ${value})`;

/** Statements by name: their texts, one for each form, and the rows of other parts that they refer to. */
export const STATEMENTS = new Map<keyof Rows, { texts: string[]; given: Given }>();

/** Those that have one form. */
export const FIXED = new Set<string>();

/** What stands for the rows of the parts before it, for those that are sent as one with others: name → select. */
type Given = Record<string, string>;

/**
 * A statement, named after its file and constant. `npm run generate` has PostgreSQL describe it, and writes down in db/rows.ts what its rows
 * are made of.
 */
export const sql =
  <Name extends keyof Rows>(name: Name, given: Given = {}) =>
  (texts: TemplateStringsArray, ...between: (string | number)[]): Sql<Rows[Name]> => {
    const text = String.raw({ raw: texts }, ...between);
    know(name, [text], given);
    FIXED.add(text);
    return text as Sql<Rows[Name]>;
  };

/** A statement that is written for what is asked. `forms` are one example of each kind that it can have. */
export function sqlFor<Name extends keyof Rows, Form extends unknown[]>(
  name: Name,
  write: (...form: Form) => string,
  forms: Form[],
): (...form: Form) => Sql<Rows[Name]> {
  know(
    name,
    forms.map((form) => write(...form)),
    {},
  );
  return write as (...form: Form) => Sql<Rows[Name]>;
}

function know(name: keyof Rows, texts: string[], given: Given): void {
  if (STATEMENTS.has(name)) throw new Error(`Two statements are named ${name}.`);
  STATEMENTS.set(name, { texts, given });
}

/**
 * What a row has to be made of for the code to take it as `Row`. PostgreSQL knows no unions of words and does not look into JSON, and whether
 * an expression can be null only the code says; that a column can be, it has to say.
 */
export type MadeOf<Row> = unknown extends Row ? unknown : { [name in keyof Row]: Plain<Row[name]> };

type Plain<Value> = unknown extends Value ? unknown : PlainOf<NonNullable<Value>> | Extract<Value, null | undefined>;
type PlainOf<Value> = [Value] extends [string]
  ? string
  : [Value] extends [number]
    ? number
    : [Value] extends [string | number]
      ? string | number
      : [Value] extends [boolean]
        ? boolean
        : [Value] extends [Date | Buffer]
          ? Value
          : [Value] extends [readonly (infer Item)[]]
            ? PlainOf<NonNullable<Item>>[]
            : object;
