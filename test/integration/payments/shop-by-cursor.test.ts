/** A shop whose webhooks are all lost knows every payment from the events alone. */
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { LongPollWaiters } from '../../../src/usecases/webhooks/long-poll-waiters.ts';
import { longPollEvents } from '../../../src/usecases/webhooks/long-poll-events.ts';
import { cancelPayment, resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import type { Credit } from '../../../src/domain/chain.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed, type ScriptedChain } from '../../_helpers/scripted-chain.ts';

const PRICE = 50_000_000n;
const coin = fc.constantFrom('BTC' as const, 'LTC' as const);
const which = fc.nat({ max: 4 });
const step = fc.oneof(
  fc.record({ kind: fc.constant('order' as const) }),
  fc.record({ kind: fc.constant('see' as const), which, coin, percent: fc.constantFrom(40n, 100n, 130n) }),
  fc.record({ kind: fc.constant('replace' as const), coin }),
  fc.record({ kind: fc.constant('mine' as const), coin }),
  fc.record({ kind: fc.constant('reorg' as const), coin, depth: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ kind: fc.constant('wait' as const), minutes: fc.constantFrom(20, 70, 25 * 60) }),
  fc.record({
    kind: fc.constant('decide' as const),
    which,
    what: fc.constantFrom('cancel', 'accept', 'refunded'),
  }),
  fc.record({ kind: fc.constant('read' as const), limit: fc.integer({ min: 1, max: 5 }) }),
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

/** Keeps the newest payment of every event it reads, and nothing else. */
class CursorShop {
  readonly payments = new Map<string, PaymentView>();
  readonly types: string[] = [];
  #after = 0;
  readonly #world: PaymentWorld;

  constructor(world: PaymentWorld) {
    this.#world = world;
  }

  async read(limit: number): Promise<boolean> {
    const { events, nextAfter } = await longPollEvents(
      { db: this.#world.deps.db, waiters: new LongPollWaiters() },
      {
        merchantId: this.#world.wallet.merchant.id,
        after: this.#after,
        limit,
        waitMs: 0,
        clientGone: () => new AbortController().signal,
      },
    );
    for (const { type, data } of events) {
      const { payment } = data as { payment: PaymentView };
      this.payments.set(payment.id, payment);
      this.types.push(type);
    }
    this.#after = nextAfter;
    return events.length > 0;
  }
}

async function live(world: PaymentWorld, orders: PaymentView[], next: Step): Promise<void> {
  const { chains } = world;
  if (next.kind === 'order') orders.push(await world.order({ allowed: ['BTC', 'LTC'] }));
  if (next.kind === 'wait') world.advance(next.minutes * MINUTE);
  if (next.kind === 'see') {
    const payment = orders[next.which];
    const amount = (PRICE * next.percent) / 100n;
    if (payment !== undefined)
      chains[next.coin].unconfirmed.push(unconfirmed(creditTo(addressOf(payment, next.coin), amount)));
  }
  if (next.kind === 'replace') lose(chains[next.coin], chains[next.coin].unconfirmed.splice(-1));
  if (next.kind === 'mine') {
    chains[next.coin].mine(world.now(), chains[next.coin].unconfirmed.splice(0));
  }
  if (next.kind === 'reorg') {
    const chain = chains[next.coin];
    const depth = Math.min(next.depth, chain.blocks.length - 1);
    lose(chain, depth > 0 ? chain.blocks.slice(-depth).flatMap(({ credits }) => credits) : []);
    if (depth > 0) chain.drop(depth);
    for (let n = 0; n <= depth; n += 1) chain.mine(world.now());
  }
  if (next.kind === 'decide') await decide(world, orders[next.which], next.what);
  await world.poll();
  await world.expire();
}

/** The node says of these that they can never be mined any more. */
function lose(chain: ScriptedChain, credits: readonly Credit[]): void {
  for (const { ref } of credits) chain.fates.set(ref.txid, 'gone');
}

async function decide(world: PaymentWorld, payment: PaymentView | undefined, what: string): Promise<void> {
  if (payment === undefined) return;
  const at = { merchantId: world.wallet.merchant.id, paymentId: payment.id };
  const deps = { ...world.deps, wakeWebhooks: () => undefined };
  try {
    if (what === 'cancel') await cancelPayment(deps, at);
    else await resolvePayment(deps, at, what === 'accept' ? 'accept' : 'refunded');
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
  }
}

const told = ({ id, status, exception, orderId, timeline }: PaymentView) => ({
  id,
  status,
  exception,
  orderId,
  timeline,
});

it(
  'a shop that only reads events by cursor gets the same state of every payment as payment/get, after any sequence',
  { timeout: 300_000 },
  async () => {
    const met = new Set<string>();
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
        const world = await openPaymentWorld({ latePolicy: 'review' });
        try {
          const shop = new CursorShop(world);
          const orders: PaymentView[] = [];
          await world.poll();
          for (const next of [{ kind: 'order' as const }, ...steps]) {
            if (next.kind === 'read') await shop.read(next.limit);
            else await live(world, orders, next);
          }
          while (await shop.read(3));
          expect(shop.payments.size).toBe(orders.length);
          for (const order of orders) {
            expect(told(shop.payments.get(order.id)!)).toEqual(told(await world.payment(order)));
          }
          for (const type of shop.types) met.add(type);
        } finally {
          await world.close();
        }
      }),
      { numRuns: 60, seed: 17 },
    );
    for (const type of [
      'created',
      'confirming',
      'underpaid',
      'completed',
      'late',
      'expired',
      'cancelled',
      'reversed',
    ])
      expect(met).toContain(`payment.${type}`);
  },
);
