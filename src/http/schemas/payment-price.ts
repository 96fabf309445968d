import { z } from 'zod';
import type { PriceChoice } from '../../usecases/payments/index.ts';
import { fiatAmount } from './amounts.ts';
import { currency } from './codes.ts';
import { isObject } from './depth.ts';
import { identifier } from './text.ts';
import { EXAMPLES } from './example-values.ts';

const AMOUNT_FORM = ['amount', 'currency'] as const;
const CATALOG_FORM = ['productId', 'priceId'] as const;
const EITHER = 'a payment takes either amount and currency, or productId and priceId';

/** The two forms of a payment's price: spread into a body that `refinePriceForm` checks. */
export function paymentPrice() {
  return {
    amount: fiatAmount()
      .optional()
      .meta({ description: `With currency; ${EITHER}` }),
    currency: currency()
      .optional()
      .meta({ description: `With amount; ${EITHER}` }),
    productId: identifier()
      .optional()
      .meta({ description: `With priceId; ${EITHER}`, example: EXAMPLES.productId }),
    priceId: identifier()
      .optional()
      .meta({ description: `With productId; ${EITHER}`, example: EXAMPLES.priceId }),
  };
}

/** For `superRefine` with `whenObject`: exactly one of the two forms, and that one complete. */
export function refinePriceForm(body: object, context: z.RefinementCtx): void {
  const given = (field: string) => Object.hasOwn(body, field);
  const problem = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  const amountForm = AMOUNT_FORM.filter(given);
  const catalogForm = CATALOG_FORM.filter(given);
  if (amountForm.length > 0 && catalogForm.length > 0) {
    for (const field of amountForm) problem(field, 'must not be given together with productId and priceId');
    for (const field of catalogForm) problem(field, 'must not be given together with amount and currency');
    return;
  }
  const form = catalogForm.length > 0 ? CATALOG_FORM : AMOUNT_FORM;
  for (const field of form) if (!given(field)) problem(field, 'is required');
}

/** Lets a check run even if fields are invalid, so that one response reports all of them. */
export const whenObject = {
  when: ({ value }: { value: unknown }) => isObject(value) && !Array.isArray(value),
};

/** The form that a body uses. */
export function readPriceChoice(body: {
  readonly [field in (typeof AMOUNT_FORM)[number] | (typeof CATALOG_FORM)[number]]?: string | undefined;
}): PriceChoice {
  const { amount, currency, productId, priceId } = body;
  if (amount !== undefined && currency !== undefined) return { kind: 'amount', amount, currency };
  if (productId !== undefined && priceId !== undefined) return { kind: 'catalog', productId, priceId };
  throw new Error('the schema accepted a body without a complete price');
}
