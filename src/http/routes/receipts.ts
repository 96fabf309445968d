import { z } from 'zod';
import { findOwnPayment } from '../../usecases/payments/index.ts';
import {
  type CheckoutView,
  hasReceipt,
  mailReceipt,
  readCheckout,
  readReceiptMail,
  type ReceiptMailDeps,
} from '../../usecases/checkout/index.ts';
import { negotiateLanguage, createTranslator } from '../checkout/negotiate-language.ts';
import { receiptMail } from '../checkout/receipt-mail.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { timestamp } from '../schemas/answers.ts';
import { shownReceiptSettings } from '../schemas/business.ts';
import { identifier } from '../schemas/text.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const tags = ['Payments'];

const mailSchema = z.object({
  to: z.string().meta({
    description: 'The email address of the payment’s customer, its local part mostly masked',
    examples: ['j…@example.org'],
  }),
  state: z.enum(['unsent', 'pending', 'sent', 'failed']).meta({
    description:
      '`unsent`: it can be mailed. `failed`: the mail server rejected it, or was unreachable for hours',
  }),
});

const receiptSchema = z
  .object({
    url: z
      .string()
      .nullable()
      .meta({
        description: 'The receipt’s page; null while the payment is not completed',
        examples: ['https://pay.example.com/checkout/pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE/receipt'],
      }),
    pdfUrl: z
      .string()
      .nullable()
      .meta({
        description: 'The receipt as a PDF file; null while the payment is not completed',
        examples: ['https://pay.example.com/checkout/pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE/receipt.pdf'],
      }),
    number: z.string().nullable().meta({
      description: 'Its number; null before the payment is completed, and for older payments',
      example: 'R-1024',
    }),
    issuedAt: timestamp().nullable(),
    seller: shownReceiptSettings.business.meta({
      description: 'The seller as issued; null: none was entered then',
    }),
    mail: mailSchema.nullable().meta({
      description:
        'Null if it cannot be mailed: no receipt, no customer with an email address, or no mail server',
    }),
  })
  .meta({ id: 'Receipt' });

/** The receipt of a payment, and mailing it to the customer. */
export function receiptRoutes(deps: ReceiptMailDeps): Route[] {
  return [readRoute(deps), mailRoute(deps)];
}

function readRoute(deps: ReceiptMailDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/payment/receipt',
    auth: 'merchant',
    scope: 'payments:read',
    summary: 'Read the address of a receipt',
    description:
      'Its number, the seller as issued, the addresses of its page and PDF, and whether it was mailed to the customer, by ' +
      'the payer or by you.',
    tags,
    status: 200,
    errors: ['PAYMENT_NOT_FOUND'],
    query: z.object({ paymentId: identifier().meta({ example: EXAMPLES.paymentId }) }),
    data: receiptSchema,
    handler: async ({ auth, query: { paymentId } }) => {
      await findOwnPayment(deps.db, { merchantId: auth.merchantId, paymentId });
      const view = await readCheckout(deps, paymentId);
      return { ...toReceipt(deps, view), mail: await readReceiptMail(deps, view) };
    },
  });
}

function mailRoute(deps: ReceiptMailDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/payment/receipt/mail',
    auth: 'merchant',
    scope: 'payments:write',
    summary: 'Mail a receipt',
    description:
      'Mails the receipt of a completed payment to its customer, in the language of the payment. It is mailed ' +
      'once, whether by this or by the payer on the receipt’s page: a repeat changes nothing. In the sandbox only ' +
      'people of the shop receive it, at their confirmed addresses; for another address it is `failed`.',
    tags,
    status: 200,
    errors: ['PAYMENT_NOT_FOUND', 'INVALID_STATE'],
    body: z.object({ paymentId: identifier().meta({ example: EXAMPLES.paymentId }) }),
    data: receiptSchema,
    handler: async ({ auth, body: { paymentId } }) => {
      const { locale } = await findOwnPayment(deps.db, { merchantId: auth.merchantId, paymentId });
      const language = negotiateLanguage(undefined, [], locale);
      const write = (view: CheckoutView) =>
        receiptMail(
          { view, language, say: createTranslator(language), coin: null, embedder: null },
          deps.baseUrl,
        );
      const mail = await mailReceipt(deps, paymentId, write);
      return { ...toReceipt(deps, await readCheckout(deps, paymentId)), mail };
    },
  });
}

function toReceipt({ baseUrl }: ReceiptMailDeps, view: CheckoutView) {
  const { id, receipt } = view.payment;
  const url = hasReceipt(view) ? `${baseUrl}/checkout/${id}/receipt` : null;
  return {
    url,
    pdfUrl: url === null ? null : `${url}.pdf`,
    number: receipt?.number ?? null,
    issuedAt: receipt?.issuedAt ?? null,
    seller: view.seller,
  };
}
