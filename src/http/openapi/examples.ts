import { EXAMPLES } from './example-values.ts';
import { resolveSchema, type JsonSchema, type OpenApiDocument } from './types.ts';

/** Placeholder where no example is known; a test finds it. */
export const NO_EXAMPLE = 'no example';

type Components = Pick<OpenApiDocument, 'components'>;

/**
 * A value that fits a schema, built from the examples of its fields: the one known for this field of this
 * thing, else the schema's own, else the one known for any field of that name. `trail` lists the enclosing
 * names, outermost first.
 */
export function buildExample(document: Components, given: JsonSchema, trail: readonly string[]): unknown {
  const { schema, component } = resolveSchema(document, given);
  const inside = component === null ? trail : [...trail, component];
  const own =
    component === null ? [knownInside(trail), schema.examples?.[0], EXAMPLES[trail.at(-1) ?? '']] : [];
  const known = own.find((value) => value !== undefined && admits(schema, value));
  if (known !== undefined) return known;
  if (schema.const !== undefined) return schema.const;
  const [variant] = schema.anyOf ?? schema.oneOf ?? [];
  if (variant !== undefined) return buildExample(document, variant, inside);
  if (schema.enum !== undefined) return schema.enum[0];
  return byType(document, schema, inside);
}

function byType(document: Components, schema: JsonSchema, trail: readonly string[]): unknown {
  const type = typeof schema.type === 'string' ? schema.type : schema.type?.[0];
  if (type === 'object') return objectExample(document, schema, trail);
  if (type === 'array') return [buildExample(document, schema.items ?? {}, trail)];
  if (type === 'boolean') return schema.default ?? true;
  if (type === 'integer' || type === 'number') return schema.default ?? schema.minimum ?? 1;
  if (type === 'null') return null;
  return schema.default ?? FORMATS[schema.format ?? ''] ?? NO_EXAMPLE;
}

function objectExample(document: Components, schema: JsonSchema, trail: readonly string[]): object {
  const fields = Object.entries(schema.properties ?? {}).map(([name, field]) => [
    name,
    buildExample(document, field, [...trail, name]),
  ]);
  const { additionalProperties: each } = schema;
  if (typeof each !== 'object') return Object.fromEntries(fields);
  const names = schema.propertyNames?.enum ?? [];
  const shown = schema.required === undefined ? names.slice(0, 2) : names;
  const entries = shown.map((name) => [name, buildExample(document, each, [...trail, String(name)])]);
  return Object.fromEntries([...fields, ...entries]);
}

const FORMATS: Readonly<Record<string, string>> = {
  'date-time': '2026-01-31T12:00:00.000Z',
  uri: 'https://shop.example/thanks',
  email: 'alice@example.com',
  'idn-hostname': 'shop.example',
};

/** Whether a value is of the schema's type, because names differ in meaning between places. */
function admits(schema: JsonSchema, value: unknown): boolean {
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.some((variant) => admits(variant, value));
  if (schema.const !== undefined) return value === schema.const;
  if (schema.enum !== undefined) return schema.enum.includes(value);
  return schema.type === undefined || [schema.type].flat().includes(typeOf(value));
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return typeof value === 'number' && Number.isInteger(value) ? 'integer' : typeof value;
}

/** The nearest enclosing thing determines the meaning of a field: `Customer.id` is not `Price.id`. */
function knownInside(trail: readonly string[]): unknown {
  const name = trail.at(-1);
  if (name === undefined) return undefined;
  for (const around of trail.slice(0, -1).toReversed()) {
    const found = EXAMPLES[`${around.toLowerCase()}.${name}`];
    if (found !== undefined) return found;
  }
  return undefined;
}
