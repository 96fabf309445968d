/** The paid time, valued second by second at the price in effect, with the credit, is worth no more than the money. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { findPayment } from '../../../src/store/payments/payments.ts';
import { listInvoices, type StoredInvoice } from '../../../src/store/subscriptions/invoices.ts';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { toMoney } from '../../../src/usecases/invoices/index.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { loadPayment } from '../../../src/usecases/payments/index.ts';
import { creditSubscription } from '../../../src/usecases/subscriptions/credit-subscription.ts';
import { editSubscription } from '../../../src/usecases/subscriptions/edit-subscription.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

const UNIT = 700;
const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('edit' as const), quantity: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constantFrom('pay' as const, 'ahead' as const, 'excess' as const) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'part' as const,
        'refund' as const,
        'lose' as const,
        'credit' as const,
        'accept' as const,
        'pause' as const,
        'resume' as const,
      ),
    }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describe('any sequence of edits, payments, refunds, reversals, credit, pauses and days', () => {
  it('leaves paid time and credit that are worth no more than the money that is there and the credit that was given', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 8, maxLength: 30 }), async (steps) => {
        const world = await SubscriptionWorld.open();
        try {
          const { id, portalTokenSealed } = await world.subscribe(await world.price('7.00', 'weekly'));
          const books = new Books(world, { id, token: portalTokenSealed ?? '' });
          for (const made of steps) await books.take(made);
        } finally {
          await world.close();
        }
      }),
      { numRuns: 25 },
    );
  });
});

/** Keeps the price of each moment. Moments are counted without the time of pauses. */
class Books {
  readonly #world: SubscriptionWorld;
  readonly #id: string;
  readonly #token: string;
  readonly #prices: { at: number; price: number }[] = [{ at: 0, price: UNIT }];
  readonly #pauses: { at: number; length: number }[] = [];
  #pausedAt: number | null = null;
  #given = 0;
  /** By number of the invoice: the price that it asks for, which edit that was, and where the period begins. */
  readonly #quotes = new Map<number, { price: bigint; edit: number; begins: number }>();

  constructor(world: SubscriptionWorld, { id, token }: { id: string; token: string }) {
    this.#world = world;
    [this.#id, this.#token] = [id, token];
  }

  async take(made: Step): Promise<void> {
    await this.#act(made).catch((error: unknown) => {
      if (!(error instanceof Error) || !('code' in error)) throw error;
    });
    await this.#check();
  }

  async #act(made: Step): Promise<unknown> {
    const world = this.#world;
    const invoices = await world.invoices(this.#id);
    const last = invoices.filter(({ status, paymentId }) => status === 'paid' && paymentId).at(-1)?.paymentId;
    const open = (await world.read(this.#id)).openPaymentId;
    const shop = { merchantId: world.merchantId };
    switch (made.do) {
      case 'edit': {
        const merchant = await world.merchant();
        const { quantity } = made;
        await editSubscription(world.deps, { merchant, subscriptionId: this.#id, quantity });
        return this.#prices.push({ at: this.#moment(this.#now()), price: UNIT * quantity });
      }
      case 'pass':
        return world.pass(made.days);
      case 'ahead':
        return payAhead(world.deps, this.#token);
      case 'pay':
        return open === null ? null : world.send(open);
      case 'part':
        return open === null ? null : world.send(open, 3n);
      case 'excess':
        return last ? world.send(last) : null;
      case 'accept':
        return open === null ? null : resolvePayment(world.deps, { ...shop, paymentId: open }, 'accept');
      case 'refund':
        return last ? resolvePayment(world.deps, { ...shop, paymentId: last }, 'refunded') : null;
      case 'lose': {
        const known = last ? await world.payments.payment({ id: last }) : undefined;
        const lost = known?.transactions.find(({ status }) => status !== 'reversed');
        return lost === undefined ? null : world.lose(lost.txid);
      }
      case 'credit': {
        const credit = { subscriptionId: this.#id, amount: '5.00', isCorrection: false, note: null };
        await creditSubscription(world.deps, { ...shop, ...credit });
        return (this.#given += 500);
      }
      case 'pause':
        await world.act(this.#id, { type: 'pause', by: 'merchant' });
        return (this.#pausedAt = this.#now());
      case 'resume': {
        await world.act(this.#id, { type: 'resume', by: 'merchant' });
        const at = this.#pausedAt ?? 0;
        this.#pausedAt = null;
        return this.#pauses.push({
          at,
          length: (Math.ceil(this.#now() / 1000) - Math.ceil(at / 1000)) * 1000,
        });
      }
      default:
        throw new Error('unknown step');
    }
  }

  #now(): number {
    return this.#pausedAt ?? this.#world.payments.now();
  }

  /** A time without the pauses before it. */
  #moment(time: number): number {
    return this.#pauses.reduce((sum, { at, length }) => (at < time ? sum - length : sum), time);
  }

  async #check(): Promise<void> {
    const { deps } = this.#world;
    const { rows } = await listInvoices(deps.db, this.#id, { limit: 1_000, offset: 0 });
    this.#noteQuotes(rows);
    let worth = Number((await findSubscription(deps.db, this.#id))?.balanceMinor);
    let money = this.#given;
    for (const invoice of rows) {
      if (invoice.status === 'paid') worth += this.#value(invoice);
      // Balance that it has reserved.
      if (invoice.status === 'open') worth += Number(invoice.applied);
      const payment = invoice.paymentId === null ? undefined : await findPayment(deps.db, invoice.paymentId);
      if (payment !== undefined)
        money += Number(toMoney(payment, (await loadPayment(deps.db, deps, payment)).state).kept);
      // The shop went without the rest.
      if (payment?.acceptedAt) money += Number(invoice.price);
    }
    expect(worth).toBeLessThanOrEqual(money + 3 * rows.length);
  }

  /** An invoice that is quoted again asks for its whole period. One that moves takes the time of another one. */
  #noteQuotes(rows: readonly StoredInvoice[]): void {
    const before = [...this.#quotes.values()];
    for (const { n, price, periodStart } of rows) {
      const known = this.#quotes.get(n);
      const begins = this.#moment(periodStart);
      const place =
        known !== undefined && known.begins !== begins ? before.find((one) => one.begins === begins) : null;
      const edit = known?.price === price ? known.edit : this.#prices.length - 1;
      this.#quotes.set(n, { price, begins, edit: place?.edit ?? edit });
    }
  }

  /** The sum of the prices of its seconds. */
  #value({ n, periodStart, periodEnd }: StoredInvoice): number {
    const [from, until] = [this.#moment(periodStart), this.#moment(periodEnd)];
    const quoted = this.#quotes.get(n)?.edit ?? 0;
    let value = 0;
    for (const [index, { at, price }] of this.#prices.entries()) {
      const end = this.#prices[index + 1]?.at ?? Infinity;
      if (index < quoted) continue;
      const begin = index === quoted ? from : Math.max(at, from);
      value += (price * Math.max(0, Math.min(end, until) - begin)) / (until - from);
    }
    return value;
  }
}
