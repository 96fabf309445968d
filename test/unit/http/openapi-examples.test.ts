import { describe, expect, it } from 'vitest';
import { buildExample, NO_EXAMPLE } from '../../../src/http/openapi/examples.ts';
import type { JsonSchema } from '../../../src/http/openapi/types.ts';

const COIN: JsonSchema = {
  type: 'object',
  properties: { id: { type: 'string' }, rate: { type: 'string', examples: ['7'] } },
};
const components = {
  schemas: { Customer: COIN, Price: COIN },
  responses: {},
  examples: {},
  headers: {},
  securitySchemes: {},
};
const example = (schema: JsonSchema, ...trail: string[]) => buildExample({ components }, schema, trail);

describe('buildExample', () => {
  it('derives the meaning of a field from the object that contains it', () => {
    const customer = example({ $ref: '#/components/schemas/Customer' }) as { id: string };
    const price = example({ $ref: '#/components/schemas/Price' }) as { id: string };
    expect(customer.id).toMatch(/^cus_/);
    expect(price.id).toMatch(/^price_/);
  });

  it('prefers the example of the schema to one that is known by name only', () => {
    expect(example(COIN)).toMatchObject({ rate: '7' });
    expect(example({ type: 'string' }, 'rate')).toBe('100000');
  });

  it('never uses a known example of another type', () => {
    expect(example({ type: 'integer', minimum: 3 }, 'amount')).toBe(3);
    expect(example({ type: 'string', enum: ['a', 'b'] }, 'status')).toBe('a');
    expect(example({ anyOf: [{ type: 'string' }, { type: 'null' }] }, 'error')).toBeNull();
  });

  it('uses constants, defaults, formats and the allowed keys of an object', () => {
    expect(example({ const: 5 })).toBe(5);
    expect(example({ type: 'boolean', default: false })).toBe(false);
    expect(example({ type: 'string', format: 'date-time' })).toBe('2026-01-31T12:00:00.000Z');
    const perCoin = {
      type: 'object',
      propertyNames: { enum: ['A', 'B', 'C'] },
      additionalProperties: { const: 1 },
    };
    expect(example(perCoin)).toEqual({ A: 1, B: 1 });
    expect(example({ ...perCoin, required: ['A', 'B', 'C'] })).toEqual({ A: 1, B: 1, C: 1 });
  });

  it('reports when it knows no example', () => {
    expect(example({ type: 'array', items: { type: 'string' } }, 'unheardOf')).toEqual([NO_EXAMPLE]);
  });
});
