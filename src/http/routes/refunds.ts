import { z } from 'zod';
import { refundPayment } from '../../usecases/refunds/refund-payment.ts';
import type { SendCoinsDeps } from '../../usecases/sends/send-coins.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { coinAmount } from '../schemas/amounts.ts';
import { coin } from '../schemas/codes.ts';
import { paymentSchema, refundSchema } from '../schemas/payment.ts';
import { identifier, text } from '../schemas/text.ts';

const refundBody = z.object({
  paymentId: identifier(),
  destination: text().meta({ description: 'Address of the payer; none of your own' }),
  coin: coin().optional().meta({ description: 'Needed only when money came in several coins' }),
  amount: coinAmount()
    .optional()
    .meta({ description: 'In the coin; everything that can still be refunded when left out' }),
  subtractFee: z.boolean().optional().meta({
    description:
      'Take the network fee out of the refund. Default: yes without an amount, so that no more than was received leaves the wallet; no with an amount, so that the payer gets exactly that',
  }),
});

/** Giving a payment's money back. */
export function refundRoutes(deps: SendCoinsDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/payment/refund',
      namedBy: 'paymentId',
      auth: 'merchant',
      scope: ['refunds:write', 'wallet:send'],
      summary: 'Refund a payment',
      description:
        'Sends coins back from your wallet, in the mode of the payment. Only money with all its confirmations can be ' +
        'refunded, and never more of it than was received. The payment becomes `refunded` once the network took the ' +
        'last of it; a part leaves its status and shows in `refunds`. A refund that fails for good is released ' +
        '(`payment.refund_failed` if the payment was refunded by it). `refund` is the one just made. Give an ' +
        'Idempotency-Key, so that a repeated request never pays twice.',
      tags: ['Payments'],
      status: 200,
      errors: [
        'PAYMENT_NOT_FOUND',
        'INVALID_STATE',
        'INSUFFICIENT_BALANCE',
        'COIN_UNAVAILABLE',
        'NODE_UNAVAILABLE',
        'SEND_REJECTED',
      ],
      idempotency: 'forever',
      body: refundBody,
      data: paymentSchema().extend({ refund: refundSchema() }),
      handler: async ({ auth, body, idempotencyKey }) =>
        refundPayment(deps, { ...body, merchant: auth.merchant, idempotencyKey }),
    }),
  ];
}
