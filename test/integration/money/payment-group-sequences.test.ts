/**
 * Random lives of orders that are renewed up to four times, with money on any of their payments at any time, forks, double
 * spends and a clock that is set. `GROUP_LIVES=2000` plays more of them.
 */
import fc from 'fast-check';
import { sql, type Kysely } from 'kysely';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { paymentAttention } from '../../../src/domain/attention.ts';
import { outputKey } from '../../../src/domain/chain.ts';
import { COINS } from '../../../src/domain/coins.ts';
import { AppError } from '../../../src/domain/errors.ts';
import { liveCredits } from '../../../src/domain/payment/credits.ts';
import { requiredDepths } from '../../../src/domain/payment/depth.ts';
import { remainingRefundable } from '../../../src/domain/payment/remaining-refundable.ts';
import { deriveStatus, isPayable } from '../../../src/domain/payment/status.ts';
import type { PaymentState } from '../../../src/domain/payment/types.ts';
import { countWaitingPayments, listWaitingPayments } from '../../../src/store/attention/waiting-payments.ts';
import { up as markMoneyAfterRefund } from '../../../src/store/schema/migrations/0128-money-after-refund.ts';
import type { StoredOutput } from '../../../src/store/ledger/outputs.ts';
import { awaitedDepth } from '../../../src/store/payments/payments-with-money.ts';
import { findPayment } from '../../../src/store/payments/payments.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { cancelPayment, resolvePayment } from '../../../src/usecases/payments/decide-payment.ts';
import { loadPayment, type LoadedPayment } from '../../../src/usecases/payments/load-payment.ts';
import { updatePayment } from '../../../src/usecases/payments/update-payment.ts';
import type { PaymentView } from '../../../src/usecases/payments/present-payment.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { openGroupWorld, PRICE, type GroupWorld } from '../../_helpers/payment-group-world.ts';
import { addressOf, MINUTE } from '../../_helpers/payment-world.ts';
import { creditTo, unconfirmed } from '../../_helpers/scripted-chain.ts';
import { volumeByPayments } from '../../_helpers/volume-by-payments.ts';
import { SECRET_KEY } from '../../_helpers/secret-key.ts';

const LIVES = Number(process.env['GROUP_LIVES'] ?? 100);
const MOST_PAYMENTS = 5;
const DEEP_CONFIRMATIONS = 5;
/** Lives in one database. */
const PER_WORLD = 100;

const member = fc.nat(MOST_PAYMENTS - 1);
const coin = fc.constantFrom('BTC', 'LTC');
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ does: fc.constant('renew'), member }) },
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('pay'),
      member,
      coin,
      quarters: fc.constantFrom(1n, 2n, 4n, 8n),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({ does: fc.constant('mine'), coin, blocks: fc.integer({ min: 1, max: 3 }) }),
  },
  { weight: 2, arbitrary: fc.record({ does: fc.constant('doubleSpend'), coin }) },
  {
    weight: 2,
    arbitrary: fc.record({
      does: fc.constant('fork'),
      coin,
      depth: fc.integer({ min: 1, max: 3 }),
      returns: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ does: fc.constant('wait'), minutes: fc.constantFrom(1, 20, 61, 61, -10, 1_500) }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constant('cancel'), member }) },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('update'),
      member,
      amount: fc.constantFrom('25.00', '75.00', '500.00'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ does: fc.constantFrom('accept', 'refunded'), member }) },
  // With the tiers of the setting as it is then.
  {
    weight: 2,
    arbitrary: fc.record({ does: fc.constant('restart'), deepFrom: fc.constantFrom(null, 1n, 3n, 6n) }),
  },
);
const life = fc.record({
  /** What the shop wants done with late money. */
  latePolicy: fc.constantFrom('accept', 'accept', 'review'),
  /** Renewals before anything else happens, each after the end of the one before it. */
  renewals: fc.nat(MOST_PAYMENTS - 1),
  steps: fc.array(step, { minLength: 3, maxLength: 20 }),
});
/** Always played first: money of an accepted payment whose tier a restart raises. */
const RAISED_TIER = {
  latePolicy: 'accept' as const,
  renewals: 0,
  steps: [
    { does: 'pay' as const, member: 0, coin: 'LTC' as const, quarters: 4n as const },
    { does: 'update' as const, member: 0, amount: '75.00' as const },
    { does: 'mine' as const, coin: 'LTC' as const, blocks: 3 },
    { does: 'accept' as const, member: 0 },
    { does: 'restart' as const, deepFrom: 3n as const },
  ],
};
/** Money after a refund elsewhere, and a fork that drops it. */
const PAID_AFTER_REFUND = {
  latePolicy: 'review' as const,
  renewals: 1,
  steps: [
    { does: 'pay' as const, member: 1, coin: 'BTC' as const, quarters: 4n as const },
    { does: 'mine' as const, coin: 'BTC' as const, blocks: 3 },
    { does: 'refunded' as const, member: 1 },
    { does: 'pay' as const, member: 0, coin: 'LTC' as const, quarters: 2n as const },
    { does: 'mine' as const, coin: 'LTC' as const, blocks: 2 },
    { does: 'fork' as const, coin: 'LTC' as const, depth: 2, returns: false },
  ],
};
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;
type Chain = 'BTC' | 'LTC';

let group: GroupWorld;
let lives = 0;
beforeAll(async () => {
  group = await openGroupWorld();
});
afterAll(async () => endWorld());

async function endWorld(): Promise<void> {
  const { world } = group;
  await expectBooksToAgree(world.deps.db);
  const { id: merchantId } = world.wallet.merchant;
  const filter = { merchantId, mode: 'live' as const, fromMs: 0, beforeMs: 2 * world.now() };
  const [kept, added] = [
    await sumVolume(world.deps.db, filter),
    await volumeByPayments(world.deps.db, filter),
  ];
  expect([new Set(kept.coins), new Set(kept.fiat)]).toEqual([new Set(added.coins), new Set(added.fiat)]);
  await expectSameAfterMigration();
  await world.close();
}

/** The migration finds the same money after refunds as the daemon did. */
async function expectSameAfterMigration(): Promise<void> {
  const { db } = group.world.deps;
  const marked = async () =>
    db.selectFrom('payments').select('id').where('hasMoneyAfterRefund', '=', true).orderBy('id').execute();
  const stored = await marked();
  await sql`DROP INDEX payments_waiting`.execute(db);
  await sql`ALTER TABLE payments DROP COLUMN has_money_after_refund`.execute(db);
  await sql`CREATE INDEX payments_waiting ON payments (merchant_id)`.execute(db);
  await markMoneyAfterRefund(db as unknown as Kysely<unknown>);
  expect(await marked()).toEqual(stored);
}

/** Money in a block that is not settled is read again in every block up to its depth. */
function expectDepthsStored(outputs: readonly StoredOutput[], state: PaymentState): void {
  const depths = requiredDepths(state);
  for (const credit of liveCredits(state)) {
    if (credit.state !== 'confirmed' || depths.isSettled(credit)) continue;
    const stored = outputs.find(
      ({ txid, vout }) => outputKey({ txid, index: vout }) === outputKey(credit.ref),
    );
    expect(stored?.awaitedDepth).toBe(awaitedDepth(depths, credit));
  }
}

/** Each payment that waits for a decision is listed exactly once, and no other one. */
async function expectAttention(loaded: readonly LoadedPayment[]): Promise<void> {
  const { db } = group.world.deps;
  const shop = { merchantId: group.world.wallet.merchant.id, mode: 'live' as const };
  const listed = await listWaitingPayments(db, shop, { limit: 10_000 });
  const waiting = loaded.filter(({ row, state }) => {
    const isRefunded = row.status === 'refunded';
    const hasMoneyAfterRefund =
      isRefunded && COINS.some((each) => remainingRefundable(state, each, { mayWait: true }).atoms > 0n);
    expect(row.hasMoneyAfterRefund).toBe(hasMoneyAfterRefund);
    return paymentAttention({ ...row, hasMoneyAfterRefund }) !== null;
  });
  const ids = new Set(loaded.map(({ row }) => row.id));
  const own = listed.map(({ id }) => id).filter((id) => ids.has(id));
  expect(own.toSorted()).toEqual(waiting.map(({ row }) => row.id).toSorted());
  expect(await countWaitingPayments(db, shop)).toBe(listed.length);
}

/** One order from its first payment on. */
class Life {
  readonly payments: PaymentView[] = [];
  /** Whether any of its money was ever seen alive. */
  wasPaid = false;
  readonly #mempool = { BTC: [] as ReturnType<typeof creditTo>[], LTC: [] as ReturnType<typeof creditTo>[] };

  async begin(renewals: number): Promise<void> {
    this.payments.push(await group.world.order({ allowed: ['BTC', 'LTC'] }));
    for (let place = 0; place < renewals; place += 1) {
      await group.runOut();
      await this.#renew(this.#at(place));
    }
  }

  async play(next: Step): Promise<void> {
    try {
      await this.#step(next);
    } catch (error) {
      // What the state of a payment forbids is refused; anything else is a failure.
      if (!(error instanceof AppError) || error.code !== 'INVALID_STATE') throw error;
    }
    await this.#look();
  }

  #at(place: number): PaymentView {
    const payment = this.payments[place % this.payments.length];
    if (payment === undefined) throw new Error('a life begins with a payment');
    return payment;
  }

  async #step(next: Step): Promise<void> {
    const { world } = group;
    if ('quarters' in next) {
      const address = addressOf(this.#at(next.member), next.coin);
      this.#mempool[next.coin].push(creditTo(address, (PRICE / 4n) * next.quarters));
    } else if ('blocks' in next) this.#mine(next.coin, next.blocks);
    else if ('depth' in next) this.#fork(next.coin, next);
    else if ('minutes' in next) world.advance(next.minutes * MINUTE);
    else if ('amount' in next) await this.#update(this.#at(next.member), next.amount);
    else if (next.does === 'doubleSpend' && 'coin' in next) this.#doubleSpend(next.coin);
    else if ('deepFrom' in next) this.#restart(next.deepFrom);
    else if ('member' in next) await this.#decide(next.does, this.#at(next.member));
  }

  async #decide(does: string, payment: PaymentView): Promise<void> {
    if (does === 'renew') await this.#renew(payment);
    else if (does === 'cancel') await cancelPayment(group.world.deps, group.at(payment.id));
    else {
      const action = does === 'refunded' ? 'refunded' : 'accept';
      await resolvePayment(group.world.deps, group.at(payment.id), action);
    }
  }

  async #renew(payment: PaymentView): Promise<void> {
    if (this.payments.length === MOST_PAYMENTS) return;
    const asked = await Promise.all([group.tryRenew(payment), group.tryRenew(payment)]);
    expect(asked[0]).toBe(asked[1]);
    const [id] = asked;
    if (id === null || this.payments.some((known) => known.id === id)) return;
    expect(this.wasPaid).toBe(false);
    this.payments.push(await group.world.payment({ id }));
  }

  async #update({ id }: PaymentView, amount: string): Promise<void> {
    const merchant = await group.world.deps.db.selectFrom('merchants').selectAll().executeTakeFirstOrThrow();
    await updatePayment(group.world.deps, { merchant, actor: SECRET_KEY, paymentId: id, amount });
  }

  /** @param deepFrom quarters of the first price that wait for more confirmations */
  #restart(deepFrom: bigint | null): void {
    const { world } = group;
    const tiers =
      deepFrom === null ? [] : [{ fromAtoms: (PRICE / 4n) * deepFrom, confirmations: DEEP_CONFIRMATIONS }];
    Object.assign(world.deps, { confirmations: () => ({ base: 2, tiers }) });
    world.restart();
  }

  #mine(chain: Chain, blocks: number): void {
    const { world } = group;
    world.chains[chain].mine(world.now(), this.#mempool[chain].splice(0));
    for (let block = 1; block < blocks; block += 1) world.chains[chain].mine(world.now());
  }

  #doubleSpend(chain: Chain): void {
    for (const { ref } of this.#mempool[chain].splice(0))
      group.world.chains[chain].fates.set(ref.txid, 'gone');
  }

  #fork(chain: Chain, { depth, returns }: { readonly depth: number; readonly returns: boolean }): void {
    const scripted = group.world.chains[chain];
    const dropped = Math.min(depth, scripted.blocks.length - 1);
    if (dropped === 0) return;
    const lost = scripted.blocks.slice(-dropped).flatMap(({ credits }) => credits);
    scripted.drop(dropped);
    const own = new Set(this.payments.map((payment) => addressOf(payment, chain)));
    for (const credit of lost) {
      if (returns || !own.has(credit.watchKey)) this.#mempool[chain].push(credit);
      else scripted.fates.set(credit.ref.txid, 'gone');
    }
    for (let block = 0; block <= dropped; block += 1) scripted.mine(group.world.now());
  }

  async #look(): Promise<void> {
    const { world } = group;
    for (const chain of ['BTC', 'LTC'] as const) {
      world.chains[chain].unconfirmed = this.#mempool[chain].map((credit) => unconfirmed(credit));
    }
    await world.poll();
    world.advance(MINUTE);
    await world.poll();
    await world.expire();
    this.wasPaid ||= (await this.#outputs()).some(({ state }) => state !== 'gone');
    await this.check();
  }

  async #outputs() {
    const ids = this.payments.map(({ id }) => id);
    return group.world.deps.db.selectFrom('outputs').selectAll().where('paymentId', 'in', ids).execute();
  }

  async check(): Promise<void> {
    const { db } = group.world.deps;
    const views: PaymentView[] = [];
    const payments: LoadedPayment[] = [];
    const counted: string[] = [];
    for (const { id } of this.payments) {
      views.push(await group.world.payment({ id }));
      const payment = await loadPayment(db, group.world.deps, (await findPayment(db, id))!);
      const { state } = payment;
      payments.push(payment);
      for (const { ref, state: now } of state.credits) if (now !== 'gone') counted.push(ref.txid);
      // What was stored of it is what its money says: nothing came past its balance.
      expect(deriveStatus(state)).toMatchObject({ status: state.status, exception: state.exception });
      expectDepthsStored(await this.#outputs(), state);
    }
    await expectAttention(payments);
    const asking = views.filter(isPayable);
    expect(asking.length).toBeLessThan(2);
    const live = (await this.#outputs()).filter(({ state }) => state !== 'gone').map(({ txid }) => txid);
    expect(counted.toSorted()).toEqual(live.toSorted());
    await this.#checkLead(views);
    await this.#checkEvents(views);
  }

  async #checkLead(views: readonly PaymentView[]): Promise<void> {
    const leads = new Set(views.flatMap(({ supersededBy: lead }) => (lead === undefined ? [] : [lead])));
    const superseded = views.filter(({ supersededBy: lead }) => lead !== undefined);
    expect(leads.size).toBe(this.wasPaid && views.length > 1 ? 1 : 0);
    expect(superseded).toHaveLength(leads.size === 0 ? 0 : views.length - 1);
    for (const { id, status, transactions } of superseded) {
      expect([leads.has(id), status, transactions]).toEqual([false, 'cancelled', []]);
    }
    const newest = views.at(-1)!;
    if (leads.size > 0) expect([...leads]).toEqual([newest.id]);
    await this.#checkPrice(newest);
  }

  /** The price of the newest counts, and its payer is asked as long as it is open and anything is missing. */
  async #checkPrice({ id, status, exception, receivedFiat, amount }: PaymentView): Promise<void> {
    const { acceptedAt, ...row } = (await findPayment(group.world.deps.db, id))!;
    const isShort = Number(receivedFiat) < Number(amount) * (1 - row.toleranceBps / 10_000);
    if (!isShort || acceptedAt !== null || status === 'refunded') return;
    const isOpen = row.closedAt === null && row.cancelledAt === null;
    const expected = isOpen
      ? ['pending', 'underpaid']
      : ['expired', 'cancelled', 'failed', 'underpaid', 'pending'];
    expect(expected).toContain(status);
    if (isOpen) expect([null, 'reversed']).toContain(exception);
  }

  async #checkEvents(views: readonly PaymentView[]): Promise<void> {
    const events = await group.told(...views);
    for (const [place, { supersededBy: lead }] of views.entries()) {
      const told = events.filter((event) => event === `P${place + 1} superseded`);
      expect(told).toHaveLength(lead === undefined ? 0 : 1);
    }
    const types = events.map((event) => event.split(' ')[1]);
    const completed = types.indexOf('completed');
    if (completed === -1) return;
    expect(types.slice(completed)).not.toContain('expired');
    const isReversed = types.lastIndexOf('reversed') > types.lastIndexOf('completed');
    const ended = views.filter(({ status }) => status === 'completed' || status === 'refunded');
    expect(ended).toHaveLength(isReversed ? ended.length : 1);
  }
}

it(
  `the payments of one order request its price once, count its money once and end once, in ${LIVES} random sequences`,
  { timeout: 60_000 + 2_000 * LIVES },
  async () => {
    await fc.assert(
      fc.asyncProperty(life, async ({ latePolicy, renewals, steps }) => {
        lives += 1;
        if (lives % PER_WORLD === 0) {
          await endWorld();
          group = await openGroupWorld();
        }
        await group.world.deps.db.updateTable('merchants').set({ latePolicy }).execute();
        const order = new Life();
        await order.begin(renewals);
        for (const next of steps) await order.play(next);
      }),
      { numRuns: LIVES, endOnFailure: true, examples: [[RAISED_TIER], [PAID_AFTER_REFUND]] },
    );
  },
);
