/** Sends that live through whatever happens to them, and what must hold after each step. */
import { expect } from 'vitest';
import type { ConfirmationPolicy } from '../../src/domain/confirmations.ts';
import { AppError, assertNever } from '../../src/domain/errors.ts';
import type { StoredSend } from '../../src/store/sends/sends.ts';
import type { StoredSendVersion } from '../../src/store/sends/send-versions.ts';
import { advanceSends } from '../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { bumpSend } from '../../src/usecases/wallet/send/bump-send.ts';
import { bumpSends } from '../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { fillNonceGaps } from '../../src/usecases/wallet/lifecycle/fill-nonce-gaps.ts';
import { cancelSend } from '../../src/usecases/wallet/send/cancel-send.ts';
import { failDisplacedSends } from '../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { failReverted } from '../../src/usecases/wallet/lifecycle/fail-reverted.ts';
import { sendCoins } from '../../src/usecases/wallet/send/send-coins.ts';
import { readPlan } from '../../src/usecases/wallet/lifecycle/stored-plan.ts';
import { createSweepBackoff } from '../../src/usecases/wallet/sweep/sweep-backoff.ts';
import { expectBooksToAgree } from './books.ts';
import type { LifeLine } from './send-line.ts';
import { FINAL_DEPTH, type Landed, type LifeNetwork, type LifeOf, ORDERS, type Step } from './send-steps.ts';
import type { WalletWorld } from './wallet-world.ts';

/** Refusals that a merchant may meet at any time. */
const USUAL = [
  'INSUFFICIENT_BALANCE',
  'VALIDATION_INVALID',
  'SEND_REJECTED',
  'IDEMPOTENCY_MISMATCH',
  'INVALID_STATE',
  'FEE_ABOVE_LIMIT',
  'NODE_UNAVAILABLE',
];

/** A send as it stands, with everything that was ever signed for it. */
export interface Standing {
  readonly send: StoredSend;
  readonly versions: readonly StoredSendVersion[];
  readonly events: readonly string[];
}

export class SendLife {
  readonly #world: WalletWorld;
  readonly #network: LifeNetwork;
  readonly #line: LifeLine;
  /** Sends that were reported as failed. */
  readonly #failed = new Set<string>();

  constructor(world: WalletWorld, network: LifeNetwork, line: LifeLine) {
    this.#world = world;
    this.#network = network;
    this.#line = line;
  }

  async live({ steps, answers }: LifeOf): Promise<Standing[]> {
    this.#line.answers = answers;
    for (const step of steps) {
      await this.#untilDeath(async () => this.#perform(step));
      await this.#check();
    }
    this.#line.answers = null;
    await this.#end();
    return this.#standings();
  }

  /** Performs one step, or as much of it as the process lives to see. */
  async #untilDeath(step: () => Promise<void>): Promise<void> {
    const died = new Promise<'died'>((resolve) => {
      this.#line.onDeath = () => resolve('died');
    });
    if ((await Promise.race([step(), died])) === 'died') await this.#restart();
  }

  async #restart(): Promise<void> {
    this.#world.restart();
    await this.#untilDeath(async () => this.#round({ resume: true }));
  }

  async #perform(step: Step): Promise<void> {
    const { deps, merchant } = this.#world;
    switch (step.kind) {
      case 'send':
        return this.#send(step.order, step.percent);
      case 'raise':
      case 'cancel': {
        const open = await this.#pick(
          step.which,
          ({ send }) => send.purpose === 'send' && (send.status === 'signed' || send.status === 'broadcast'),
        );
        if (open === undefined) return;
        if (step.kind === 'raise') this.#network.raiseFees();
        const input = { merchantId: merchant.id, sendId: open.send.id };
        const replace = step.kind === 'raise' ? bumpSend : cancelSend;
        await replace(deps, input).catch(expected);
        return;
      }
      case 'drop':
      case 'steal': {
        const waiting = (await this.#network.landed()).filter(({ height }) => height === null);
        const victim = waiting[step.which % Math.max(1, waiting.length)];
        if (victim !== undefined) await this.#network[step.kind](victim.txid);
        return;
      }
      case 'revive':
        return this.#line.revive(step.which);
      case 'pay':
        return this.#network.pay(step.coins);
      case 'mine':
        return this.#network.mine(step.count);
      case 'reorg':
        return this.#network.reorg(step.depth, step.fate);
      case 'look':
        return this.#look();
      case 'round':
        return this.#round();
      case 'dear':
        this.#world.clock.advance(deps.policy.bumpAfterMs);
        this.#network.raiseFees();
        await bumpSends(deps, this.#world.chain(this.#network.coin));
        return;
      case 'restart':
        return this.#restart();
      default:
        return assertNever(step);
    }
  }

  /** An order of the merchant: the same key, payee and amount however often it is asked for. */
  async #send(order: number, percent: number): Promise<void> {
    const { coin } = this.#network;
    const { deps, merchant } = this.#world;
    const amount = (percent / 20).toFixed(8);
    const destination = this.#network.destination(order);
    const idempotencyKey = `order-${order}`;
    await sendCoins(deps, { merchant, destination, amount, coin, idempotencyKey, maxFee: '1' }).catch(
      expected,
    );
  }

  /** Actions of the daemon that broadcast nothing. */
  async #look(): Promise<void> {
    const { coin } = this.#network;
    const { deps } = this.#world;
    await this.#world.sync(coin);
    await failReverted({ ...deps, confirmations: policy }, this.#world.chain(coin));
    await failDisplacedSends(deps, this.#world.chain(coin));
  }

  async #round(options: { readonly resume?: boolean } = {}): Promise<void> {
    this.#world.clock.advance(this.#world.deps.policy.rebroadcastMs);
    await this.#look();
    const { deps } = this.#world;
    const chain = this.#world.chain(this.#network.coin);
    await advanceSends(deps, chain, options);
    await fillNonceGaps(deps, chain, createSweepBackoff(deps.clock));
  }

  async #check(): Promise<void> {
    const landed = await this.#network.landed();
    this.#checkPayments(landed, await this.#standings());
    await this.#look();
    await expectBooksToAgree(this.#world.db);
    const seen = await this.#standings();
    for (const standing of seen) this.#checkOne(standing, landed);
    this.#checkNonces(seen);
    await this.#look();
    expect(withoutTimes(await this.#standings())).toEqual(withoutTimes(seen));
  }

  /** In every sequence an order is paid once, and a send reported as failed never. */
  #checkPayments(landed: readonly Landed[], standings: readonly Standing[]): void {
    const payments = landed.filter(({ isReverted }) => isReverted !== true);
    const paid = payments.flatMap(({ pays }) => [...new Set(pays)]);
    for (let order = 0; order < ORDERS; order += 1) {
      const destination = this.#network.destination(order);
      expect(paid.filter((address) => address === destination).length).toBeLessThanOrEqual(1);
    }
    const live = new Set(payments.map(({ txid }) => txid));
    for (const { send, versions } of standings) {
      if (send.status !== 'failed') continue;
      expect(paying(versions).filter(({ txid }) => live.has(txid))).toEqual([]);
    }
  }

  /** What the ledger, which has read all there is, says of a send is what the network knows. */
  #checkOne({ send, versions, events }: Standing, landed: readonly Landed[]): void {
    if (send.status === 'failed') this.#failed.add(send.id);
    if (this.#failed.has(send.id)) expect(send.status).toBe('failed');
    const mined = landed.find(({ txid, height, isReverted }) => {
      const isPaid = height !== null && isReverted !== true;
      return isPaid && paying(versions).some((version) => version.txid === txid);
    });
    expect({
      confirmed: send.status === 'confirmed' ? send.txid : null,
      height: send.status === 'confirmed' ? send.height : null,
    }).toEqual({
      confirmed: mined?.txid ?? null,
      height: mined?.height ?? null,
    });
    if (send.status === 'broadcast') expect(this.#line.outside).toContain(send.txid);
    // One that failed leaves its bytes to a later send that signs the same.
    if (send.status !== 'failed') expect(versions.map(({ txid }) => txid)).toContain(send.txid);
    // Transfers within the wallet emit no event.
    if (send.purpose !== 'send') return expect(events).toEqual([]);
    const told = (type: string) => events.filter((event) => event === type).length;
    expect(told('send.failed')).toBe(send.status === 'failed' ? 1 : 0);
    expect(told('send.broadcast')).toBeLessThanOrEqual(paying(versions).length + told('send.confirmed'));
    if (send.status === 'confirmed') expect(told('send.confirmed')).toBeGreaterThan(0);
  }

  /** A nonce is given out again only when nothing that was signed with it left this process. */
  #checkNonces(standings: readonly Standing[]): void {
    const users = new Map<number, string>();
    for (const { send, versions } of standings) {
      const nonce = versions.map(({ planJson: plan }) => readPlan(plan).account?.nonce)[0];
      if (nonce === undefined || !versions.some(({ txid }) => this.#line.outside.has(txid))) continue;
      expect(users.get(nonce) ?? send.id).toBe(send.id);
      users.set(nonce, send.id);
    }
  }

  /** With a good line and blocks enough each send ends, and the ledger holds what the network holds. */
  async #end(): Promise<void> {
    await this.#network.pay(100);
    for (let round = 0; round < 3 * FINAL_DEPTH; round += 1) {
      await this.#round();
      await this.#network.mine(1);
    }
    await this.#check();
    const open = (await this.#standings()).filter(
      ({ send }) => send.status === 'signed' || send.status === 'broadcast',
    );
    expect(open.map(({ send }) => send)).toEqual([]);
  }

  async #pick(at: number, fits: (standing: Standing) => boolean): Promise<Standing | undefined> {
    const fitting = (await this.#standings()).filter(fits);
    return fitting[at % Math.max(1, fitting.length)];
  }

  async #standings(): Promise<Standing[]> {
    const { db } = this.#world;
    const sends = await db.selectFrom('sends').selectAll().orderBy('createdAt').orderBy('id').execute();
    const versions = await db.selectFrom('send_versions').selectAll().orderBy('version').execute();
    const events = await db
      .selectFrom('events')
      .select(['type', 'sendId'])
      .where('sendId', 'is not', null)
      .orderBy('seq')
      .execute();
    return sends.map((send) => ({
      send,
      versions: versions.filter((version) => version.sendId === send.id),
      events: events.filter((event) => event.sendId === send.id).map(({ type }) => type),
    }));
  }
}

function policy(): ConfirmationPolicy {
  return { base: FINAL_DEPTH, tiers: [] };
}

function paying(versions: readonly StoredSendVersion[]): StoredSendVersion[] {
  return versions.filter(({ cancels }) => !cancels);
}

function withoutTimes(standings: readonly Standing[]): unknown {
  return standings.map(({ send, ...rest }) => ({ ...rest, send: { ...send, updatedAt: 0 } }));
}

function expected(error: unknown): void {
  if (error instanceof AppError && USUAL.includes(error.code)) return;
  throw error;
}
