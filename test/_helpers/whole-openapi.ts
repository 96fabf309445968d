import type { OpenApiDocument } from '../../src/http/openapi/types.ts';

/** The document with its shared parameters and examples in place, as a client's tool would read it. */
export function whole(served: unknown): OpenApiDocument {
  const { components } = served as { components: Record<string, Record<string, unknown>> };
  const target = (reference: string): unknown => {
    const [, , kind = '', name = ''] = reference.split('/');
    const found = components[kind]?.[name];
    if (found === undefined) throw new Error(`the document has no ${reference}`);
    return found;
  };
  const inPlace = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(inPlace);
    if (typeof value !== 'object' || value === null) return value;
    const { $ref: reference, examples } = value as {
      $ref?: unknown;
      examples?: { Usual?: { $ref?: string } };
    };
    if (typeof reference === 'string' && reference.startsWith('#/components/parameters/'))
      return inPlace(target(reference));
    const entries = Object.entries(value).map(([name, inner]): [string, unknown] => [name, inPlace(inner)]);
    const shared = examples?.Usual?.$ref;
    if (shared === undefined) return Object.fromEntries(entries);
    const { value: example } = target(shared) as { value: unknown };
    return { ...Object.fromEntries(entries.filter(([name]) => name !== 'examples')), example };
  };
  return inPlace(served) as OpenApiDocument;
}
