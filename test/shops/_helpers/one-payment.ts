import fc from 'fast-check';
import { expect, it } from 'vitest';
import { shopState } from '../../../packages/sdk/src/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { World } from './cases.ts';
import type { OrderState } from './driver.ts';
import type { PaymentSeen } from './owner.ts';

/** Sequences for each shop; a nightly run asks for more. */
const RUNS = Number(process.env['TILLD_TEST_SHOP_SEQUENCES'] ?? 15);
const SEED = Number(process.env['TILLD_TEST_SHOP_SEED'] ?? Date.now() % 1_000_000);
const MAX_STEPS = 9;
const LIMIT_MS = 90_000;
const WITH_MONEY = new Set(['seen', 'paid', 'short', 'late', 'refunded']);

/**
 * What shoppers, payers, miners and the network between tilld and the shop do to one order. `back`: out of the payment
 * page and on to pay again; `change`: the same with another quantity; `double`: twice at once, as a double click or a
 * second tab; `payNewest`, `payOldest`: the page of that payment is still open in a tab; `payLate`: once its time is over;
 * `end`: the payment is cancelled in tilld, as it is once its time is over.
 */
const STEPS = [
  'back',
  'change',
  'double',
  'payNewest',
  'payOldest',
  'payLate',
  'end',
  'mine',
  'fork',
  'lose',
  'deliver',
] as const;
type Step = (typeof STEPS)[number];

/** Random steps seldom come to an order with a second payment: half of the sequences begin there. */
const BEGINNINGS: Step[][] = [[], [], ['end', 'back'], ['payLate', 'fork', 'back']];

/** Always run first. */
const EXAMPLES: [Step[], Step[]][] = [
  [
    ['end', 'back'],
    ['lose', 'payOldest', 'back', 'double'],
  ],
  [
    ['payLate', 'fork', 'back'],
    ['payOldest', 'mine', 'back'],
  ],
  [[], ['payNewest', 'lose', 'back', 'fork', 'change', 'payNewest', 'double']],
  [
    ['payLate', 'fork', 'back'],
    ['change', 'payLate', 'payNewest'],
  ],
  [
    ['payLate', 'fork', 'back'],
    ['fork', 'change', 'change', 'change', 'double', 'payOldest'],
  ],
  [
    ['end', 'back'],
    ['lose', 'payOldest', 'back', 'double', 'double', 'double'],
  ],
];

/** One order with every payment that the shop ever made of it. */
class OrderOfShopper {
  readonly #world: World;
  readonly #orderId: string;
  readonly #payments: string[];
  #quantity = 1;
  #isChanged = false;

  private constructor(world: World, orderId: string, paymentId: string) {
    this.#world = world;
    this.#orderId = orderId;
    this.#payments = [paymentId];
  }

  static async place(world: World): Promise<OrderOfShopper> {
    const { orderId, paymentId } = await world.shop.order({ email: 'payer@example.com' });
    return new OrderOfShopper(world, orderId, paymentId);
  }

  async take(step: Step): Promise<void> {
    const { owner, toShop } = this.#world;
    const withMoney = await this.#withMoney();
    switch (step) {
      case 'back':
      case 'change':
      case 'double':
        await this.#goOnToPay(step, withMoney.length > 0);
        return;
      case 'payNewest':
      case 'payOldest':
      case 'payLate': {
        // What a payer pays twice by himself is not for the shop to prevent.
        if (withMoney.length > 0) return;
        const paymentId = this.#payments.at(step === 'payNewest' ? -1 : 0) ?? '';
        await owner.pay(paymentId, step === 'payLate' ? 'late' : 'exact');
        return;
      }
      case 'end':
        for (const id of await this.#open()) await owner.cancel(id);
        return;
      case 'mine':
      case 'fork': {
        const [paid] = withMoney;
        if (paid !== undefined) await (step === 'mine' ? owner.mine(paid.id) : owner.takeBack(paid.id));
        return;
      }
      case 'lose':
        toShop.weather = 'lose';
        return;
      case 'deliver':
        toShop.weather = 'pass';
    }
  }

  /** After every sequence: the shop and tilld agree, and no unpaid payment is open next to a paid one. */
  async settle(): Promise<void> {
    const { owner, shop, toShop } = this.#world;
    toShop.weather = 'pass';
    const [paid] = await this.#withMoney();
    if (paid === undefined) {
      expect((await this.#open()).length).toBeLessThanOrEqual(1);
      return;
    }
    if (shopState(paid) !== 'paid') await owner.mine(paid.id);
    await eventually(
      'the order is paid by the payment that has the money',
      async () => {
        await shop.reconcile();
        return shop.state(this.#orderId);
      },
      // `short`: what the customer had changed when the money for an earlier price came.
      (state) => state === 'paid' || (this.#isChanged && state === 'short'),
      LIMIT_MS,
    );
    expect(await this.#open()).toEqual([]);
  }

  async #goOnToPay(step: Step, hadMoney: boolean): Promise<void> {
    if (step === 'change') {
      this.#quantity = 3 - this.#quantity;
      this.#isChanged = true;
    }
    const go = (): Promise<void> =>
      this.#world.shop.changeCart(this.#orderId, this.#quantity).then(
        ({ paymentId }) => this.#remember(paymentId),
        // Refused: the shop may say that there is nothing to pay any more.
        () => undefined,
      );
    await Promise.all(step === 'double' ? [go(), go()] : [go()]);
    const open = await this.#open();
    expect(open.length, `open payments: ${open.join(', ')}`).toBeLessThanOrEqual(hadMoney ? 0 : 1);
  }

  #remember(paymentId: string): void {
    if (paymentId !== '' && !this.#payments.includes(paymentId)) this.#payments.push(paymentId);
  }

  async #all(): Promise<PaymentSeen[]> {
    return Promise.all(this.#payments.map((id) => this.#world.owner.payment(id)));
  }

  async #withMoney(): Promise<PaymentSeen[]> {
    return (await this.#all()).filter((payment) => WITH_MONEY.has(shopState(payment)));
  }

  async #open(): Promise<string[]> {
    return (await this.#all()).filter((payment) => shopState(payment) === 'waiting').map(({ id }) => id);
  }
}

async function becomes({ shop }: World, orderId: string, ...wanted: OrderState[]): Promise<void> {
  const isWanted = (state: OrderState): boolean => wanted.includes(state);
  await eventually(`the order is ${wanted.join(' or ')}`, () => shop.state(orderId), isWanted, LIMIT_MS);
}

/** For `describeShop`: a second payment of one order is impossible, in whatever order things happen. */
export function onePayment(world: () => World): void {
  it('late money on an earlier payment pays the order, closes its open payment, survives a reorg in the order notes, and is refunded', async () => {
    const { owner, shop } = world();
    const { orderId, paymentId: first } = await shop.order({ email: 'payer@example.com' });
    await owner.cancel(first);
    const { paymentId: second } = await shop.changeCart(orderId, 1);
    expect(second).not.toBe(first);
    await owner.payFinally(first);
    await becomes(world(), orderId, 'paid');
    expect((await owner.payment(second)).status).toBe('cancelled');
    expect(await shop.notes(orderId)).not.toContainEqual(expect.stringMatching(/earlier payment|as well/));

    const before = (await shop.notes(orderId)).length;
    await owner.takeBack(first);
    await becomes(world(), orderId, 'waiting', 'lost');
    expect((await shop.notes(orderId)).length).toBeGreaterThan(before);

    await owner.payFinally(first);
    await becomes(world(), orderId, 'paid');
    const { linkUrl } = await shop.refund(orderId);
    await owner.claimAndApprove(linkUrl, first);
    await eventually('the refund is settled', () => shop.refundSettled(orderId), Boolean, LIMIT_MS);
  });

  it(`an order has one open payment, whatever ${RUNS} random shoppers, payers and reorgs do`, async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.constantFrom(...BEGINNINGS),
        fc.array(fc.constantFrom(...STEPS), { minLength: 2, maxLength: MAX_STEPS }),
        async (beginning, steps) => {
          const order = await OrderOfShopper.place(world());
          try {
            for (const step of [...beginning, ...steps]) await order.take(step);
            await order.settle();
          } finally {
            world().toShop.weather = 'pass';
          }
        },
      ),
      { numRuns: RUNS, seed: SEED, endOnFailure: true, examples: EXAMPLES },
    );
  }, 1_200_000);
}
