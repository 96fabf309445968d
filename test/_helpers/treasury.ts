/** A shop whose sends of every kind live through random fees: what is performed, and what each send may cost. */
import * as fc from 'fast-check';
import { planRbfBump } from '../../src/chains/utxo/sends/plan-rbf.ts';
import { planSend } from '../../src/chains/utxo/sends/plan-send.ts';
import { feeFor, inputVsize } from '../../src/chains/utxo/sends/size.ts';
import type {
  BroadcastResult,
  ReplacementRequest,
  FeeQuote,
  SendRequest,
  StoredTransaction,
} from '../../src/domain/chain.ts';
import { UTXO_COINS } from '../../src/domain/coins.ts';
import { AppError, assertNever } from '../../src/domain/errors.ts';
import { formatCoinAmount } from '../../src/domain/money.ts';
import { spendableFunds } from '../../src/store/ledger/spendable.ts';
import { sendClaims } from '../../src/usecases/refunds/links/send-claims.ts';
import { bumpSend } from '../../src/usecases/wallet/send/bump-send.ts';
import { cancelSend } from '../../src/usecases/wallet/send/cancel-send.ts';
import { sendCoins } from '../../src/usecases/wallet/send/send-coins.ts';
import { advanceSends } from '../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSends } from '../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { consolidate } from '../../src/usecases/wallet/sweep/consolidate.ts';
import { consolidateRound } from '../../src/usecases/wallet/sweep/consolidate-rounds.ts';
import { ForwardWorld } from '../integration/forwards/forward-world.ts';
import { LinkWorld } from '../integration/refunds/link-world.ts';
import { outputFunds } from './output-funds.ts';
import { eventually } from './poll.ts';

const COIN = 'LTC';
const CHAIN = { coin: COIN, mode: 'sandbox' } as const;
const LTC = UTXO_COINS[COIN];
/** Atoms per 1,000 vB. */
const CONSOLIDATE_BELOW = 5_000n;
const CAP_RATE = 5_000_000n;
const PAYMENTS = 4;
/** More than the number from which the daemon consolidates. */
const SMALL = Array.from({ length: 205 }, () => 3_000_000n);
/** Refusals that a shop may meet at any time. */
const USUAL = [
  'INSUFFICIENT_BALANCE',
  'VALIDATION_INVALID',
  'INVALID_STATE',
  'FEE_ABOVE_LIMIT',
  'SEND_REJECTED',
];

const maxFee = fc.option(fc.integer({ min: 200, max: 1_000_000 }), { freq: 1 });
const which = fc.nat(20);

/** Rates are atoms per 1,000 vB, from 0.1 to 1,000 sat/vB in jumps; `least` is the node's minimum in per cent of it. */
export const treasuryStep = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('fees'),
      rate: fc.double({ min: 2, max: 6, noNaN: true }).map((exponent) => Math.round(10 ** exponent)),
      least: fc.integer({ min: 1, max: 100 }),
    }),
  },
  { weight: 5, arbitrary: fc.record({ kind: fc.constant('hours'), count: fc.integer({ min: 1, max: 3 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('order'),
      amount: fc.double({ min: 4, max: 9, noNaN: true }).map((exponent) => Math.round(10 ** exponent)),
      maxFee,
    }),
  },
  fc.record({ kind: fc.constant('refund'), which }),
  fc.record({ kind: fc.constant('claim'), which, approval: fc.boolean() }),
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('consolidate'), maxFee }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('bump'), which, maxFee }) },
  fc.record({ kind: fc.constant('cancel'), which }),
  fc.record({ kind: fc.constant('node'), replaces: fc.boolean() }),
  fc.record({ kind: fc.constant('mine') }),
);
export type TreasuryStep = typeof treasuryStep extends fc.Arbitrary<infer S> ? S : never;

/** What one send may cost by the order that made it, whatever the database says. Null: no such bound. */
export interface Bound {
  /** Atoms. */
  readonly fee: bigint | null;
  /** Atoms per 1,000 vB. */
  readonly rate: bigint | null;
}

const byRate = (rate: bigint): Bound => ({ fee: null, rate });
const byFee = (fee: number): Bound => ({ fee: BigInt(fee), rate: null });
const show = (atoms: number): string => formatCoinAmount(BigInt(atoms), COIN);

export class Treasury implements AsyncDisposable {
  /** By the send's id. */
  readonly bounds = new Map<string, Bound>();
  readonly #world: LinkWorld;
  readonly #forwards: ForwardWorld;
  readonly #payments: { id: string }[] = [];
  /** The version of each send that the node saw first, by the send's id. */
  readonly #first = new Map<string, string>();
  #quote: FeeQuote = { rate: 2_000n, minimum: 100n, source: 'test', at: 0 };
  #replaces = true;

  private constructor(world: LinkWorld) {
    this.#world = world;
    this.#forwards = new ForwardWorld(world.shop.world);
  }

  /** Two large outputs, hundreds of small ones, and settled payments that can be given back. */
  static async open(): Promise<Treasury> {
    const treasury = new Treasury(await LinkWorld.open());
    const merchantId = treasury.#world.shop.world.merchant.id;
    const amounts = [2_000_000_000n, 500_000_000n, ...SMALL];
    await treasury.#pay(amounts);
    await eventually(
      'the ledger has read the outputs',
      async () => (await spendableFunds(treasury.db, { ...CHAIN, merchantId })).length,
      (count) => count >= amounts.length,
    );
    for (let made = 0; made < PAYMENTS; made += 1) {
      treasury.#payments.push(await treasury.#world.paid());
    }
    const terms = { keep: '12', threshold: '0.5', intervalMinutes: 1 };
    await treasury.#forwards.rule(COIN, { to: treasury.#world.payer(500), ...terms });
    return treasury;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#world[Symbol.asyncDispose]();
  }

  get db() {
    return this.#world.shop.world.db;
  }

  async perform(step: TreasuryStep): Promise<void> {
    const known = new Set((await this.#sends()).map(({ id }) => id));
    const bound = await this.#act(step).catch((error: unknown) => {
      if (error instanceof AppError && USUAL.includes(error.code)) return null;
      throw error;
    });
    for (const { id, purpose, drawsOn: payer, reason, ordered } of await this.#sends()) {
      const isOrdered = step.kind === 'order' || purpose === 'sweep';
      if (!known.has(id) && payer === null && bound !== null && isOrdered) this.bounds.set(id, bound);
      // TILLD_FORWARD_FEE_SHARE is 1 %.
      if (!known.has(id) && reason === 'forward')
        this.bounds.set(id, { fee: BigInt(ordered) / 100n, rate: null });
    }
  }

  /** The bound of what it made, if there is one. */
  async #act(step: TreasuryStep): Promise<Bound | null> {
    switch (step.kind) {
      case 'fees': {
        const rate = BigInt(step.rate);
        const minimum = (rate * BigInt(step.least)) / 100n;
        this.#quote = { ...this.#quote, rate, minimum: minimum < 100n ? 100n : minimum };
        return null;
      }
      case 'order':
        return this.#order(step);
      case 'refund':
        await this.#world.refund(this.#payment(step.which), '0.01');
        return null;
      case 'claim':
        return this.#claim(step);
      case 'consolidate':
        return this.#consolidate(step);
      case 'bump':
      case 'cancel':
        return this.#replace(step);
      case 'node':
        this.#replaces = step.replaces;
        return null;
      case 'hours':
        for (let hour = 0; hour < step.count; hour += 1) await this.#hour();
        return byRate(CONSOLIDATE_BELOW);
      case 'mine':
        await this.#pay([300_000_000n, ...SMALL.slice(0, 3)]);
        return null;
      default:
        return assertNever(step);
    }
  }

  async #order(step: Extract<TreasuryStep, { kind: 'order' }>): Promise<Bound | null> {
    const { merchant } = this.#world.shop.world;
    const order = { merchant, coin: COIN, idempotencyKey: null, destination: this.#world.payer(11) } as const;
    const limit = step.maxFee === null ? {} : { maxFee: show(step.maxFee) };
    await sendCoins(this.#deps(), { ...order, amount: show(step.amount), ...limit });
    return step.maxFee === null ? null : byFee(step.maxFee);
  }

  async #claim(step: Extract<TreasuryStep, { kind: 'claim' }>): Promise<null> {
    const wish = { kind: 'amount', amount: '1.00', currency: 'USD' } as const;
    const link = await this.#world.newLink(this.#payment(step.which), { approval: step.approval, wish });
    await this.#world.claim(link, 7, this.#deps());
    if (step.approval) await this.#world.approve(link);
    await sendClaims(this.#deps());
    return null;
  }

  async #consolidate(step: Extract<TreasuryStep, { kind: 'consolidate' }>): Promise<Bound> {
    const { merchant } = this.#world.shop.world;
    const { rate } = this.#quote;
    const limit = step.maxFee === null ? {} : { maxFee: show(step.maxFee) };
    await consolidate(this.#deps(), { merchant, coin: COIN, ...limit });
    if (step.maxFee !== null) return byFee(step.maxFee);
    return byRate(rate > CONSOLIDATE_BELOW ? rate : CONSOLIDATE_BELOW);
  }

  async #replace(step: Extract<TreasuryStep, { kind: 'bump' | 'cancel' }>): Promise<null> {
    const open = (await this.#sends()).filter(({ status }) => status === 'broadcast' || status === 'signed');
    const send = open[step.which % Math.max(1, open.length)];
    if (send === undefined) return null;
    const named = { merchantId: send.merchantId, sendId: send.id };
    if (step.kind === 'cancel') {
      await cancelSend(this.#deps(), named);
      return null;
    }
    await bumpSend(this.#deps(), {
      ...named,
      ...(step.maxFee === null ? {} : { maxFee: show(step.maxFee) }),
    });
    if (step.maxFee !== null) this.bounds.set(send.id, byFee(step.maxFee));
    return null;
  }

  /** Money comes in, one output for each amount, and a block holds it with all that waits. */
  async #pay(amounts: readonly bigint[]): Promise<void> {
    const { shop } = this.#world;
    const { account } = shop.world.merchant;
    const address = shop.world.deps.deriver.address({ ...CHAIN, account, branch: 0, index: 0 });
    await shop.control(COIN).pay(amounts.map((amount) => ({ address, amount })));
    await shop.control(COIN).mine(2);
    await shop.world.sync(COIN);
  }

  /** The daemon's own actions within an hour. */
  async #hour(): Promise<void> {
    const deps = this.#deps();
    this.#world.shop.world.clock.advance(deps.policy.bumpAfterMs);
    await bumpSends(deps, CHAIN);
    await advanceSends(deps, CHAIN);
    await consolidateRound(deps, CHAIN);
    await sendClaims(deps);
    this.#forwards.change = deps;
    await this.#forwards.run();
    await this.#world.shop.world.sync(COIN);
  }

  /** The use cases with a node whose fee rate a test sets, and the planner of real nodes. */
  #deps() {
    const node = this.#world.shop.world.adapter(COIN);
    const deps = this.#world.nodeThat({
      feeQuote: async () => this.#quote,
      planSend: (request: SendRequest) => planSend(LTC, 'testnet', request),
      planReplacement: (request: ReplacementRequest) =>
        planRbfBump(LTC, 'testnet', { ...request, capRate: CAP_RATE }),
      funds: outputFunds(
        () => {
          throw new Error('nothing is scanned here');
        },
        (rate) => feeFor(inputVsize(LTC.scriptType), rate),
      ),
      broadcast: async (transaction: StoredTransaction) =>
        this.#offer(transaction, async () => node.broadcast(transaction)),
    });
    const policy = { ...deps.policy, consolidateBelowRate: CONSOLIDATE_BELOW, maxVersions: 100 };
    return { ...deps, policy };
  }

  /** A node that takes no replacements knows the first version of each send only. */
  async #offer({ txid }: StoredTransaction, send: () => Promise<BroadcastResult>): Promise<BroadcastResult> {
    const row = await this.db
      .selectFrom('send_versions')
      .select('sendId')
      .where('txid', '=', txid)
      .executeTakeFirstOrThrow();
    const first = this.#first.get(row.sendId) ?? txid;
    this.#first.set(row.sendId, first);
    return this.#replaces || first === txid ? send() : { kind: 'unknown', reason: 'txn-mempool-conflict' };
  }

  #payment(at: number): { id: string } {
    const payment = this.#payments[at % PAYMENTS];
    if (payment === undefined) throw new Error('no payment was made');
    return payment;
  }

  async #sends() {
    return this.db.selectFrom('sends').selectAll().execute();
  }
}
