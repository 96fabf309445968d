import { resolveSchema, type JsonSchema, type OpenApiDocument } from './types.ts';

/** Placeholder where a field has no example; a test finds it. */
export const NO_EXAMPLE = 'no example';

type Components = Pick<OpenApiDocument, 'components'>;

/**
 * A value that fits a schema: its own example, else one built from the examples of its fields, else one by type and
 * format. The name of a field does not count: its example is part of its schema.
 */
export function buildExample(document: Components, given: JsonSchema): unknown {
  const { schema } = resolveSchema(document, given);
  const own = [schema.example, schema.examples?.[0]].find((value) => value !== undefined);
  if (own !== undefined) return own;
  if (schema.const !== undefined) return schema.const;
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant !== undefined) return buildExample(document, variant);
  if (schema.enum !== undefined) return schema.enum[0];
  return byType(document, schema);
}

function byType(document: Components, schema: JsonSchema): unknown {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') return objectExample(document, schema);
  if (type === 'array') return [buildExample(document, schema.items ?? {})];
  if (type === 'boolean') return schema.default ?? true;
  if (type === 'integer' || type === 'number') return schema.default ?? smallestValue(schema);
  if (type === 'null') return null;
  return schema.default ?? FORMATS[schema.format ?? ''] ?? NO_EXAMPLE;
}

/** An integer without a bound of its own has that of JSON numbers, which would say nothing. */
function smallestValue({ minimum = 1 }: JsonSchema): number {
  return minimum === Number.MIN_SAFE_INTEGER ? 1 : minimum;
}

function objectExample(document: Components, schema: JsonSchema): object {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    buildExample(document, field),
  ]);
  const { additionalProperties: each } = schema;
  if (typeof each !== 'object') return Object.fromEntries(fields);
  const names = schema.propertyNames?.enum ?? [];
  const shown = schema.required === undefined ? names.slice(0, 2) : names;
  return Object.fromEntries([...fields, ...shown.map((name) => [name, buildExample(document, each)])]);
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  uri: 'https://shop.example/thanks',
  email: 'alice@example.com',
  'idn-hostname': 'shop.example',
};
