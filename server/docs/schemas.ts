import type { TSchema } from 'typebox';

/** JSON Schema, as it stands in the description. */
export type Published = Record<string, unknown>;
export type Publish = (schema: TSchema) => Published;

type Known = {
  title?: string;
  description?: string;
  type?: string;
  enum?: unknown[];
  anyOf?: TSchema[];
  items?: TSchema;
  properties?: Record<string, TSchema>;
  patternProperties?: Record<string, TSchema>;
  additionalProperties?: TSchema | boolean;
  published?: Published | false;
};

/**
 * Turns the schemas that the service reads and answers by into those of its description. One with a `title` stands there once, under that
 * name; `published` is what clients are told to write where more than that is read, or false where they need not know.
 */
export function createPublisher() {
  const components: Record<string, Published> = {};
  const sources = new Map<string, string>();

  const publish: Publish = (schema) => {
    const { title } = schema as Known;
    if (!title) return write(schema);
    const source = JSON.stringify(schema);
    if ((sources.get(title) ?? source) !== source) throw new Error(`Two schemas of the contract are called ${title}.`);
    if (!sources.has(title)) {
      sources.set(title, source);
      components[title] = write(schema);
    }
    return { $ref: `#/components/schemas/${title}` };
  };

  const write = (schema: TSchema): Published => {
    const {
      title: _,
      published,
      anyOf,
      items,
      properties,
      patternProperties,
      additionalProperties,
      ...rest
    } = schema as Known;
    if (published) return { ...published, ...pick(rest.description) };
    const written: Published = { ...rest };
    if (rest.enum) written.type ??= 'string';
    if (items) written.items = publish(items);
    if (properties) written.properties = mapValues(tellable(properties), publish);
    const [member] = Object.values(patternProperties ?? {});
    if (member) written.additionalProperties = publish(member);
    else if (typeof additionalProperties === 'object') written.additionalProperties = publish(additionalProperties);
    if (anyOf) return { ...alternatives(anyOf.map(publish)), ...pick(rest.description) };
    return written;
  };
  return { publish, components };
}

/** Without those that clients need not know. */
export const tellable = (properties: Record<string, TSchema>): Record<string, TSchema> =>
  Object.fromEntries(Object.entries(properties).filter(([, one]) => (one as Known).published !== false));

const pick = (description: string | undefined) => (description ? { description } : {});

/** Something or null is a type of its own in OpenAPI 3.1, and reads better than a choice of two. */
function alternatives(all: Published[]): Published {
  const [one, ...others] = all.filter(({ type }) => type !== 'null');
  if (others.length > 0 || all.length === 1 || typeof one?.type !== 'string') return { anyOf: all };
  const { type, enum: values, ...rest } = one;
  return { type: [type, 'null'], ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }), ...rest };
}

export const inPascalCase = (name: string) =>
  name.replaceAll(/(?:^|_)(.)/g, (_, letter: string) => letter.toUpperCase());

export const mapValues = <From, To>(given: Record<string, From>, map: (value: From, key: string) => To) =>
  Object.fromEntries(Object.entries(given).map(([key, value]) => [key, map(value, key)]));
