/** A shop to which everything happens that moves money, and whose books agree with its ledger after each step. */
import * as fc from 'fast-check';
import type { ConfirmationPolicy } from '../../src/domain/confirmations.ts';
import { AppError, assertNever } from '../../src/domain/errors.ts';
import { parseCoinAmount } from '../../src/domain/money.ts';
import { createPayment, type CreatePaymentDeps } from '../../src/usecases/payments/create-payment.ts';
import { resolvePayment } from '../../src/usecases/payments/decide-payment.ts';
import type { PaymentView } from '../../src/usecases/payments/present-payment.ts';
import { refundPayment } from '../../src/usecases/refunds/refund-payment.ts';
import { bumpSend } from '../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../src/usecases/wallet/send/cancel-send.ts';
import { sendCoins } from '../../src/usecases/wallet/send/send-coins.ts';
import { advanceSends } from '../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { fillNonceGaps } from '../../src/usecases/wallet/lifecycle/fill-nonce-gaps.ts';
import { consolidate } from '../../src/usecases/wallet/sweep/consolidate.ts';
import { failDisplacedSends } from '../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { failReverted } from '../../src/usecases/wallet/lifecycle/fail-reverted.ts';
import { createSweepBackoff } from '../../src/usecases/wallet/sweep/sweep-backoff.ts';
import { sweepDeposits } from '../../src/usecases/wallet/sweep/sweep-deposits.ts';
import { expectBooksInOrder, expectBooksToAgree, expectSendsInBooks } from './books.ts';
import type { Life } from './sequence-networks.ts';
import { FINAL_DEPTH, ORDERS } from './send-steps.ts';
import { SECRET_KEY } from './secret-key.ts';

const HOUR = 3_600_000;

export type BookStep =
  | { readonly kind: 'order'; readonly dollars: number }
  | { readonly kind: 'pay'; readonly which: number; readonly percent: number }
  | { readonly kind: 'refund' | 'accept' | 'raise' | 'cancel' | 'drop' | 'steal'; readonly which: number }
  | { readonly kind: 'send'; readonly order: number; readonly percent: number }
  | { readonly kind: 'mine' | 'deposit' | 'wait'; readonly count: number }
  | { readonly kind: 'step'; readonly hours: number }
  | { readonly kind: 'reorg'; readonly depth: number; readonly fate: 'moved' | 'dropped' | 'replaced' }
  | { readonly kind: 'round' | 'sweep' | 'rates' };

const which = fc.nat(3);
const kinds = <K extends BookStep['kind']>(...all: K[]): fc.Arbitrary<K> => fc.constantFrom(...all);

export const bookLives: fc.Arbitrary<BookStep[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: kinds('order'), dollars: fc.integer({ min: 20, max: 90 }) }) },
    {
      weight: 4,
      arbitrary: fc.record({ kind: kinds('pay'), which, percent: fc.constantFrom(50, 100, 100, 130) }),
    },
    { weight: 3, arbitrary: fc.record({ kind: kinds('refund', 'accept', 'raise', 'cancel'), which }) },
    { weight: 2, arbitrary: fc.record({ kind: kinds('drop', 'steal'), which }) },
    {
      weight: 3,
      arbitrary: fc.record({
        kind: kinds('send'),
        order: fc.nat(ORDERS - 1),
        percent: fc.integer({ min: 5, max: 60 }),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: kinds('mine', 'mine', 'deposit', 'wait'),
        count: fc.integer({ min: 1, max: 4 }),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: kinds('reorg'),
        depth: fc.integer({ min: 1, max: FINAL_DEPTH - 1 }),
        fate: fc.constantFrom('moved' as const, 'dropped' as const, 'replaced' as const),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: kinds('round', 'sweep', 'rates') }) },
    { weight: 2, arbitrary: fc.record({ kind: kinds('step'), hours: fc.integer({ min: -30, max: 30 }) }) },
  ),
  { minLength: 4, maxLength: 20 },
);

type Deps = CreatePaymentDeps & Life['world']['deps'];

export class BookLife {
  readonly #life: Life;
  readonly #deps: Deps;
  readonly #payments: PaymentView[] = [];
  #isPriced = true;

  constructor(life: Life) {
    this.#life = life;
    const { world } = life;
    const rates: Deps['rates'] = {
      quote: (coin, currency) => {
        if (!this.#isPriced) throw new AppError('RATE_UNAVAILABLE', 'no source answers');
        return { coin, currency, rate: '100', sources: ['test'], at: world.clock.now() };
      },
      ensure: async () => {},
    };
    world.deps = { ...world.deps, rates };
    world.restart();
    this.#deps = {
      ...world.deps,
      confirmations: policy,
      toWatchKey: ({ coin }, address) => world.adapter(coin).watchKey(address),
      webhookUrlRule: () => null,
    };
  }

  async live(steps: readonly BookStep[]): Promise<void> {
    for (const step of steps) {
      await this.perform(step);
      await this.#look();
      await expectBooksToAgree(this.#deps.db);
      await expectBooksInOrder(this.#deps.db);
      await expectSendsInBooks(this.#deps.db);
    }
    // Until every send has ended.
    for (let round = 0; round < 2 * FINAL_DEPTH; round += 1) {
      await this.perform({ kind: 'round' });
      await this.perform({ kind: 'mine', count: 1 });
    }
    await this.#look();
    await expectBooksToAgree(this.#deps.db);
    await expectBooksInOrder(this.#deps.db);
    await expectSendsInBooks(this.#deps.db);
  }

  async perform(step: BookStep): Promise<void> {
    const { network, world } = this.#life;
    const { coin } = network;
    switch (step.kind) {
      case 'order':
        return this.#order(step.dollars);
      case 'pay': {
        const payment = this.#pick(this.#payments, step.which);
        const option = payment?.options[coin];
        if (option === undefined) return;
        const due = parseCoinAmount(option.amount, coin);
        return network.payTo(option.address, (due * BigInt(step.percent)) / 100n);
      }
      case 'deposit':
        return network.pay(step.count);
      case 'mine':
        return network.mine(step.count);
      case 'wait':
        world.clock.advance(step.count * HOUR);
        return;
      case 'step':
        world.clock.advance(step.hours * HOUR);
        return;
      case 'reorg':
        return network.reorg(step.depth, step.fate);
      case 'rates':
        this.#isPriced = !this.#isPriced;
        return;
      case 'round':
        return this.#round();
      case 'sweep':
        return this.#sweep();
      case 'send':
      case 'refund':
      case 'accept':
      case 'raise':
      case 'cancel':
      case 'drop':
      case 'steal':
        return this.#decide(step).catch(expected);
      default:
        return assertNever(step);
    }
  }

  /** Actions of people, which the daemon may refuse. */
  async #decide(
    step: Extract<BookStep, { kind: 'refund' | 'accept' | 'raise' | 'cancel' | 'drop' | 'steal' | 'send' }>,
  ): Promise<void> {
    const { network, world } = this.#life;
    const { merchant } = world;
    const deps = this.#deps;
    switch (step.kind) {
      case 'send': {
        const destination = network.destination(step.order);
        const amount = (step.percent / 20).toFixed(8);
        const order = {
          merchant,
          destination,
          amount,
          coin: network.coin,
          idempotencyKey: null,
          maxFee: '1',
        };
        await sendCoins(deps, order);
        return;
      }
      case 'refund': {
        const payment = this.#pick(this.#payments, step.which);
        if (payment === undefined) return;
        const destination = network.destination(50 + step.which);
        await refundPayment(deps, { merchant, paymentId: payment.id, destination, idempotencyKey: null });
        return;
      }
      case 'accept': {
        const payment = this.#pick(this.#payments, step.which);
        if (payment === undefined) return;
        await resolvePayment(deps, { merchantId: merchant.id, paymentId: payment.id }, 'accept');
        return;
      }
      case 'raise':
      case 'cancel': {
        const sends = await deps.db.selectFrom('sends').select('id').where('purpose', '=', 'send').execute();
        const send = this.#pick(sends, step.which);
        if (send === undefined) return;
        if (step.kind === 'raise') network.raiseFees();
        const replace = step.kind === 'raise' ? bumpSend : cancelSend;
        await replace(deps, { merchantId: merchant.id, sendId: send.id });
        return;
      }
      case 'drop':
      case 'steal': {
        const waiting = (await network.landed()).filter(({ height }) => height === null);
        const victim = this.#pick(waiting, step.which);
        if (victim !== undefined) await network[step.kind](victim.txid);
        return;
      }
      default:
        assertNever(step);
    }
  }

  async #order(dollars: number): Promise<void> {
    const { world, network } = this.#life;
    const orderId = `order-${this.#payments.length}`;
    const made = await createPayment(this.#deps, {
      merchant: world.merchant,
      price: { kind: 'amount', amount: `${dollars}.00`, currency: 'USD' },
      payer: { kind: 'anonymous' },
      locale: null,
      description: null,
      lines: [],
      lifetimeMinutes: null,
      confirmations: {},
      actor: SECRET_KEY,
      isPublic: false,
      orderId,
      metadata: null,
      customFields: null,
      webhookUrl: null,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptos: [network.coin],
      requestHash: orderId,
      linkId: null,
      counterId: null,
      tip: null,
    }).catch(expected);
    if (made !== undefined) this.#payments.push(made.payment);
  }

  async #look(): Promise<void> {
    const { world, network } = this.#life;
    await world.sync(network.coin);
    const chain = world.chain(network.coin);
    await failReverted(this.#deps, chain);
    await failDisplacedSends(this.#deps, chain);
  }

  async #round(): Promise<void> {
    const { world, network } = this.#life;
    world.clock.advance(this.#deps.policy.rebroadcastMs);
    await this.#look();
    await advanceSends(this.#deps, world.chain(network.coin), {});
    await fillNonceGaps(this.#deps, world.chain(network.coin), createSweepBackoff(world.clock));
  }

  /** Actions of the daemon on deposits, or, on chains with outputs, actions that the shop requests. */
  async #sweep(): Promise<void> {
    const { world, network } = this.#life;
    const { coin } = network;
    await this.#look();
    if (coin === 'ETH') await sweepDeposits(this.#deps, world.chain(coin), createSweepBackoff(world.clock));
    else await consolidate(this.#deps, { merchant: world.merchant, coin }).catch(expected);
  }

  #pick<T>(all: readonly T[], which: number): T | undefined {
    return all[which % Math.max(1, all.length)];
  }
}

function policy(): ConfirmationPolicy {
  return { base: 1, tiers: [] };
}

/** What a shop may be refused at any time. */
function expected(error: unknown): void {
  if (!(error instanceof AppError) || error.code === 'INTERNAL_ERROR') throw error;
}
