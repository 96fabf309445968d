import { z } from 'zod';
import { COIN_DEFINITIONS } from '../../domain/coins.ts';
import { refundPayment, type RefundPaymentDeps } from '../../usecases/refunds/index.ts';
import { defineRoute, Reply, type Route } from '../server/route.ts';
import { REFUND_RATES } from '../../domain/payment/refund-link.ts';
import { coinAmount, maxFee, refineFiatAmount } from '../schemas/amounts.ts';
import { coin, currency } from '../schemas/codes.ts';
import { directs } from '../schemas/security-marks.ts';
import { paymentSchema, refundSchema } from '../schemas/payment.ts';
import { isAccepted } from '../schemas/send.ts';
import { identifier, text } from '../schemas/text.ts';
import { shownTo } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

const refundBody = z
  .object({
    paymentId: identifier().meta({ example: EXAMPLES.paymentId }),
    destination: directs(text().meta({ description: 'Address of the payer; not one of your own' })).meta({
      example: EXAMPLES.address,
    }),
    coin: coin().optional().meta({ description: 'Required only when money was received in several coins' }),
    amount: coinAmount().optional().meta({
      description:
        'In the coin, or in `currency` if that is given; by default everything that can still be refunded',
      example: '0.00025',
    }),
    currency: currency().optional().meta({
      description:
        'Makes `amount` a fiat amount in the currency of the payment; converted to whole atoms, rounded down',
    }),
    rate: z.enum(REFUND_RATES).optional().meta({
      description: 'With `currency`: the rate at receipt (default), or the current rate',
    }),
    subtractFee: z
      .boolean()
      .optional()
      .meta({
        description:
          'Deduct the network fee from the refund. Default: true without an amount, so that no more than was received ' +
          'leaves the wallet; false with an amount, so that the payer gets exactly that',
      }),
    maxFee: maxFee(),
  })
  .superRefine((body, context) => {
    refineFiatAmount(body, context);
    requireWith(body, context, 'currency', 'amount');
    requireWith(body, context, 'rate', 'currency');
  });

/** Reports `other` as missing if `field` requires it. */
function requireWith<K extends string>(
  body: Readonly<Partial<Record<K, unknown>>>,
  context: z.RefinementCtx,
  field: K,
  other: K,
): void {
  if (body[field] === undefined || body[other] !== undefined) return;
  const message = `is required with ${field}`;
  context.addIssue({ code: 'custom', path: [other], message, params: { code: 'required' } });
}

const PAYMENT = 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE';
const ADDRESS = COIN_DEFINITIONS.BTC.example.address;

/** Refunds of a payment. */
export function refundRoutes(deps: RefundPaymentDeps): Route[] {
  return [
    defineRoute({
      method: 'POST',
      path: '/payment/refund',
      auth: 'merchant',
      scope: ['refunds:write', 'wallet:send'],
      summary: 'Refund a payment',
      description:
        'Sends coins back from your wallet, in the mode of the payment. Only fully confirmed money can be refunded, ' +
        'at most the received amount. The payment becomes `refunded` once the network accepted the last refund; a ' +
        'partial refund keeps its status and is listed in `refunds`. A refund that fails for good is released ' +
        '(`payment.refund_failed` if the payment was refunded by it). `refund` is the one just created. Send an ' +
        'Idempotency-Key, so that a repeated request never pays twice.',
      tags: ['Payments'],
      status: 200,
      acceptedAnswers:
        'The refund consolidates outputs of the wallet first and is `preparing`, or is above a limit and waits for an approval; see send-status',
      errors: [
        'PAYMENT_NOT_FOUND',
        'INVALID_STATE',
        'INSUFFICIENT_BALANCE',
        'FEE_ABOVE_LIMIT',
        'WALLET_FROZEN',
        'RATE_UNAVAILABLE',
        'COIN_UNAVAILABLE',
        'NODE_UNAVAILABLE',
        'SEND_REJECTED',
      ],
      idempotency: 'forever',
      body: refundBody,
      data: paymentSchema().extend({ refund: refundSchema() }),
      example: {
        body: { paymentId: PAYMENT, destination: ADDRESS, coin: 'BTC', amount: '0.00025' },
        otherBodies: {
          'An amount of money': {
            paymentId: PAYMENT,
            destination: ADDRESS,
            amount: '12.50',
            currency: 'USD',
          },
          'Everything that is left': { paymentId: PAYMENT, destination: ADDRESS },
        },
      },
      handler: async ({ auth, body, idempotencyKey }) => {
        const { merchant, actor: creator } = auth;
        const payment = await refundPayment(deps, { ...body, merchant, creator, idempotencyKey });
        return new Reply(isAccepted(payment.refund.status) ? 202 : 200, shownTo(auth, payment));
      },
    }),
  ];
}
