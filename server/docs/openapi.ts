import { Type, type TSchema } from 'typebox';
import { isRepeatable, type Route } from '../platform/route.ts';
import { answers, type Example } from './examples.ts';
import { describeHeaders, EVERY_ANSWER, refsTo, type HeaderName } from './headers.ts';
import { INTRODUCTION } from './introduction.ts';
import { describeNotifications } from './notifications.ts';
import { OPERATIONS, TAGS, type Operation } from './operations.ts';
import { createRefuser, refusalsOf, type Refuse } from './refusals.ts';
import { createPublisher, tellable, type Publish, type Published } from './schemas.ts';

export const nameOf = ({ method, path }: Pick<Route, 'method' | 'path'>) => `${method} ${path}`;

const ID_OF: Record<string, string> = {
  lists: 'list',
  leads: 'lead',
  calls: 'call',
  users: 'user',
  webhook: 'webhook',
};

/** The commands of the reference would otherwise have every parameter, with nothing in it. */
const LEFT_OUT = { examples: { default: { summary: 'Left out', 'x-disabled': true } } };

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  description:
    'Anything unique, such as a UUID. The request then has its effect once in 24 hours, however often it is sent: the same again gets the first answer, with `Idempotent-Replayed: true`. The same key with another request is 422. What was refused is not remembered.',
  schema: { type: 'string', maxLength: 255 },
  ...LEFT_OUT,
};

/** OpenAPI 3.1 of the routes at /api/v2: what they are, and the words of `operations.ts`. */
export function describeApi(routes: Route[], version: string): Published {
  const named = new Map(routes.map((route) => [nameOf(route), route]));
  const silent = [...named.keys()].filter((name) => !OPERATIONS[name]);
  if (silent.length > 0)
    throw new Error(`Not described: ${silent.join(', ')}. Add a row to server/docs/operations.ts.`);
  const { publish, components } = createPublisher();
  const { refuse, responses } = createRefuser(publish);
  const paths: Record<string, Record<string, Published>> = {};
  for (const [name, operation] of Object.entries(OPERATIONS)) {
    const route = named.get(name);
    if (!route) continue;
    const path = `/api/v2${route.path.replaceAll(/:(\w+)/g, '{$1}')}`;
    (paths[path] ??= {})[route.method.toLowerCase()] = describe(route, operation, publish, refuse);
  }
  const webhooks = describeNotifications(publish);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Leadline API',
      version: `2 (Leadline ${version})`,
      summary: 'Users, lists, leads, calls and webhooks of a lead-calling service.',
      description: INTRODUCTION,
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ key: [] }],
    tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        key: {
          type: 'apiKey',
          in: 'header',
          name: 'Authorization',
          description:
            'The word Token, a space, then the key in double quotes: `Token "<API_KEY>"`. The key of the account is under Manage → Integrations, your own under Preferences → Credentials.',
        },
      },
      parameters: { IdempotencyKey: IDEMPOTENCY_KEY },
      headers: describeHeaders(),
      responses,
      schemas: components,
    },
  };
}

function describe(route: Route, operation: Operation, publish: Publish, refuse: Refuse): Published {
  const { id, tag, description, refusals, headers = [] } = operation;
  const [status, schema] = route.answer;
  const examples = answers[id] ?? {};
  const success = examples[status];
  const body = route.body;
  const told: HeaderName[] = [
    ...EVERY_ANSWER,
    ...(isPaged(route.query) ? (['Link', 'X-Total-Count'] as const) : []),
    ...(isRepeatable(route) ? (['Idempotent-Replayed'] as const) : []),
    ...headers,
  ];
  return {
    operationId: id,
    tags: [tag],
    summary: route.summary,
    description,
    parameters: [
      ...pathParameters(route.path, success),
      ...queryParameters(route.query, publish, success),
      ...(isRepeatable(route) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ],
    ...(body && {
      requestBody: {
        required: !Type.IsOptional(body),
        content: json(publish(body), success && 'body' in success ? success.body : undefined),
      },
    }),
    responses: {
      [status]: {
        description: status === 204 ? 'It is done.' : status === 201 ? 'It was created.' : 'As it is now.',
        headers: refsTo(told),
        ...(status !== 204 && { content: json(publish(schema), success?.answer) }),
      },
      ...Object.fromEntries(
        refusalsOf(route, refusals).map(([refused, codes]) => [refused, refuse(refused, codes, examples[refused])]),
      ),
    },
  };
}

const isPaged = (query: TSchema | undefined) =>
  query !== undefined && Type.IsObject(query) && 'after' in query.properties;

const json = (schema: Published, example: unknown) => ({
  'application/json': { schema, ...(example !== undefined && { example }) },
});

function pathParameters(path: string, example: Example | undefined): Published[] {
  const segments = path.split('/');
  const given = example?.path.split('?', 1)[0]!.split('/') ?? [];
  return segments.flatMap((segment, index) =>
    segment.startsWith(':')
      ? [
          {
            name: segment.slice(1),
            in: 'path',
            required: true,
            description: `Id of the ${ID_OF[segments[index - 1]!]}.`,
            schema: { type: 'integer', minimum: 1 },
            ...(given[index] && { example: Number(given[index]) }),
          },
        ]
      : [],
  );
}

function queryParameters(query: TSchema | undefined, publish: Publish, example: Example | undefined): Published[] {
  if (!query) return [];
  const {
    properties = {},
    required = [],
    additionalProperties,
    description,
  } = query as {
    properties?: Record<string, TSchema>;
    required?: string[];
    additionalProperties?: TSchema | boolean;
    description?: string;
  };
  const given = new Map(new URLSearchParams(example?.path.split('?')[1]));
  const known = Object.entries(tellable(properties)).map(([name, schema]) => {
    const { description: words, ...published } = publish(schema);
    const value = given.get(name);
    const read = published.type === 'string' || published.type === undefined ? value : value && JSON.parse(value);
    return {
      name,
      in: 'query',
      required: required.includes(name),
      description: words,
      schema: published,
      ...(value === undefined ? LEFT_OUT : { example: read }),
    };
  });
  if (typeof additionalProperties !== 'object') return known;
  // Any further parameter: OpenAPI tells them as the members of one object that is spread over the query.
  const free = Object.fromEntries([...given].filter(([name]) => !Object.hasOwn(properties, name)));
  return [
    {
      name: 'fields',
      in: 'query',
      required: true,
      style: 'form',
      explode: true,
      description,
      schema: { type: 'object', minProperties: 1, additionalProperties: publish(additionalProperties) },
      ...(Object.keys(free).length > 0 && { example: free }),
    },
    ...known,
  ];
}
