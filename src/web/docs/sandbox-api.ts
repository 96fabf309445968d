import { PAGE_HEADERS } from '../page-headers.ts';
import { BASE_PATH } from '../base-path.ts';

const LIMIT_MS = 60_000;

/** The reason why an operation cannot be tried; for readers. */
export class NotNow extends Error {
  override name = 'NotNow';
}

export interface Shop {
  readonly id: string;
  readonly name: string;
}

interface Envelope {
  readonly success: boolean;
  readonly error: { readonly code: string; readonly message: string } | null;
  readonly data: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

/** Whether this browser is signed in to the dashboard. */
export async function isSignedIn(): Promise<boolean> {
  return (await ask('GET', '/auth/session')).status === 200;
}

/** One request as the signed-in user. */
export async function ask(method: string, path: string, body?: unknown): Promise<Answer> {
  const response = await fetch(BASE_PATH + path, {
    method,
    headers: {
      ...PAGE_HEADERS,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
    signal: AbortSignal.timeout(LIMIT_MS),
  }).catch(() => {
    throw new NotNow('The server does not answer.');
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return { status: response.status, body: isJson ? (JSON.parse(text) as unknown) : text };
}

async function getData<T>(path: string): Promise<T> {
  const { body } = await ask('GET', path);
  const { success, error, data } = body as Envelope;
  if (success) return data as T;
  throw new NotNow(
    error?.code === 'UNAUTHORISED'
      ? 'Your session has ended: sign in to the dashboard again.'
      : (error?.message ?? 'The server answered something else than the API.'),
  );
}

/** The shops of the user that are in sandbox mode now. */
export async function sandboxShops(): Promise<Shop[]> {
  const { merchants } = await getData<{ merchants: (Shop & { sandboxMode: boolean })[] }>('/merchant/list');
  return merchants.filter(({ sandboxMode }) => sandboxMode);
}

/** Rejects a shop that left the sandbox since, and a payment that is for real money or of another shop. */
export async function assertSandbox(shopId: string, paymentId: string | null): Promise<void> {
  const shops = await sandboxShops();
  if (!shops.some(({ id }) => id === shopId)) throw new NotNow('This shop is not in sandbox mode any more.');
  if (paymentId === null) return;
  const query = new URLSearchParams({ paymentId, merchantId: shopId });
  const { sandbox } = await getData<{ sandbox: boolean }>(`/payment/get?${query}`);
  if (!sandbox) throw new NotNow('This payment is for real money. Only sandbox payments can be tried here.');
}

/** The user's own values for the ids of the examples. */
export async function ownIds(shopId: string): Promise<Record<string, string>> {
  const query = new URLSearchParams({ merchantId: shopId, limit: '20' });
  const [{ payments }, { customers }] = await Promise.all([
    getData<{ payments: { id: string; sandbox: boolean }[] }>(`/payment/list?${query}`),
    getData<{ customers: { id: string }[] }>('/merchant/customer/list?limit=1'),
  ]);
  const payment = payments.find(({ sandbox }) => sandbox);
  const [customer] = customers;
  return {
    ...(payment === undefined ? {} : { paymentId: payment.id }),
    ...(customer === undefined ? {} : { customerId: customer.id }),
  };
}
