/** Steps of a shop with limits: two keys, two people, claims, forwards, fees, freezes, reorgs and restarts in any order. */
import * as fc from 'fast-check';
import type { Creator } from '../../src/domain/actor.ts';
import { AppError } from '../../src/domain/errors.ts';
import { formatCoinAmount } from '../../src/domain/money.ts';
import { insertRestrictedKey } from '../../src/store/merchants/restricted-keys.ts';
import { decideApproval, findApproval, listApprovals } from '../../src/store/sends/send-approvals.ts';
import type { StoredSend } from '../../src/store/sends/sends.ts';
import { keyLimitsToJson } from '../../src/store/sends/wallet-limits.ts';
import type { RefundLinkView } from '../../src/usecases/payments/refunds/present-link.ts';
import { sendApprovedClaim, sendClaims } from '../../src/usecases/refunds/links/send-claims.ts';
import { freezeByOperator, unfreezeByOperator } from '../../src/usecases/wallet/freeze-wallet.ts';
import { sendApproved, sendCoins } from '../../src/usecases/wallet/send/send-coins.ts';
import { consolidate } from '../../src/usecases/wallet/sweep/consolidate.ts';
import { dropPendingLimits, editLimits } from '../../src/usecases/wallet/wallet-limits.ts';
import { ForwardWorld } from '../integration/forwards/forward-world.ts';
import { LinkWorld } from '../integration/refunds/link-world.ts';

const COIN = 'LTC';
const CHAIN = { coin: COIN, mode: 'sandbox' } as const;
const HOUR_MS = 3_600_000;
export const DAY_MS = 24 * HOUR_MS;
/** The shop's zone is ahead of UTC by this, all year. */
const ZONE = { name: 'Asia/Kathmandu', aheadMs: 5.75 * HOUR_MS } as const;
/** One coin is worth 100 dollars, in atoms. */
export const DOLLAR = 10n ** 6n;
/** Of each key, in dollars; the shop's own change. */
const KEY_PER_DAY = 30;

const dollars: fc.Arbitrary<number> = fc.constantFrom(1, 5, 12, 20, 45);
const orderer = fc.constantFrom(
  'first key' as const,
  'second key' as const,
  'owner' as const,
  'member' as const,
);

export const limitStep = fc.oneof(
  { weight: 2, arbitrary: fc.record({ do: fc.constant('pay' as const) }) },
  { weight: 6, arbitrary: fc.record({ do: fc.constant('send' as const), by: orderer, dollars }) },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom('approve' as const, 'reject' as const), which: fc.nat(5) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('link' as const, 'claim' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('send claims' as const, 'forward' as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('limit' as const),
      part: fc.constantFrom('perSend' as const, 'perDay' as const),
      dollars: fc.constantFrom(null, 10, 25, 40, 80),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('drop raises' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('consolidate' as const), dollars }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom('freeze' as const, 'unfreeze' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant('hours' as const), count: fc.constantFrom(1, 5, 13) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom('mine' as const, 'restart' as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('reorg' as const),
      fate: fc.constantFrom('moved' as const, 'dropped' as const),
    }),
  },
);
type LimitStep = typeof limitStep extends fc.Arbitrary<infer S> ? S : never;
type Orderer = Extract<LimitStep, { do: 'send' }>['by'];
type Part = Extract<LimitStep, { do: 'limit' }>['part'];

/** Refusals that are no fault. */
const USUAL = new Set([
  'INSUFFICIENT_BALANCE',
  'INVALID_STATE',
  'VALIDATION_INVALID',
  'FEE_ABOVE_LIMIT',
  'WALLET_FROZEN',
  'SEND_REJECTED',
  'RATE_UNAVAILABLE',
]);

/** The limits in force by the steps alone: a lower one at once, a higher one after the delay. Dollars; null: none. */
class LimitBooks {
  readonly #now: Record<Part, number | null> = { perSend: null, perDay: null };
  readonly #raises: Partial<Record<Part, { readonly value: number | null; readonly at: number }>> = {};

  at(part: Part, now: number): number | null {
    const raise = this.#raises[part];
    if (raise !== undefined && now >= raise.at) {
      this.#now[part] = raise.value;
      delete this.#raises[part];
    }
    return this.#now[part];
  }

  set(part: Part, value: number | null, now: number): void {
    const present = this.at(part, now);
    delete this.#raises[part];
    const isRaise = present !== null && (value === null || value > present);
    if (isRaise) this.#raises[part] = { value, at: now + DAY_MS };
    else this.#now[part] = value;
  }

  drop(now: number): void {
    for (const part of ['perSend', 'perDay'] as const) {
      this.at(part, now);
      delete this.#raises[part];
    }
  }
}

/** When the day of the shop began. */
export function startOfDay(now: number): number {
  return now - ((now + ZONE.aheadMs) % DAY_MS);
}

export class LimitedShop implements AsyncDisposable {
  readonly links: LinkWorld;
  readonly forwards: ForwardWorld;
  readonly limits = new LimitBooks();
  readonly #creators: Readonly<Record<Orderer, Creator>>;
  readonly #open: RefundLinkView[] = [];
  #payer = 100;

  private constructor(links: LinkWorld, creators: Readonly<Record<Orderer, Creator>>) {
    this.links = links;
    this.forwards = new ForwardWorld(links.shop.world);
    this.forwards.change = { rates: links.deps().rates };
    this.#creators = creators;
  }

  static async open(): Promise<LimitedShop> {
    const links = await LinkWorld.open();
    const { merchant, db } = links.shop.world;
    await db.updateTable('merchants').set({ timeZone: ZONE.name }).execute();
    const creators = {
      'first key': await addKey(links, 'key_first'),
      'second key': await addKey(links, 'key_second'),
      owner: { kind: 'user', id: merchant.userId },
      member: { kind: 'user', id: 'member' },
    } as const;
    const shop = new LimitedShop(links, creators);
    await links.paid();
    await links.paid();
    await shop.forwards.rule(COIN, { to: links.payer(500), threshold: '0.05', intervalMinutes: 1 });
    return shop;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.links[Symbol.asyncDispose]();
  }

  get now(): number {
    return this.links.shop.world.clock.now();
  }

  /** All sends and moves, with whether a person approved each. */
  async sends(): Promise<readonly (StoredSend & { readonly isApproved: boolean })[]> {
    const { db } = this.links.shop.world;
    const rows = await db.selectFrom('sends').selectAll().orderBy('createdAt').orderBy('id').execute();
    const approvals = await db.selectFrom('send_approvals').select(['id', 'status']).execute();
    const approved = new Set(approvals.filter(({ status }) => status === 'approved').map(({ id }) => id));
    return rows.map((row) => ({ ...row, isApproved: approved.has(row.id) }));
  }

  isFrozen = false;

  async play(step: LimitStep): Promise<void> {
    try {
      await this.#act(step);
    } catch (error) {
      if (!(error instanceof AppError) || !USUAL.has(error.code)) throw error;
    }
  }

  async #act(step: LimitStep): Promise<void> {
    const { world } = this.links.shop;
    const { merchant, clock } = world;
    switch (step.do) {
      case 'pay':
        await this.links.paid();
        return;
      case 'send':
        await this.#send(step.by, step.dollars);
        return;
      case 'approve':
      case 'reject':
        return this.#decide(step.do, step.which);
      case 'link': {
        const payment = await this.links.paid();
        this.#open.push(await this.links.newLink(payment));
        return;
      }
      case 'claim': {
        const link = this.#open.pop();
        this.#payer += 1;
        if (link !== undefined) await this.links.claim(link, this.#payer);
        return;
      }
      case 'send claims':
        return sendClaims(this.links.deps());
      case 'forward':
        return this.forwards.run();
      case 'limit':
        return this.#limit(step.part, step.dollars);
      case 'drop raises':
        await dropPendingLimits(this.#limitDeps(), {
          userId: merchant.userId,
          merchantId: merchant.id,
          part: null,
        });
        return this.limits.drop(this.now);
      case 'consolidate': {
        const maxFee = formatCoinAmount(BigInt(step.dollars) * DOLLAR, COIN);
        const creator = this.#creators['first key'];
        await consolidate(this.links.deps(), { merchant, creator, coin: COIN, maxFee });
        return;
      }
      case 'freeze':
        await freezeByOperator(world.deps, { merchantId: merchant.id, reason: null });
        this.isFrozen = true;
        return;
      case 'unfreeze':
        await unfreezeByOperator(world.deps, merchant.id);
        this.isFrozen = false;
        return;
      case 'hours':
        return clock.advance(step.count * HOUR_MS);
      case 'mine':
        return this.#mine();
      case 'restart':
        return world.restart();
      case 'reorg':
        return this.#reorg(step.fate);
    }
  }

  async #send(by: Orderer, amount: number): Promise<void> {
    const { merchant } = this.links.shop.world;
    await sendCoins(this.links.deps(), {
      merchant,
      creator: this.#creators[by],
      destination: this.links.payer(700),
      amount: formatCoinAmount(BigInt(Math.round(amount * Number(DOLLAR))), COIN),
      coin: COIN,
      idempotencyKey: null,
    });
  }

  async #decide(verb: 'approve' | 'reject', which: number): Promise<void> {
    const { db, merchant } = this.links.shop.world;
    const waiting = await listApprovals(db, {
      merchantId: merchant.id,
      mode: CHAIN.mode,
      isPending: true,
      limit: 10,
    });
    const { id } = waiting[which % Math.max(1, waiting.length)] ?? {};
    const held = id === undefined ? undefined : await findApproval(db, id);
    if (held === undefined) return;
    const decision = (status: 'approved' | 'rejected') => ({
      status,
      decidedBy: merchant.userId,
      now: this.now,
    });
    if (verb === 'reject') {
      await db.transaction(async (tx) => decideApproval(tx, held.id, decision('rejected')));
      return;
    }
    const approve = async (tx: Parameters<typeof decideApproval>[0]): Promise<void> => {
      if (!(await decideApproval(tx, held.id, decision('approved'))))
        throw new AppError('INVALID_STATE', 'it is decided');
    };
    const deps = this.links.deps();
    if (held.kind === 'claim') await sendApprovedClaim(deps, { held, approve });
    else await sendApproved(deps, { merchant, held, approve });
  }

  async #limit(part: Part, value: number | null): Promise<void> {
    const { merchant } = this.links.shop.world;
    await editLimits(this.#limitDeps(), {
      userId: merchant.userId,
      sessionId: null,
      merchantId: merchant.id,
      currency: 'USD',
      [part]: value === null ? null : String(value),
    });
    this.limits.set(part, value, this.now);
  }

  #limitDeps() {
    const { deps } = this.links.shop.world;
    return { ...deps, policy: { ...deps.policy, limitDelayMs: DAY_MS } };
  }

  async #mine(): Promise<void> {
    await this.links.shop.control(COIN).mine(1);
    await this.links.shop.world.sync(COIN);
  }

  /** The transactions of the last sends leave the chain, or move to another block. */
  async #reorg(fate: 'moved' | 'dropped'): Promise<void> {
    const mined = (await this.sends()).filter(({ status, txid }) => status === 'confirmed' && txid !== null);
    const txids = mined.slice(-2).flatMap(({ txid }) => txid ?? []);
    if (txids.length === 0) return;
    await this.links.shop.control(COIN).reorg({ fate, txids });
    await this.#mine();
  }
}

async function addKey(links: LinkWorld, id: string): Promise<Creator> {
  const { db, merchant } = links.shop.world;
  const limits = { perSend: null, perDay: { minor: BigInt(KEY_PER_DAY * 100), currency: 'USD' } };
  await db.transaction(async (tx) =>
    insertRestrictedKey(tx, {
      id,
      merchantId: merchant.id,
      name: id,
      scopes: 'wallet:send',
      keyHash: id,
      prefix: '',
      lastFour: '',
      createdAt: 0,
      expiresAt: null,
      lastUsedAt: null,
      creatorKind: null,
      creatorId: null,
      limitsJson: keyLimitsToJson(limits),
    }),
  );
  return { kind: 'restricted', id };
}

/** Atoms that each key may send on a day. */
export const KEY_ATOMS_PER_DAY = BigInt(KEY_PER_DAY) * DOLLAR;
