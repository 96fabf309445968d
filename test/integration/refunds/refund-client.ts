import type { Coin } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import type { ApiAnswer, PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';

export interface RefundJson {
  sendId: string;
  coin: Coin;
  refunded: string;
  amount: string;
  fee: string;
  txHash: string;
  destination: string;
  status: string;
  error: string | null;
}

export interface RefundedPaymentJson extends PaymentJson {
  refunds: RefundJson[];
  refund: RefundJson;
}

export async function refund(
  shop: Shop,
  body: Record<string, unknown>,
  options: { key?: string; token?: string } = {},
): Promise<ApiAnswer<RefundedPaymentJson>> {
  return shop.api.call<RefundedPaymentJson>('POST', '/payment/refund', {
    token: options.token ?? shop.secretKey,
    body,
    ...(options.key === undefined ? {} : { headers: { 'idempotency-key': options.key } }),
  });
}

export async function read(shop: Shop, payment: { id: string }): Promise<RefundedPaymentJson> {
  return (await shop.payment(payment.id)) as RefundedPaymentJson;
}

export async function paymentThat(
  shop: Shop,
  payment: { id: string },
  what: string,
  satisfies: (now: RefundedPaymentJson) => boolean,
): Promise<RefundedPaymentJson> {
  return eventually(`payment ${what}`, async () => read(shop, payment), satisfies);
}

export function atoms(text: string, coin: Coin): bigint {
  return parseCoinAmount(text, coin);
}

export function eventsOf(payment: PaymentJson): string[] {
  return payment.timeline.map(({ type }) => type.replace('payment.', ''));
}
