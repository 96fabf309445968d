import type { z } from 'zod';
import { byCoin, COIN_DEFINITIONS, COINS } from '../../domain/coins.ts';

const BITCOIN = COIN_DEFINITIONS.BTC.example;

/** A PNG of one pixel, base64. */
const LOGO = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAIAAACQd1PeAAAADElEQVR42mPgzvMHAAFQAMmU6+maAAAAAElFTkSuQmCC';

/** Values that the examples of several fields share, so that one answer goes with the next. */
export const EXAMPLES = {
  userId: '0f4c2a52-1f6e-4c0e-9d2b-6a3f0b8f9c11',
  merchantId: '7b1d9e0c-52a4-4b7e-8f3a-2d5c9a6e1b40',
  customerId: 'cus_5LrRyo2k8hQmXv4TzN0aWb7C',
  productId: 'prod_1Hn6Vd0sKq3ZtY8uPbE4xM2j',
  priceId: 'price_9sXcW2fLk7RmQ0vTzA5nBh3D',
  paymentId: 'pay_8ZtQ1mWc5Rk0vXyLh3NbA7sE',
  nextPaymentId: 'pay_7Gd2cQnWb4TfX9pJ6YuK3sVe',
  paymentLinkId: 'plink_3Vq8ZtQ1mWc5Rk0vXyLh7NbA',
  counterId: 'ctr_7Rk2mW9xQp4Tz6Vb3Nc8Lh5D',
  subscriptionId: 'sub_6YuK3sVe7Gd2cQnWb4TfX9pJ',
  sendId: 'snd_2KfHw9TzLq4Xn7VbR0mCy5Pd',
  refundLinkId: 'rfl_7NbA2sE9cW5Rm0QpTj4UgDf8',
  claimId: 'rcl_Hc5sYp0D4VbNx7KqTz2RmLw9',
  deliveryId: 'dlv_Xv8TnL3bHc0sYp5A6QmWz1Rk',
  logId: 'whl_6QmWz1RkXv8TnL3bHc0sYp5A',
  eventId: 'evt_4VbNx7KqTz2RmLw9Hc5sYp0D',
  endpointId: 'whe_Tz2RmLw9Hc5sYp0D4VbNx7Kq',
  keyId: 'key_5sYp4VbNx7KqTz2D0RmLw9Hc',

  email: 'alice@example.com',
  password: 'correct horse battery staple',
  userToken: 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIwZjRjMmE1MiJ9.c2lnbmF0dXJl',
  mailedToken: 'Zk3vXyLh7NbA2sE9cW5Rm0QpTj4UgDf8',
  verificationToken: 'tv_Hc5sYp4VbNx7KqTz2D0RmLw9',
  publicKey: 'pk_4fJ8sKq3ZtY0uPbE7xM2jHn6Vd1sXcW9fLk5RmQvTzA',
  secretKey: 'sk_9sXcW2fLk7RmQ0vTzA5nBh3D8ZtQ1mWc6Rk4vXyLhNb',
  webhookSecret: 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD0kJ2uQ3m9cE=',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',

  shopName: 'Alice’s Coffee',
  webhookUrl: 'https://shop.example/webhooks/tilld',
  otherWebhookUrl: 'https://books.example/webhooks/tilld',
  returnUrl: 'https://shop.example/orders/{orderId}',
  logo: LOGO,

  address: BITCOIN.address,
  paymentUri: `bitcoin:${BITCOIN.address}?amount=0.000499`,
  txid: '4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b',
} as const;

/** An address of each coin. */
export const EXAMPLE_ADDRESSES = byCoin(COINS, (coin) => COIN_DEFINITIONS[coin].example.address);
/** A balance of each coin. */
export const EXAMPLE_BALANCES = byCoin(COINS, (coin) => COIN_DEFINITIONS[coin].example.balance);

/** The examples that the fields of an object have, for one of several such objects in an example. */
export function readExample(schema: z.ZodObject, others: Readonly<Record<string, unknown>> = {}): object {
  const fields = Object.entries(schema.shape as Record<string, z.ZodType>).map(([name, field]) => {
    const { example = field.meta()?.examples?.[0] } = field.meta() ?? {};
    return [name, example] as const;
  });
  return { ...Object.fromEntries(fields), ...others };
}
