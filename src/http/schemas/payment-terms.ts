import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { fillReturnUrl, placeholderProblem } from '../../domain/payment/return-url.ts';
import type { Payer } from '../../usecases/customers/index.ts';
import { coin } from './codes.ts';
import { directs, settles } from './security-marks.ts';
import { metadata } from './metadata.ts';
import { email, httpUrl, identifier, text, visibleText } from './text.ts';
import { EXAMPLES } from './example-values.ts';

const MAX_CONFIRMATIONS = 1_000;
const MAX_LINES = 100;
const MAX_QUANTITY = 1_000_000;
const DESCRIPTION_MAX = 500;
const ORDER_LABEL_MAX = 100;
const LIFETIME = { min: 5, max: 10_080 };
/** The shortest possible: the order id of a payment link. */
const SHORTEST = {
  paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
  orderId: 'L-0123456789',
  status: 'confirming',
} as const;
const WAY_BACK =
  '`{paymentId}`, `{orderId}` and `{status}` are replaced, percent-encoded, when the payer is redirected';
/** BCP 47, as far as browsers send it: a language and subtags. */
const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;
const LINE_AMOUNT = /^\d{1,12}(\.\d{1,4})?$/;

/** The two ways to name the customer: spread into a body that `refinePayer` checks. */
export function payerFields() {
  return {
    customerId: identifier().optional().meta({ description: 'Or customer', example: EXAMPLES.customerId }),
    customer: z
      .object({ email: email().optional(), metadata: metadata().optional() })
      .optional()
      .meta({
        description:
          'Instead of customerId: the customer with this email address, created with this metadata if there is none; ' +
          '`{}` is anonymous. An existing customer keeps their metadata',
        examples: [{ email: 'ada@example.com' }],
      }),
  };
}

/** For `superRefine` with `whenObject`: exactly one of the two. */
export function refinePayer(body: object, context: z.RefinementCtx): void {
  const problem = (field: string, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message });
  const isNamed = Object.hasOwn(body, 'customerId');
  const isInline = Object.hasOwn(body, 'customer');
  if (isNamed && isInline) problem('customer', 'must not be given together with customerId');
  if (!isNamed && !isInline) problem('customerId', 'is required, or customer');
}

/** @throws if neither is present, which `refinePayer` reports. */
export function readPayer(body: {
  readonly customerId?: string | undefined;
  readonly customer?:
    { readonly email?: string | undefined; readonly metadata?: object | undefined } | undefined;
}): Payer {
  const { customerId, customer } = body;
  if (customerId !== undefined) return { kind: 'customer', customerId };
  if (customer === undefined) throw new Error('the schema accepted a body without a payer');
  if (customer.email === undefined) return { kind: 'anonymous' };
  return { kind: 'email', email: customer.email, metadata: customer.metadata ?? {} };
}

export function lifetimeMinutes() {
  return z
    .int()
    .min(LIFETIME.min)
    .max(LIFETIME.max)
    .meta({
      description:
        'How long the quote is valid; by default the lifetime set for the shop, which is the maximum with a public ' +
        'key',
    });
}

/** Confirmations per coin, above the server's requirement. */
export function confirmations() {
  return settles(z.partialRecord(z.enum(COINS), z.int().min(1).max(MAX_CONFIRMATIONS))).meta({
    description: 'Per coin, not below what the server requires for the amount',
    examples: [{ BTC: 6 }],
  });
}

export function locale() {
  return z
    .string()
    .trim()
    .regex(LOCALE, { error: 'must be a language tag such as de or pt-BR' })
    .meta({ description: 'Language of the checkout, unless the payer picks another', examples: ['de'] });
}

export function lines() {
  return z
    .array(
      z.object({
        name: text().meta({ example: 'Earl Grey, 100 g' }),
        quantity: z
          .int()
          .min(1)
          .max(MAX_QUANTITY)
          .meta({ examples: [2] }),
        amount: z
          .string()
          .trim()
          .regex(LINE_AMOUNT, { error: 'must be a decimal string such as "12.50"' })
          .meta({ description: 'Of the line in all, in the payment’s currency', examples: ['7.80'] }),
      }),
    )
    .max(MAX_LINES)
    .meta({
      description: 'What is paid for, shown to the payer. Need not add up, but must not exceed the amount',
      examples: [[{ name: 'Earl Grey, 100 g', quantity: 2, amount: '15.80' }]],
    });
}

export function description(options: { readonly min?: number } = {}) {
  return text({ ...options, max: DESCRIPTION_MAX }).meta({
    description: 'Shown to the payer',
    examples: ['Order 1001: two packets of tea'],
  });
}

export function orderLabel(options: { readonly min?: number } = {}) {
  return visibleText({ ...options, max: ORDER_LABEL_MAX }).meta({
    description: 'What payers are shown instead of `orderId`, which is unique and may look technical',
    examples: ['1001'],
  });
}

export function allowedCryptos() {
  return z
    .array(coin())
    .min(1)
    .max(16)
    .transform((coins) => [...new Set(coins)]);
}

/** A URL at which payers return to the shop. */
export function returnUrl({ empty = false }: { readonly empty?: boolean } = {}) {
  const url = httpUrl({ empty })
    .superRefine((value, context) => {
      const problem = empty && value === '' ? null : wayBackProblem(value);
      if (problem === null) return;
      context.addIssue({ code: 'custom', message: problem, params: { code: 'invalid_format' } });
    })
    .meta({ description: WAY_BACK });
  // With placeholders it is not a valid URI yet.
  return directs(empty ? url : url.meta({ format: 'uri-template' }));
}

function wayBackProblem(url: string): string | null {
  const problem = placeholderProblem(url);
  if (problem !== null) return problem;
  const isFillable = fillReturnUrl(url, SHORTEST) !== null;
  return isFillable ? null : 'must be a URL of at most 2,048 characters with its placeholders filled in';
}

/** A way back; an empty text removes it. */
export function removableReturnUrl() {
  return returnUrl({ empty: true }).transform((url) => (url === '' ? null : url));
}
