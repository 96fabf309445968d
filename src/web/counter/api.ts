import { BASE_PATH } from '../base-path.ts';
import type { Charge, CounterDay, CounterPayment } from './types.ts';

/** A request that the daemon did not fulfil. */
export class CallFailed extends Error {
  /** The code of the API; `OFFLINE` without an answer. */
  readonly code: string;
  /** The field that it blames; null: none. */
  readonly field: string | null;

  constructor(code: string, field: string | null = null) {
    super(code);
    this.code = code;
    this.field = field;
  }
}

const LIMIT_MS = 15_000;

interface Call {
  readonly token?: string;
  readonly body?: object;
  readonly idempotencyKey?: string;
}

interface Envelope {
  readonly data: unknown;
  readonly error: { readonly code: string; readonly details?: readonly { readonly field: string }[] } | null;
}

/** @throws {CallFailed} */
async function call<T>(
  method: 'GET' | 'POST',
  path: string,
  { token, body, idempotencyKey }: Call,
): Promise<T> {
  let answer: Envelope;
  try {
    const response = await fetch(BASE_PATH + path, {
      method,
      headers: {
        ...(token === undefined ? {} : { Authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...(idempotencyKey === undefined ? {} : { 'Idempotency-Key': idempotencyKey }),
      },
      credentials: 'omit',
      signal: AbortSignal.timeout(LIMIT_MS),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    answer = (await response.json()) as Envelope;
  } catch {
    // No connection, no answer in time, or the answer of something else in between.
    throw new CallFailed('OFFLINE');
  }
  if (answer.error !== null)
    throw new CallFailed(answer.error.code, answer.error.details?.[0]?.field ?? null);
  return answer.data as T;
}

export async function connectDevice(code: string): Promise<string> {
  return (await call<{ token: string }>('POST', '/counter/connect', { body: { code } })).token;
}

export async function readDay(token: string): Promise<CounterDay> {
  return call('GET', '/merchant/counter/day', { token });
}

export async function readPayment(token: string, id: string): Promise<CounterPayment> {
  return call('GET', `/merchant/counter/payment?payment=${encodeURIComponent(id)}`, { token });
}

/** @param idempotencyKey the same for a repeat of a charge without an answer: it creates no second payment */
export async function chargeCustomer(
  token: string,
  charge: Charge,
  idempotencyKey: string,
): Promise<CounterPayment> {
  return call('POST', '/merchant/counter/charge', { token, body: charge, idempotencyKey });
}
