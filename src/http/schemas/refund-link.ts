import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import {
  REFUND_CANCEL_REASONS,
  REFUND_LINK_STATUSES,
  REFUND_PRESETS,
  REFUND_RATES,
  REFUND_REQUESTERS,
} from '../../domain/payment/refund-link.ts';
import { timestamp } from './answers.ts';
import { EXAMPLES } from './example-values.ts';

const refundLink = z
  .object({
    id: z.string().meta({ example: EXAMPLES.refundLinkId }),
    paymentId: z.string().meta({ example: EXAMPLES.paymentId }),
    url: z
      .string()
      .nullable()
      .meta({
        description:
          'For the payer: anyone with the link can claim the money. Null in events, and in lists for restricted keys; ' +
          'members who may not send see it there only if they may create links and its claim waits for an approval',
        example: 'https://pay.shop.example/r/Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8aBc',
      }),
    status: z.enum(REFUND_LINK_STATUSES),
    amount: z.string().meta({ description: 'In the currency of the payment', example: '25.00' }),
    currency: z.string().meta({ example: 'USD' }),
    rate: z.enum(REFUND_RATES),
    preset: z.enum(REFUND_PRESETS).nullable().meta({ example: null }),
    coinAmounts: z.partialRecord(z.enum(COINS), z.string()).meta({
      description:
        'The coins the payer can choose from; once claimed, the chosen one. With rate `current` the amounts change ' +
        'with the rate until then',
      example: { BTC: '0.00025' },
    }),
    approval: z.boolean(),
    deductFee: z.boolean(),
    requestedBy: z.enum(REFUND_REQUESTERS).meta({
      description:
        '`payer`: the payer of an overpaid order requested the excess on its checkout page, which needs your approval',
      example: 'merchant',
    }),
    reason: z.string().nullable().meta({ example: 'Out of stock' }),
    coin: z.enum(COINS).nullable().meta({ example: null }),
    destination: z
      .string()
      .nullable()
      .meta({ description: 'The address that the payer entered', example: null }),
    claimId: z
      .string()
      .nullable()
      .meta({ description: 'Identifies the claim, for an approval', example: null }),
    sendId: z.string().nullable().meta({ example: null }),
    txHash: z.string().nullable().meta({ example: null }),
    problem: z.string().nullable().meta({
      description: 'Why a claim is not sent yet (it is retried), or why the link was reopened',
      example: null,
    }),
    cancelReason: z.enum(REFUND_CANCEL_REASONS).nullable().meta({
      description:
        'Why it was cancelled: by you, because the payer paid on before the order was complete, or because the payment was recorded as refunded elsewhere',
    }),
    createdAt: timestamp(),
    expiresAt: timestamp().meta({ example: '2026-01-31T13:00:00.000Z' }),
    claimedAt: timestamp().nullable().meta({ example: null }),
    approvedAt: timestamp().nullable().meta({ example: null }),
    paidAt: timestamp().nullable().meta({ example: null }),
  })
  .meta({ id: 'RefundLink' });

/** A refund that its payer claims by a link. */
export function refundLinkSchema() {
  return refundLink;
}
