import { z } from 'zod';
import { type CreatePaymentDeps, readPaymentNote, writePaymentNote } from '../../usecases/payments/index.ts';
import { timestamp } from '../schemas/answers.ts';
import { EXAMPLES } from '../schemas/example-values.ts';
import { identifier, text } from '../schemas/text.ts';
import { defineRoute, type Route } from '../server/route.ts';

const TAGS = ['Payments'];
const NOTE_MAX = 1_000;

/** The shop's own note on a payment. */
export function paymentNoteRoutes(deps: Pick<CreatePaymentDeps, 'db' | 'clock'>): Route[] {
  return [readRoute(deps), writeRoute(deps)];
}

function readRoute(deps: Pick<CreatePaymentDeps, 'db'>): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/note',
    auth: 'merchant',
    scope: 'payments:read',
    summary: 'Read the note on a payment',
    description: 'A note of the shop’s own. Payers never see it, and webhooks do not contain it.',
    tags: TAGS,
    status: 200,
    errors: ['PAYMENT_NOT_FOUND'],
    query: z.object({ paymentId: identifier().meta({ example: EXAMPLES.paymentId }) }),
    data: z.object({
      paymentId: z.string().meta({ example: EXAMPLES.paymentId }),
      note: z.string().nullable().meta({ example: 'Collects it on Friday' }),
      updatedBy: z.string().nullable().meta({
        description: 'Email address of the user, or name of the key; null where it is not known',
        example: EXAMPLES.email,
      }),
      updatedAt: timestamp().nullable(),
    }),
    handler: async ({ auth, query }) =>
      readPaymentNote(deps, { merchantId: auth.merchantId, paymentId: query.paymentId }),
  });
}

function writeRoute(deps: Pick<CreatePaymentDeps, 'db' | 'clock'>): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/payment/note',
    auth: 'merchant',
    scope: 'payments:write',
    summary: 'Write the note on a payment',
    description:
      'Replaces the note of the shop’s own, in any status of the payment; an empty text removes it. `GET /payment/list` ' +
      'finds payments by their note, the CSV export contains it, and erasing the customer deletes it.',
    tags: TAGS,
    status: 200,
    errors: ['PAYMENT_NOT_FOUND'],
    body: z.object({
      paymentId: identifier().meta({ example: EXAMPLES.paymentId }),
      note: text({ min: 0, max: NOTE_MAX }).meta({ example: 'Collects it on Friday' }),
    }),
    data: z.object({
      paymentId: z.string().meta({ example: EXAMPLES.paymentId }),
      hasNote: z.boolean().meta({ description: 'False once it is removed' }),
    }),
    handler: async ({ auth, body, storeAnswer }) =>
      writePaymentNote(deps, { ...body, merchantId: auth.merchantId, author: auth.actor }, storeAnswer),
  });
}
