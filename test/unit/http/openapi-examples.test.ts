import { describe, expect, it } from 'vitest';
import { buildExample, NO_EXAMPLE } from '../../../src/http/openapi/examples.ts';
import type { JsonSchema } from '../../../src/http/openapi/types.ts';

const components = {
  schemas: { Price: { type: 'object', properties: { id: { type: 'string', example: 'price_1' } } } },
  responses: {},
  examples: {},
  headers: {},
  securitySchemes: {},
};
const example = (schema: JsonSchema) => buildExample({ components }, schema);

describe('buildExample', () => {
  it('prefers the example of the schema to a derived one', () => {
    expect(example({ type: 'string', example: '7', examples: ['8'], default: '9' })).toBe('7');
    expect(example({ type: 'string', examples: ['8'], default: '9' })).toBe('8');
    expect(example({ anyOf: [{ type: 'string' }, { type: 'null' }], example: null })).toBeNull();
    expect(example({ type: 'array', items: { type: 'string', example: 'a' }, example: [] })).toEqual([]);
  });

  it('builds the example of an object from those of its fields, also through references', () => {
    const schema: JsonSchema = {
      type: 'object',
      properties: {
        price: { $ref: '#/components/schemas/Price' },
        notes: { type: 'array', items: { const: 'a' } },
      },
    };
    expect(example(schema)).toEqual({ price: { id: 'price_1' }, notes: ['a'] });
  });

  it('does not derive an example from the name of a field', () => {
    const schema: JsonSchema = { type: 'object', properties: { merchantId: { type: 'string' } } };
    expect(example(schema)).toEqual({ merchantId: NO_EXAMPLE });
  });

  it('derives an example from constants, defaults, bounds, formats and the allowed keys of an object', () => {
    expect(example({ const: 5 })).toBe(5);
    expect(example({ type: 'boolean', default: false })).toBe(false);
    expect(example({ type: 'integer', minimum: 3 })).toBe(3);
    expect(example({ type: 'integer', minimum: Number.MIN_SAFE_INTEGER })).toBe(1);
    expect(example({ type: 'string', enum: ['a', 'b'] })).toBe('a');
    expect(example({ type: 'string', format: 'date-time' })).toBe('2026-01-31T12:00:00.000Z');
    const perCoin = {
      type: 'object',
      propertyNames: { enum: ['A', 'B', 'C'] },
      additionalProperties: { const: 1 },
    };
    expect(example(perCoin)).toEqual({ A: 1, B: 1 });
    expect(example({ ...perCoin, required: ['A', 'B', 'C'] })).toEqual({ A: 1, B: 1, C: 1 });
  });

  it('returns NO_EXAMPLE for a schema without a derivable example', () => {
    expect(example({ type: 'array', items: { type: 'string' } })).toEqual([NO_EXAMPLE]);
  });
});
