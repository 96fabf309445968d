import { expect, it } from 'vitest';
import { z } from 'zod';
import { parsePart } from '../../../src/http/server/validation.ts';
import { payerFields, refinePayer } from '../../../src/http/schemas/payment-terms.ts';

it('parsePart names the field that may be given in place of a missing one', () => {
  const body = z.object(payerFields()).superRefine(refinePayer);
  expect(parsePart(body, 'body', {}).problems).toEqual([
    { field: 'customerId', code: 'required', message: 'is required, or customer' },
  ]);
});

it('parsePart reports a missing field as required, whatever its type', () => {
  const body = z.object({ amount: z.string().min(3, 'must be long') });
  expect(parsePart(body, 'body', {}).problems).toEqual([
    { field: 'amount', code: 'required', message: 'is required' },
  ]);
});
