import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../domain/payment/types.ts';
import { SEND_STATUSES } from '../../domain/send/types.ts';
import { freeObject, timestamp } from './answers.ts';

/** One coin a payment can be paid in. */
const paymentOption = z.object({
  address: z.string(),
  amount: z.string().meta({ description: 'Coins that cover the whole price at the locked rate' }),
  rate: z.string().meta({ description: 'Price of one coin in the payment’s currency' }),
  rateSources: z.array(z.string()),
  rateAt: timestamp(),
  uri: z.string().nullable().meta({ description: 'BIP21, EIP-681 or Solana Pay' }),
  received: z.string().meta({ description: 'Coins that arrived and are not gone, confirmed or not' }),
  confirmations: z.int().meta({ description: 'Of the least confirmed transaction' }),
  requiredConfirmations: z.int(),
  finality: z.enum(['safe', 'finalized']).nullable().meta({
    description:
      'The network’s own word that settles the money; the two counts above are then what it usually takes, and are equal when it came',
  }),
});

const paymentTransaction = z.object({
  coin: z.enum(COINS),
  txid: z.string(),
  index: z.int().meta({ description: 'Output of the transaction' }),
  amount: z.string(),
  status: z.enum(['unconfirmed', 'confirmed', 'reversed']),
  confirmations: z.int(),
  blockHeight: z.int().nullable(),
  late: z.boolean(),
  firstSeenAt: timestamp(),
  paymentId: z
    .string()
    .optional()
    .meta({ description: 'The superseded payment to whose address it came; absent: this payment’s own' }),
  fiatAmount: z
    .string()
    .nullable()
    .meta({
      description: 'What it was worth when it came, in the payment’s currency; null where no rate was known',
      examples: ['49.90'],
    }),
  rate: z
    .string()
    .nullable()
    .meta({ description: 'Price of one coin then', examples: ['100000'] }),
  rateAt: timestamp().nullable(),
});

const paymentLine = z.object({
  name: z.string(),
  quantity: z
    .int()
    .min(1)
    .meta({ examples: [2] }),
  amount: z.string().meta({ description: 'Of the line in all, in the payment’s currency' }),
});

const payerFields = z.object({
  id: z.string(),
  status: z.enum(PAYMENT_STATUSES),
  exception: z.enum(PAYMENT_EXCEPTIONS).nullable(),
  amount: z.string(),
  currency: z.string(),
  orderId: z.string(),
  orderLabel: z
    .string()
    .nullable()
    .meta({ description: 'What payers are shown instead of `orderId`', examples: ['1001'] }),
  supersededBy: z
    .string()
    .optional()
    .meta({
      description:
        'Payments that renew each other have one balance: once money came to any of them, the newest supersedes the ' +
        'others. It asks for the money of the order, has all of it, and refunds are made of it; absent where none did',
    }),
  productId: z.string().nullable(),
  priceId: z.string().nullable(),
  successUrl: z.string().nullable(),
  returnUrl: z.string().nullable(),
  locale: z
    .string()
    .nullable()
    .meta({ description: 'Language of the checkout, a BCP 47 tag', examples: ['de'] }),
  description: z.string().nullable(),
  lines: z.array(paymentLine).meta({ description: 'What is paid for; need not add up to the amount' }),
  allowedCryptos: z.array(z.string()),
  sandbox: z.boolean(),
  checkoutUrl: z.string(),
  createdAt: timestamp(),
  expiresAt: timestamp(),
  updatedAt: timestamp(),
  options: z
    .partialRecord(z.enum(COINS), paymentOption)
    .meta({ description: 'One entry per coin offered: where and how much to pay' }),
  transactions: z.array(paymentTransaction),
  receivedFiat: z
    .string()
    .nullable()
    .meta({
      description:
        'The money that is there at the locked rate, late money at the rate of its arrival; null while that is not known of all of it',
      examples: ['49.90'],
    }),
});

const payerPayment = payerFields.meta({ id: 'PayerPayment' });

/** The fields of a payment that a payer may see. */
export function payerPaymentSchema() {
  return payerPayment;
}

const refund = z
  .object({
    sendId: z.string().meta({ description: 'The send that carries it; see send-status' }),
    coin: z.enum(COINS),
    refunded: z.string().meta({
      description: 'How much of the money received it gives back; with subtractFee the fee is part of it',
      examples: ['0.00025'],
    }),
    amount: z.string().meta({ description: 'What the destination receives' }),
    fee: z.string(),
    maxFee: z.string().meta({ description: 'Fee budget of its send, in the coin' }),
    feeLimited: z.boolean().meta({
      description: 'A raise of the fee waits because it would cost more than `maxFee`',
    }),
    fiatAmount: z
      .string()
      .nullable()
      .meta({
        description:
          "What it gives back, in the payment's currency: as ordered, or at the rate at receipt; null while that is not known",
        examples: ['12.50'],
      }),
    linkId: z.string().nullable().meta({ description: 'The refund link by which it was claimed' }),
    txHash: z.string().nullable().meta({ description: 'Null while the refund is `preparing`' }),
    destination: z.string(),
    status: z.enum(SEND_STATUSES).meta({
      description: 'A failed refund gave nothing back and counts no more',
    }),
    error: z.string().nullable(),
    createdAt: timestamp(),
  })
  .meta({ id: 'Refund' });

/** One refund of a payment. */
export function refundSchema() {
  return refund;
}

const payment = payerFields
  .extend({
    customerId: z.string().nullable().meta({ description: 'Null: anonymous' }),
    renews: z.string().optional().meta({
      description:
        'The expired payment of the same order that the payer had made anew; absent where none was',
    }),
    renewedBy: z.string().optional().meta({
      description: 'The payment that the payer had made anew after this one expired; absent where none was',
    }),
    metadata: freeObject().nullable(),
    customFields: freeObject().nullable(),
    webhookUrl: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Absent without the scope `webhooks:read`' }),
    keptFiat: z
      .string()
      .nullable()
      .meta({
        description: '`receivedFiat` less what was given back, at the value at which that was done',
        examples: ['49.90'],
      }),
    refunds: z.array(refund).meta({ description: 'Refunds made here, failed ones too, oldest first' }),
    timeline: z
      .array(z.object({ type: z.string(), sequence: z.int(), at: timestamp() }))
      .meta({ description: 'The events of this payment, oldest first' }),
  })
  .meta({ id: 'Payment' });

/** The complete payment, as merchants read it and webhooks contain it. */
export function paymentSchema() {
  return payment;
}
