import { randomBytes } from 'node:crypto';
import { z } from 'zod';
import { RefusedError, type ShopApi } from './shop-api.ts';

const EMAIL = 'listen@example.com';

/** The scenario of a payment that triggers an event; null: its creation is enough. */
const SCENARIOS = {
  'payment.created': null,
  'payment.confirming': 'exact',
  'payment.completed': 'exact',
  'payment.underpaid': 'underpay',
  'payment.overpaid': 'overpay',
  'payment.late': 'late',
  'payment.reversed': 'double-spend',
  'payment.cancelled': 'cancel',
} as const;

type Triggerable = keyof typeof SCENARIOS;
export const TRIGGERABLE = Object.keys(SCENARIOS) as readonly Triggerable[];

export function isTriggerable(type: string): type is Triggerable {
  return Object.hasOwn(SCENARIOS, type);
}

const withId = z.object({ id: z.string() });

/**
 * Creates a payment in the sandbox and triggers this event; returns its id.
 * @throws {RefusedError}
 */
export async function triggerEvent(api: ShopApi, type: Triggerable): Promise<string> {
  const orderId = `listen-${randomBytes(6).toString('hex')}`;
  const body = { amount: '20', currency: 'USD', orderId, customerId: await customerId(api) };
  const payment = await api.ask('POST', '/payment/create', {
    schema: withId.extend({ sandbox: z.boolean() }),
    body,
  });
  const paymentId = payment.id;
  const scenario = SCENARIOS[type];
  if (scenario === 'cancel' || !payment.sandbox) {
    await api.ask('POST', '/payment/cancel', { schema: z.unknown(), body: { paymentId } });
  }
  if (!payment.sandbox) {
    throw new Error(`the shop is not in sandbox mode: payment ${paymentId} was cancelled`);
  }
  if (scenario !== null && scenario !== 'cancel') {
    await api.ask('POST', '/sandbox/payment/simulate', {
      schema: z.unknown(),
      body: { paymentId, scenario },
    });
  }
  return paymentId;
}

async function customerId(api: ShopApi): Promise<string> {
  const customers = z.object({ customers: z.array(withId) });
  try {
    const body = { email: EMAIL };
    return (await api.ask('POST', '/merchant/customer/create', { schema: withId, body })).id;
  } catch (error) {
    if (!(error instanceof RefusedError) || error.code !== 'DUPLICATE_ENTRY') throw error;
    const path = `/merchant/customer/list?search=${encodeURIComponent(EMAIL)}`;
    const found = await api.ask('GET', path, { schema: customers });
    const [first] = found.customers;
    if (first === undefined) throw error;
    return first.id;
  }
}
