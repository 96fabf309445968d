import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import {
  REFUND_CANCEL_REASONS,
  REFUND_LINK_STATUSES,
  REFUND_PRESETS,
  REFUND_RATES,
} from '../../domain/payment/refund-link.ts';
import { timestamp } from './answers.ts';

const refundLink = z
  .object({
    id: z.string(),
    paymentId: z.string(),
    url: z.string().nullable().meta({
      description:
        'For the payer: who has it can claim the money. Null in events, and in lists for restricted keys; people who may not send see it there only if they may open links and its claim waits for an approval',
    }),
    status: z.enum(REFUND_LINK_STATUSES),
    amount: z.string().meta({ description: 'In the currency of the payment' }),
    currency: z.string(),
    rate: z.enum(REFUND_RATES),
    preset: z.enum(REFUND_PRESETS).nullable(),
    coinAmounts: z.partialRecord(z.enum(COINS), z.string()).meta({
      description:
        'What the payer may choose among; once claimed, the one coin chosen. With rate `current` the amounts are those of the moment until then',
    }),
    approval: z.boolean(),
    deductFee: z.boolean(),
    reason: z.string().nullable(),
    coin: z.enum(COINS).nullable(),
    destination: z.string().nullable().meta({ description: 'The address that the payer gave' }),
    claimId: z.string().nullable().meta({ description: 'Names the claim, for an approval' }),
    sendId: z.string().nullable(),
    txHash: z.string().nullable(),
    problem: z.string().nullable().meta({
      description: 'Why a claim is not sent yet (it is tried again), or why the link was opened again',
    }),
    cancelReason: z.enum(REFUND_CANCEL_REASONS).nullable().meta({
      description:
        'Why it was cancelled: by you, because the payer paid on before the order was complete, or because the payment was recorded as refunded elsewhere',
    }),
    createdAt: timestamp(),
    expiresAt: timestamp(),
    claimedAt: timestamp().nullable(),
    approvedAt: timestamp().nullable(),
    paidAt: timestamp().nullable(),
  })
  .meta({ id: 'RefundLink' });

/** A refund that its payer claims by a link. */
export function refundLinkSchema() {
  return refundLink;
}
