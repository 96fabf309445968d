import { resolveSchema, type JsonSchema, type OpenApiDocument } from '../openapi/types.ts';
import { html, prose, type Html } from './html.ts';

const DEPTH_MAX = 6;

/** Whether fields are of a request or of a response: only a request marks required ones. */
export type Side = 'request' | 'answer';

/** The fields of an object, each with its type, its rules and its description; nested ones are collapsed. */
export function fieldList(document: OpenApiDocument, given: JsonSchema, side: Side, depth = 0): Html {
  const { schema } = resolveSchema(document, given);
  const required = new Set(schema.required);
  const rows = Object.entries(schema.properties ?? {}).map(([name, field]) =>
    fieldRow(document, { name, field, required: required.has(name) }, side, depth),
  );
  return html`<dl class="fields">${rows}</dl>`;
}

interface Field {
  readonly name: string;
  readonly field: JsonSchema;
  readonly required: boolean;
}

export function fieldRow(
  document: OpenApiDocument,
  { name, field, required }: Field,
  side: Side,
  depth = 0,
): Html {
  const text = field.description ?? resolveSchema(document, field).schema.description;
  const rules = listRules(document, field);
  return html`<dt>
      <code class="name">${name}</code> <span class="type">${typeName(document, field)}</span>
      ${badge(required, side)}
    </dt>
    <dd>
      ${text === undefined ? null : html`<p>${prose(text)}</p>`}
      ${rules.length === 0 ? null : html`<p class="rules">${rules.map((rule) => html`<span>${prose(rule)}</span> `)}</p>`}
      ${nested(document, field, side, depth)}
    </dd>`;
}

function badge(required: boolean, side: Side): Html | null {
  if (side === 'request') return required ? html`<span class="badge">required</span>` : null;
  return required ? null : html`<span class="type">not always there</span>`;
}

function nested(document: OpenApiDocument, field: JsonSchema, side: Side, depth: number): Html | null {
  const inner = innerObject(document, field);
  if (inner === null || depth >= DEPTH_MAX) return null;
  const list = fieldList(document, inner.schema, side, depth + 1);
  return html`<details>
    <summary>${inner.title}</summary>
    ${list}
  </details>`;
}

/** The object whose fields are worth showing inside a field: its own, or that of its entries. */
function innerObject(
  document: OpenApiDocument,
  given: JsonSchema,
): { readonly schema: JsonSchema; readonly title: string } | null {
  const { schema, component } = resolveSchema(document, given);
  if (schema.properties !== undefined) {
    return { schema, title: component === null ? 'Its fields' : `Fields of ${component}` };
  }
  if (schema.items !== undefined) return innerObject(document, schema.items);
  if (typeof schema.additionalProperties === 'object')
    return innerObject(document, schema.additionalProperties);
  for (const variant of schema.anyOf ?? []) {
    const found = innerObject(document, variant);
    if (found !== null) return found;
  }
  return null;
}

export function typeName(document: OpenApiDocument, given: JsonSchema): string {
  const { schema, component } = resolveSchema(document, given);
  if (component !== null) return component;
  const variants = schema.anyOf ?? schema.oneOf;
  if (variants !== undefined) return variants.map((variant) => typeName(document, variant)).join(' or ');
  if (schema.items !== undefined) return `array of ${typeName(document, schema.items)}`;
  if (typeof schema.additionalProperties === 'object') {
    const key = schema.propertyNames?.enum === undefined ? 'name' : 'coin';
    return `${typeName(document, schema.additionalProperties)} per ${key}`;
  }
  if (schema.type === undefined) return schema.const === undefined ? 'any' : JSON.stringify(schema.const);
  const types = [schema.type].flat().join(' or ');
  return schema.format === undefined ? types : `${types} (${schema.format})`;
}

/** The constraints of a value, in words. */
function listRules(document: OpenApiDocument, given: JsonSchema): string[] {
  const { schema } = resolveSchema(document, given);
  const [single] = (schema.anyOf ?? []).filter(({ type }) => type !== 'null');
  const ruled =
    schema.anyOf?.length === 2 && single !== undefined ? resolveSchema(document, single).schema : schema;
  const values = ruled.enum ?? ruled.items?.enum ?? ruled.propertyNames?.enum;
  return [
    ...(values === undefined ? [] : [`one of ${values.map((value) => `\`${String(value)}\``).join(', ')}`]),
    ...range(ruled.minimum, ruled.maximum, ''),
    ...range(ruled.minLength, ruled.maxLength, ' characters'),
    ...range(ruled.minItems, ruled.maxItems, ' entries'),
    ...(ruled.pattern === undefined || values !== undefined ? [] : [patternRule(ruled)]),
    ...(schema.default === undefined ? [] : [`default \`${JSON.stringify(schema.default)}\``]),
  ];
}

function range(min: number | undefined, max: number | undefined, unit: string): string[] {
  if (min !== undefined && max !== undefined) return [`${min} to ${max}${unit}`];
  if (max !== undefined && max < Number.MAX_SAFE_INTEGER) return [`at most ${max}${unit}`];
  return min === undefined || min <= Number.MIN_SAFE_INTEGER ? [] : [`at least ${min}${unit}`];
}

/** An example is clearer to readers than a pattern. */
function patternRule({ pattern = '', examples }: JsonSchema): string {
  const [example] = examples ?? [];
  return typeof example !== 'string' ? `matches \`${pattern}\`` : `such as \`${example}\``;
}
