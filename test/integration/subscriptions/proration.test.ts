/** Proration: another price or quantity counts for the rest of the paid periods, and money that is gone takes it back. */
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { listInvoices } from '../../../src/store/subscriptions/invoices.ts';
import { findSubscription } from '../../../src/store/subscriptions/subscriptions.ts';
import { resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { payAhead } from '../../../src/usecases/subscriptions/pay-ahead.ts';
import { readPortal } from '../../../src/usecases/subscriptions/read-portal.ts';
import { SubscriptionWorld } from '../../_helpers/subscription-world.ts';

const DAY = 86_400_000;
let world: SubscriptionWorld;
beforeEach(async () => {
  world = await SubscriptionWorld.open();
});
afterEach(async () => world.close());

/** Positive is credit, negative a debt, in minor units. */
const balance = async (id: string): Promise<number> =>
  Number((await findSubscription(world.deps.db, id))?.balanceMinor);
const shown = async (id: string): Promise<string[]> =>
  (await world.invoices(id)).map(({ n, due, prorated, status }) => `${n}: ${due} ${prorated} ${status}`);
const refund = async (paymentId: string): Promise<unknown> =>
  resolvePayment(world.deps, { merchantId: world.merchantId, paymentId }, 'refunded');
const txid = async (paymentId: string): Promise<string> =>
  (await world.payments.payment({ id: paymentId })).transactions[0]?.txid ?? '';
const activeUntil = async (id: string): Promise<number> =>
  Date.parse((await world.read(id)).activeUntil ?? '');

/** A subscription of ten units at 10 dollars, whose first month is paid before it begins: nothing of it is used. */
async function paidInTrial(quantity = 10): Promise<{ id: string; token: string; first: string }> {
  const { id, portalTokenSealed } = await world.subscribe(await world.price('10.00'), {
    trialDays: 14,
    quantity,
  });
  const token = portalTokenSealed ?? '';
  await payAhead(world.deps, token);
  return { id, token, first: await world.pay(id) };
}

describe('a lower quantity in a paid period', () => {
  it('is credit for the next invoices, and a refund of the whole period takes it back', async () => {
    const { id, first } = await paidInTrial();
    await world.edit(id, { quantity: 1 });
    expect(await balance(id)).toBe(9_000);
    expect(await shown(id)).toEqual(['0: 100 90 paid']);
    await refund(first);
    expect(await balance(id)).toBe(0);
    expect(await shown(id)).toEqual(['0: 100 0 void']);
  });

  it('pays later periods by credit, until the money of the first period is reversed', async () => {
    const { id, token, first } = await paidInTrial();
    await world.edit(id, { quantity: 1 });
    for (let n = 1; n <= 3; n += 1) await payAhead(world.deps, token);
    expect(await shown(id)).toEqual(['0: 100 90 paid', '1: 0 0 paid', '2: 0 0 paid', '3: 0 0 paid']);
    expect(await balance(id)).toBe(6_000);
    await world.lose(await txid(first));
    expect(await balance(id)).toBe(0);
    expect((await shown(id)).slice(1)).toEqual(['1: 0 0 void', '2: 0 0 void', '3: 0 0 void']);
    // And they do not return by themselves once the money is there again.
    await world.send(first);
    expect((await shown(id))[0]).toBe('0: 100 90 paid');
    expect(await balance(id)).toBe(9_000);
  });
});

describe('credit that is gone', () => {
  it('takes back as many periods as its amount needs, at their present price', async () => {
    const { id, token, first } = await paidInTrial();
    await world.credit(id, '300');
    for (let n = 1; n <= 3; n += 1) await payAhead(world.deps, token);
    await world.edit(id, { quantity: 1 });
    await world.credit(id, '360', true);
    expect(await balance(id)).toBe(0);
    await world.lose(await txid(first));
    expect(await shown(id)).toEqual(['0: 100 0 open', '1: 0 0 void', '2: 0 0 void', '3: 0 0 void']);
    expect(await balance(id)).toBe(-6_000);
  });
});

describe('an edit during a pause', () => {
  it('counts for the time that was left when the pause began', async () => {
    const { id } = await paidInTrial();
    await world.pass(20);
    await world.act(id, { type: 'pause', by: 'merchant' });
    await world.pass(12);
    const { currentPeriodStart, currentPeriodEnd } = await world.read(id);
    const days = (Date.parse(currentPeriodEnd) - Date.parse(currentPeriodStart)) / DAY;
    await world.edit(id, { quantity: 1 });
    // Six days of the period were used.
    const expected = (9_000 * (days - 6)) / days;
    expect(Math.abs((await balance(id)) - expected)).toBeLessThan(1);
    await world.pass(100);
    await world.act(id, { type: 'resume', by: 'merchant' });
    await world.edit(id, { quantity: 10 });
    expect(Math.abs(await balance(id))).toBeLessThanOrEqual(1);
  });
});

describe('a higher quantity in a paid period', () => {
  it('is charged by the next invoice', async () => {
    const { id, token } = await paidInTrial(1);
    await world.edit(id, { quantity: 3 });
    expect(await balance(id)).toBe(-2_000);
    expect((await world.read(id)).credit).toBe('0');
    await payAhead(world.deps, token);
    expect(await shown(id)).toEqual(['0: 10 -20 paid', '1: 50 0 open']);
    await world.pay(id);
    expect(await balance(id)).toBe(0);
  });

  it('is charged by an open invoice without money', async () => {
    const { id, token } = await paidInTrial(1);
    await payAhead(world.deps, token);
    await world.edit(id, { quantity: 3 });
    expect(await shown(id)).toEqual(['0: 10 -20 paid', '1: 50 0 open']);
    await world.edit(id, { quantity: 1 });
    expect(await shown(id)).toEqual(['0: 10 0 paid', '1: 10 0 open']);
  });

  it('takes back the periods that credit paid, the last one first', async () => {
    const { id, token } = await paidInTrial();
    await world.edit(id, { quantity: 1 });
    for (let n = 1; n <= 9; n += 1) await payAhead(world.deps, token);
    expect(await balance(id)).toBe(0);
    const long = await activeUntil(id);
    await world.edit(id, { quantity: 10 });
    expect(await balance(id)).toBe(0);
    expect((await shown(id)).filter((line) => line.endsWith('paid'))).toEqual(['0: 100 0 paid']);
    expect(long - (await activeUntil(id))).toBeGreaterThan(8 * 28 * DAY);
  });

  it('is not owed after the whole period was refunded', async () => {
    const { id, first } = await paidInTrial(1);
    await world.edit(id, { quantity: 3 });
    await refund(first);
    expect(await balance(id)).toBe(0);
  });
});

describe('another interval', () => {
  it('leaves the paid periods at their own price, until the subscription has their interval again', async () => {
    const { id } = await paidInTrial();
    await world.edit(id, { quantity: 1 });
    expect(await balance(id)).toBe(9_000);
    const monthly = (await findSubscription(world.deps.db, id))?.priceId ?? '';
    await world.edit(id, { priceId: await world.price('100.00', 'yearly') });
    expect(await balance(id)).toBe(0);
    await world.edit(id, { quantity: 7 });
    expect(await balance(id)).toBe(0);
    await world.edit(id, { priceId: monthly, quantity: 2 });
    expect(await balance(id)).toBe(8_000);
  });

  it('and a higher quantity leave a debt once the subscription has the former interval again', async () => {
    const { id } = await paidInTrial(1);
    const monthly = (await findSubscription(world.deps.db, id))?.priceId ?? '';
    await world.edit(id, { priceId: await world.price('100.00', 'yearly'), quantity: 100 });
    expect(await balance(id)).toBe(0);
    await world.edit(id, { priceId: monthly });
    expect(await balance(id)).toBe(-99_000);
  });
});

describe('the page of the payer', () => {
  it('shows each invoice with its original amount', async () => {
    const { id, token } = await paidInTrial();
    await world.edit(id, { quantity: 1 });
    const page = await readPortal(world.deps, token);
    expect(page.invoices.map(({ amount }) => amount)).toEqual(['100']);
    expect((await world.read(id)).credit).toBe('90');
  });
});

const step = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({ do: fc.constant('edit' as const), quantity: fc.integer({ min: 1, max: 9 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('pass' as const), days: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom('pay' as const, 'ahead' as const, 'refund' as const, 'lose' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('pause' as const, 'resume' as const, 'yearly' as const) }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

describe('any sequence of edits, payments, refunds, reversals, pauses and days', () => {
  it('leaves in the balance exactly what invoices have made and used, and no credit beyond the money that is there', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 25 }), async (steps) => {
        await using fresh = await Playing.start();
        for (const made of steps) await fresh.take(made);
      }),
      { numRuns: 25 },
    );
  });
});

/** A subscription with random acts; those that its state forbids change nothing. */
class Playing {
  readonly #world: SubscriptionWorld;
  readonly #id: string;
  readonly #token: string;
  readonly #yearly: string;

  private constructor(at: SubscriptionWorld, made: { id: string; token: string; yearly: string }) {
    this.#world = at;
    ({ id: this.#id, token: this.#token, yearly: this.#yearly } = made);
  }

  static async start(): Promise<Playing> {
    const at = await SubscriptionWorld.open();
    const { id, portalTokenSealed } = await at.subscribe(await at.price('7.00'), { quantity: 3 });
    return new Playing(at, {
      id,
      token: portalTokenSealed ?? '',
      yearly: await at.price('70.00', 'yearly'),
    });
  }

  async take(made: Step): Promise<void> {
    await this.#act(made).catch((error: unknown) => {
      if (!(error instanceof Error) || !('code' in error)) throw error;
    });
    await this.#check();
  }

  async #act(made: Step): Promise<unknown> {
    const at = this.#world;
    const paid = (await at.invoices(this.#id)).filter(
      ({ status, paymentId }) => status === 'paid' && paymentId,
    );
    const last = paid.at(-1)?.paymentId ?? null;
    switch (made.do) {
      case 'edit':
        return at.edit(this.#id, { quantity: made.quantity });
      case 'yearly':
        return at.edit(this.#id, { priceId: this.#yearly });
      case 'pass':
        return at.pass(made.days);
      case 'pay':
        return (await at.read(this.#id)).openPaymentId === null ? null : at.pay(this.#id);
      case 'ahead':
        return payAhead(at.deps, this.#token);
      case 'refund':
        return last === null
          ? null
          : resolvePayment(at.deps, { merchantId: at.merchantId, paymentId: last }, 'refunded');
      case 'lose': {
        const known = last === null ? undefined : await at.payments.payment({ id: last });
        const lost = known?.transactions.find(({ status }) => status !== 'reversed');
        return lost === undefined ? null : at.lose(lost.txid);
      }
      case 'pause':
      case 'resume':
        return at.act(this.#id, { type: made.do, by: 'merchant' });
      default:
        throw new Error('unknown step');
    }
  }

  async #check(): Promise<void> {
    const { db } = this.#world.deps;
    const { rows } = await listInvoices(db, this.#id, { limit: 1_000, offset: 0 });
    const row = await findSubscription(db, this.#id);
    let expected = 0n;
    for (const { status, paidAt, applied, credited, prorated, price } of rows) {
      // A period that was refunded as a whole keeps the credit that it used, and returns a debt that it asked for; one
      // that was never paid returns both.
      const isUsed = status !== 'void' || (paidAt !== null && applied > 0n);
      expected += credited + prorated - (isUsed ? applied : 0n);
      if (status !== 'paid') expect(prorated).toBe(0n);
      expect(prorated <= price).toBe(true);
    }
    expect(BigInt(row?.balanceMinor ?? 0)).toBe(expected);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world.close();
  }
}
