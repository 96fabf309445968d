import { z } from 'zod';
import { COINS } from '../../domain/coins.ts';
import { PAYMENT_EXCEPTIONS, PAYMENT_STATUSES } from '../../domain/payment/types.ts';
import { HELD_STATUSES } from '../../usecases/wallet/index.ts';
import { SEND_STATUSES } from '../../domain/send/types.ts';
import { freeObject, timestamp } from './answers.ts';
import { EXAMPLE_ADDRESSES, readExample, EXAMPLES } from './example-values.ts';

/** One coin a payment can be paid in. */
const paymentOption = z.object({
  address: z.string().meta({ example: EXAMPLES.address }),
  amount: z
    .string()
    .meta({ description: 'Coins that cover the whole price at the locked rate', example: '0.000499' }),
  rate: z.string().meta({ description: 'Price of one coin in the payment’s currency', example: '100000' }),
  rateSources: z.array(z.string()).meta({ example: ['kraken', 'coinbase', 'bitstamp'] }),
  rateAt: timestamp(),
  uri: z
    .string()
    .nullable()
    .meta({ description: 'BIP21, EIP-681 or Solana Pay', example: EXAMPLES.paymentUri }),
  received: z
    .string()
    .meta({ description: 'Coins received and not reversed, confirmed or not', example: '0' }),
  confirmations: z.int().meta({ description: 'Of the least confirmed transaction', example: 2 }),
  requiredConfirmations: z.int().meta({ example: 2 }),
  finality: z
    .enum(['safe', 'finalized'])
    .nullable()
    .meta({
      description:
        'Finality that the payment waits for instead of a number of confirmations; the two counts are then ' +
        'estimates, equal once it is reached',
      example: null,
    }),
});

const paymentTransaction = z.object({
  coin: z.enum(COINS),
  txid: z.string().meta({ example: EXAMPLES.txid }),
  index: z.int().meta({ description: 'Output of the transaction', example: 0 }),
  amount: z.string().meta({ example: '0.000499' }),
  status: z.enum(['unconfirmed', 'confirmed', 'reversed']).meta({ example: 'confirmed' }),
  confirmations: z.int().meta({ example: 2 }),
  blockHeight: z.int().nullable().meta({ example: 925_000 }),
  late: z.boolean().meta({ example: false }),
  firstSeenAt: timestamp(),
  paymentId: z.string().optional().meta({
    description: 'The superseded payment whose address received it; absent for an address of this payment',
    example: EXAMPLES.paymentId,
  }),
  fiatAmount: z
    .string()
    .nullable()
    .meta({
      description: 'Value at receipt, in the payment’s currency; null if no rate was known',
      examples: ['49.90'],
    }),
  rate: z
    .string()
    .nullable()
    .meta({ description: 'Price of one coin then', examples: ['100000'] }),
  rateAt: timestamp().nullable(),
});

const paymentLine = z.object({
  name: z.string().meta({ example: 'Coffee beans' }),
  quantity: z
    .int()
    .min(1)
    .meta({ examples: [2] }),
  amount: z.string().meta({ description: 'Of the line in all, in the payment’s currency', example: '49.90' }),
});

const payerFields = z.object({
  id: z.string().meta({ example: EXAMPLES.paymentId }),
  status: z.enum(PAYMENT_STATUSES).meta({ example: 'completed' }),
  exception: z.enum(PAYMENT_EXCEPTIONS).nullable().meta({ example: null }),
  amount: z.string().meta({ example: '49.90' }),
  currency: z.string().meta({ example: 'USD' }),
  orderId: z.string().meta({ example: 'order-1001' }),
  orderLabel: z
    .string()
    .nullable()
    .meta({ description: 'What payers are shown instead of `orderId`', examples: ['1001'] }),
  supersededBy: z
    .string()
    .optional()
    .meta({
      description:
        'Payments that replace each other have one balance: once money was received on any of them, the newest ' +
        'supersedes the others. The newest one collects and refunds all money of the order; absent if the payment ' +
        'was not superseded',
      example: EXAMPLES.nextPaymentId,
    }),
  productId: z.string().nullable().meta({ example: EXAMPLES.productId }),
  priceId: z.string().nullable().meta({ example: EXAMPLES.priceId }),
  successUrl: z.string().nullable().meta({ example: EXAMPLES.returnUrl }),
  returnUrl: z.string().nullable().meta({ example: EXAMPLES.returnUrl }),
  locale: z
    .string()
    .nullable()
    .meta({ description: 'Language of the checkout, a BCP 47 tag', examples: ['de'] }),
  description: z.string().nullable().meta({ example: 'One kilogram, freshly roasted' }),
  lines: z.array(paymentLine).meta({ description: 'What is paid for; need not add up to the amount' }),
  tip: z
    .string()
    .nullable()
    .meta({
      description: 'The part of `amount` that is a tip, from a counter; null: none',
      examples: ['4.90'],
    }),
  allowedCryptos: z.array(z.string()).meta({ example: ['BTC', 'LTC'] }),
  sandbox: z.boolean(),
  checkoutUrl: z.string().meta({ example: 'https://pay.shop.example/checkout/pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE' }),
  createdAt: timestamp(),
  expiresAt: timestamp().meta({ example: '2026-01-31T13:00:00.000Z' }),
  updatedAt: timestamp(),
  options: z.partialRecord(z.enum(COINS), paymentOption).meta({
    description: 'One entry per coin offered: where and how much to pay',
    example: {
      BTC: readExample(paymentOption),
      ETH: readExample(paymentOption, {
        address: EXAMPLE_ADDRESSES.ETH,
        amount: '0.012475',
        rate: '4000',
        uri: `ethereum:${EXAMPLE_ADDRESSES.ETH}@11155111?value=12475000000000000`,
        finality: 'safe',
      }),
    },
  }),
  transactions: z.array(paymentTransaction),
  receipt: z
    .object({
      number: z.string().meta({ description: 'As printed on the receipt', example: 'R-1024' }),
      issuedAt: timestamp(),
    })
    .nullable()
    .meta({
      description:
        'Issued when the payment was first completed, with the next number of the merchant and mode; it stays when the ' +
        'payment is reversed or refunded. Null before, and for payments that are older than numbered receipts',
    }),
  receivedFiat: z
    .string()
    .nullable()
    .meta({
      description:
        'The received money at the locked rate, late money at the rate at receipt; null while one of these values is ' +
        'not known',
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
    sendId: z
      .string()
      .meta({ description: 'The send that pays it; see send-status', example: EXAMPLES.sendId }),
    coin: z.enum(COINS),
    refunded: z.string().meta({
      description: 'How much of the received money it refunds; with subtractFee this includes the fee',
      examples: ['0.00025'],
    }),
    amount: z.string().meta({ description: 'What the destination receives', example: '0.00025' }),
    fee: z.string().meta({ example: '0.00000282' }),
    maxFee: z.string().meta({ description: 'Fee budget of its send, in the coin', example: '0.00001' }),
    feeLimited: z.boolean().meta({
      description: 'The fee bump is on hold because it would exceed `maxFee`',
    }),
    fiatAmount: z
      .string()
      .nullable()
      .meta({
        description:
          'Refunded value in the payment’s currency: as ordered, or at the rate at receipt; null while that is not known',
        examples: ['12.50'],
      }),
    linkId: z
      .string()
      .nullable()
      .meta({ description: 'The refund link by which it was claimed', example: EXAMPLES.refundLinkId }),
    txHash: z.string().nullable().meta({
      description: 'Null while the refund is `preparing` or waits for an approval',
      example: EXAMPLES.txid,
    }),
    destination: z.string().meta({ example: EXAMPLES.address }),
    status: z.enum([...SEND_STATUSES, ...HELD_STATUSES]).meta({
      description:
        'A refund above a limit waits for an approval. A failed refund returned no money and is ignored in the totals',
    }),
    error: z.string().nullable().meta({ example: null }),
    expiresAt: timestamp()
      .nullable()
      .optional()
      .meta({ description: 'Until when a refund above a limit can be approved', example: null }),
    createdAt: timestamp(),
  })
  .meta({ id: 'Refund' });

/** One refund of a payment. */
export function refundSchema() {
  return refund;
}

const payment = payerFields
  .extend({
    customerId: z.string().nullable().meta({ description: 'Null: anonymous', example: EXAMPLES.customerId }),
    renews: z.string().optional().meta({
      description: 'The expired payment that this one replaces; absent if it replaces none',
      example: 'pay_5Rk0vXyLh3NbA7sE8ZtQ1mWc',
    }),
    renewedBy: z.string().optional().meta({
      description: 'The payment that replaced this one after it expired; absent if there is none',
      example: EXAMPLES.nextPaymentId,
    }),
    metadata: freeObject()
      .nullable()
      .meta({ example: { tableNumber: 7 } }),
    customFields: freeObject()
      .nullable()
      .meta({ example: { note: 'Gift wrapping' } }),
    webhookUrl: z
      .string()
      .nullable()
      .optional()
      .meta({ description: 'Absent without the scope `webhooks:read`', example: EXAMPLES.webhookUrl }),
    keptFiat: z
      .string()
      .nullable()
      .meta({
        description: '`receivedFiat` less the refunds, each at the value at which it was made',
        examples: ['49.90'],
      }),
    refunds: z.array(refund).meta({ description: 'Refunds made here, failed ones too, oldest first' }),
    timeline: z
      .array(
        z.object({
          type: z.string().meta({ example: 'payment.created' }),
          sequence: z.int().meta({ example: 3 }),
          at: timestamp(),
        }),
      )
      .meta({ description: 'The events of this payment, oldest first' }),
  })
  .meta({ id: 'Payment' });

/** The complete payment, as merchants read it and webhooks contain it. */
export function paymentSchema() {
  return payment;
}
