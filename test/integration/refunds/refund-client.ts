import type { Coin } from '../../../src/domain/coins.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import type { ApiAnswer, ApiClient, PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';

export interface RefundJson {
  sendId: string;
  coin: Coin;
  refunded: string;
  amount: string;
  fee: string;
  fiatAmount: string | null;
  linkId: string | null;
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

export interface RefundLinkJson {
  id: string;
  paymentId: string;
  url: string;
  status: string;
  amount: string;
  currency: string;
  coinAmounts: Partial<Record<Coin, string>>;
  coin: Coin | null;
  destination: string | null;
  claimId: string | null;
  sendId: string | null;
  txHash: string | null;
  problem: string | null;
  expiresAt: string;
}

/** Sends the form of a link's page as a browser would, and answers the page or where it leads. */
export async function claimLink(
  api: ApiClient,
  url: string,
  fields: { coin: string; destination: string; step?: string },
): Promise<{ status: number; html: string; headers: Headers }> {
  const response = await fetch(api.baseUrl + new URL(url).pathname, {
    method: 'POST',
    redirect: 'manual',
    headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-language': 'en' },
    body: new URLSearchParams({ step: 'claim', ...fields }).toString(),
  });
  return { status: response.status, html: await response.text(), headers: response.headers };
}

/** The page of a link. */
export async function readLink(
  api: ApiClient,
  url: string,
  language = 'en',
): Promise<{ status: number; html: string; headers: Headers }> {
  const response = await fetch(`${api.baseUrl}${new URL(url).pathname}?lang=${language}`);
  return { status: response.status, html: await response.text(), headers: response.headers };
}
