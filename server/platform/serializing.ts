import SerializerSelector, { type SerializerFactory, type Serializer } from '@fastify/fast-json-stringify-compiler';

/**
 * Writers of answers are made when they are first needed, and once for all routes that answer alike: made for every route and status, they are a
 * quarter of what it takes to start.
 */
export const buildSerializer: SerializerFactory = (...given) => {
  const compile = SerializerSelector()(...given);
  const made = new WeakMap<object, Serializer>();
  return (route) => {
    const schema = route.schema as object;
    const make = () => {
      const serializer = made.get(schema) ?? compile(route);
      made.set(schema, serializer);
      return serializer;
    };
    let own: Serializer | undefined;
    return (answer) => (own ??= make())(answer);
  };
};
