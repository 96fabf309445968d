/** No money leaves above a limit without an approval: the rule where sends are stored. */
import * as fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Creator } from '../../../src/domain/actor.ts';
import type { Coin } from '../../../src/domain/coins.ts';
import { AppError } from '../../../src/domain/errors.ts';
import type { Rates } from '../../../src/domain/ports.ts';
import { changeLimits, type LimitsChange, NO_STORED_LIMITS } from '../../../src/domain/send/limit-change.ts';
import { changeZone, startOfLimitDay } from '../../../src/domain/send/limit-day.ts';
import { ApprovalRequired } from '../../../src/domain/send/spending-limits.ts';
import { findMerchant, updateMerchant } from '../../../src/store/merchants/merchants.ts';
import { insertRestrictedKey } from '../../../src/store/merchants/restricted-keys.ts';
import { changeBudget } from '../../../src/store/sends/fee-budgets.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { findSend, insertSend, type StoredSend, updateSend } from '../../../src/store/sends/sends.ts';
import { findLimits, keyLimitsToJson, putLimits } from '../../../src/store/sends/wallet-limits.ts';
import { newId } from '../../../src/usecases/events/new-id.ts';
import { openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

const HOUR_MS = 3_600_000;
/** In atoms. */
const DOLLAR = 10n ** 6n;
const DAY_MS = 24 * HOUR_MS;
/** One coin is worth 100 dollars and 90 euros. */
const RATES: Readonly<Record<string, string>> = { USD: '100', EUR: '90' };
let sim: SimulatedWorld;
let missing: Set<string>;

beforeEach(async () => {
  sim = await openSimulatedWorld();
  missing = new Set();
});
afterEach(async () => sim.close());

const rates: Pick<Rates, 'quote'> = {
  quote: (coin, currency) => {
    const rate = RATES[currency];
    if (rate === undefined || missing.has(currency)) throw new AppError('RATE_UNAVAILABLE', 'no rate');
    return { coin, currency, rate, sources: ['test'], at: 0 };
  },
};
const usd = (amount: number) => ({ minor: BigInt(Math.round(amount * 100)), currency: 'USD' });
const eur = (amount: number) => ({ minor: BigInt(Math.round(amount * 100)), currency: 'EUR' });
const now = (): number => sim.world.clock.now();
const shopId = (): string => sim.world.merchant.id;

async function change(limits: LimitsChange): Promise<void> {
  await sim.world.db.transaction(async (tx) => {
    const stored = await findLimits(tx, shopId());
    const next = changeLimits(stored, limits, { now: now(), delayMs: DAY_MS, hasSecondFactor: false });
    await putLimits(tx, { merchantId: shopId(), limits: next, now: now() });
  });
}

async function addKey(perSend: number | null, perDay: number | null): Promise<Creator> {
  const id = newId('key_');
  const limits = {
    perSend: perSend === null ? null : usd(perSend),
    perDay: perDay === null ? null : usd(perDay),
  };
  await sim.world.db.transaction(async (tx) =>
    insertRestrictedKey(tx, {
      id,
      merchantId: shopId(),
      name: 'key',
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

interface Order {
  /** Hundredths of a coin: a dollar each. */
  readonly cents: number;
  readonly coin?: Coin;
  readonly creator?: Creator | null;
  readonly watchKey?: string;
  readonly more?: Partial<StoredSend>;
  readonly freeFee?: bigint;
}

/** Stores a send; its id, or why it needs an approval. */
async function store({
  cents,
  coin = 'BTC',
  creator = null,
  watchKey = 'payee',
  more,
  freeFee = DOLLAR * 100n,
}: Order): Promise<string> {
  const id = newId('snd_');
  const amount = (BigInt(cents) * 10n ** 6n).toString();
  try {
    await sim.world.db.transaction(async (tx) => {
      const row = { ...baseRow(id, amount), coin, ...more };
      await insertSend(tx, row, {
        creator,
        watchKeys: [watchKey],
        freeFee,
        feeShareBps: 1_000,
        rates,
        provenDepth: 6,
        now: now(),
      });
    });
    return id;
  } catch (error) {
    if (error instanceof ApprovalRequired) return error.reasons.join(' ');
    throw error;
  }
}

const baseRow = (id: string, amount: string) => ({
  id,
  merchantId: shopId(),
  coin: 'BTC' as const,
  mode: 'sandbox' as const,
  purpose: 'send' as const,
  lane: null,
  nonce: null,
  destination: 'payee',
  subtractFee: false,
  ordered: amount,
  amount,
  fee: '0',
  maxFee: '0',
  status: 'signed' as const,
  txid: id,
  version: 1,
  height: null,
  error: null,
  idempotencyKey: null,
  createdAt: now(),
  updatedAt: now(),
  nextBroadcastAt: null,
  broadcasts: 0,
  announcedTxid: null,
  confirmedTxid: null,
});

const STORED = /^snd_/;
/** A fee budget; one dollar of it does not count. */
const fees = (dollars: number) => ({
  freeFee: DOLLAR,
  more: { maxFee: String(BigInt(dollars) * DOLLAR) },
});

/** Raises the fee budget of a send as an order does; why it is refused, or null. */
async function raise(id: string, dollars: number): Promise<string | null> {
  const budget = BigInt(dollars) * DOLLAR;
  const terms = { freeFee: DOLLAR, feeShareBps: 1_000, rates, provenDepth: 6, now: now() };
  try {
    await sim.world.db.transaction(async (tx) => {
      const send = await findSend(tx, id);
      if (send === undefined) throw new Error('no send');
      await changeBudget(tx, send, budget, terms);
    });
    return null;
  } catch (error) {
    if (error instanceof AppError) return error.code;
    throw error;
  }
}

describe('insertSend with spending limits', () => {
  it('stores a send of exactly the limit per send, and none above it', async () => {
    await change({ perSend: usd(5) });
    expect(await store({ cents: 5 })).toMatch(STORED);
    expect(await store({ cents: 6 })).toBe('per_send');
    expect(await store({ cents: 5, more: { fee: '5000000', maxFee: '5000000' } })).toMatch(STORED);
  });

  it('sums the sends of all coins towards the daily limit, which starts over on the next calendar day of the shop', async () => {
    await change({ perDay: usd(5) });
    expect(await store({ cents: 3 })).toMatch(STORED);
    expect(await store({ cents: 3, coin: 'LTC' })).toBe('per_day');
    expect(await store({ cents: 2, coin: 'LTC' })).toMatch(STORED);
    expect(await store({ cents: 1 })).toBe('per_day');
    sim.world.clock.advance(DAY_MS);
    expect(await store({ cents: 5 })).toMatch(STORED);
  });

  it('adds the part of a fee budget that exceeds the usual share to the daily total', async () => {
    await change({ perSend: usd(5), perDay: usd(9) });
    expect(await store({ cents: 4, ...fees(3) })).toBe('per_send');
    expect(await store({ cents: 1, ...fees(6) })).toBe('per_send');
    expect(await store({ cents: 4, ...fees(2) })).toMatch(STORED);
    expect(await store({ cents: 5 })).toBe('per_day');
    expect(await store({ cents: 4, ...fees(1) })).toMatch(STORED);
  });

  it('counts a raised fee budget on the day of the send, and refuses a raise above a limit', async () => {
    await change({ perSend: usd(6), perDay: usd(9) });
    const [one, other] = [await store({ cents: 4 }), await store({ cents: 1 })];
    expect([await raise(one, 1), await raise(one, 4)]).toEqual([null, 'FEE_ABOVE_LIMIT']);
    expect([await raise(one, 3), await raise(other, 4)]).toEqual([null, 'FEE_ABOVE_LIMIT']);
    expect(await raise(other, 3)).toBeNull();
    expect(await store({ cents: 1 })).toBe('per_day');
    sim.world.clock.advance(DAY_MS);
    // It counts with the sends of both days.
    expect(await store({ cents: 2 })).toMatch(STORED);
    expect(await raise(other, 4)).toBe('FEE_ABOVE_LIMIT');
    missing.add('USD');
    expect(await raise(other, 4)).toBe('FEE_ABOVE_LIMIT');
    await change({ perSend: null, perDay: null });
    sim.world.clock.advance(DAY_MS);
    expect(await raise(other, 50)).toBeNull();
  });

  it('counts sends made before a daily limit was set, at the current rate', async () => {
    expect(await store({ cents: 4 })).toMatch(STORED);
    await change({ perDay: eur(4.5) });
    expect(await store({ cents: 2 })).toBe('per_day');
    expect(await store({ cents: 1 })).toMatch(STORED);
  });

  it('rejects a send as above the limit when its fiat value is unknown', async () => {
    await change({ perSend: usd(5) });
    missing.add('USD');
    expect(await store({ cents: 1 })).toBe('rate_unknown');
  });

  it('rejects sends after a restore until the next day, because the total of the day is unknown', async () => {
    await change({ perDay: usd(5) });
    await writeMeta(sim.world.db, 'restored_at', String(now()));
    expect(await store({ cents: 1 })).toBe('sum_unknown');
    sim.world.clock.advance(DAY_MS);
    expect(await store({ cents: 1 })).toMatch(STORED);
  });

  it('stores only sends to a destination on the allow list', async () => {
    const entry = { coin: 'BTC', destination: 'Payee', watchKey: 'payee', label: '' } as const;
    await change({ allowList: [entry] });
    expect(await store({ cents: 1 })).toMatch(STORED);
    expect(await store({ cents: 1, watchKey: 'thief' })).toBe('destination');
    expect(await store({ cents: 1, coin: 'LTC' })).toBe('destination');
  });

  it('applies the limits of the API key that requested a send, and counts only the sends of that key', async () => {
    const [one, other] = [await addKey(3, 4), await addKey(null, 2)];
    expect(await store({ cents: 4, creator: one })).toBe('key_per_send');
    expect(await store({ cents: 3, creator: one })).toMatch(STORED);
    expect(await store({ cents: 2, creator: one })).toBe('key_per_day');
    expect(await store({ cents: 2, creator: other })).toMatch(STORED);
    expect(await store({ cents: 9 })).toMatch(STORED);
    expect(await store({ cents: 1, creator: one })).toMatch(STORED);
  });

  it('subtracts a failed send from the daily total only once it is proven that it was never broadcast', async () => {
    await change({ perDay: usd(5) });
    const refused = await store({ cents: 5 });
    const failed = { status: 'failed', error: 'refused' } as const;
    await sim.world.db.transaction(async (tx) =>
      updateSend(tx, refused, { ...failed, broadcasts: 2 }, now()),
    );
    expect(await store({ cents: 1 })).toBe('per_day');
    await sim.world.db.transaction(async (tx) =>
      updateSend(tx, refused, { ...failed, broadcasts: 0 }, now()),
    );
    expect(await store({ cents: 5 })).toMatch(STORED);
  });

  it('counts the whole requested amount while the fee deducted from it is not fixed', async () => {
    await change({ perDay: usd(5) });
    const preparing = { status: 'preparing', subtractFee: true, amount: '1000000', txid: null } as const;
    expect(await store({ cents: 5, more: preparing })).toMatch(STORED);
    expect(await store({ cents: 1 })).toBe('per_day');
  });

  it('counts the sends of the old and of the new calendar day after a change of the time zone', async () => {
    await change({ perDay: usd(5) });
    expect(await store({ cents: 5 })).toMatch(STORED);
    for (const zone of ['Pacific/Kiritimati', 'Pacific/Pago_Pago', 'Asia/Tokyo', 'UTC', 'America/New_York']) {
      await changeZoneTo(zone);
      expect(await store({ cents: 1 })).toBe('per_day');
    }
    sim.world.clock.advance(2 * DAY_MS);
    expect(await store({ cents: 5 })).toMatch(STORED);
  });
});

async function changeZoneTo(timeZone: string): Promise<void> {
  await sim.world.db.transaction(async (tx) => {
    const merchant = await findMerchant(tx, shopId());
    if (merchant === undefined) throw new Error('no shop');
    const floor = changeZone(merchant, timeZone, now());
    await updateMerchant(tx, shopId(), { timeZone, ...floor, updatedAt: now() });
  });
}

type Step =
  | { readonly kind: 'send'; readonly cents: number; readonly by: number }
  | { readonly kind: 'fail'; readonly which: number; readonly proven: boolean }
  | { readonly kind: 'wait'; readonly hours: number }
  | { readonly kind: 'limit'; readonly perSend: number | null; readonly perDay: number | null }
  | { readonly kind: 'zone'; readonly name: string };

const amount = fc.option(fc.integer({ min: 0, max: 20 }), { nil: null, freq: 6 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('send' as const),
      cents: fc.integer({ min: 1, max: 12 }),
      by: fc.nat(2),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('fail' as const), which: fc.nat(20), proven: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant('wait' as const), hours: fc.integer({ min: 1, max: 20 }) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('limit' as const), perSend: amount, perDay: amount }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('zone' as const),
      name: fc.constantFrom('UTC', 'Asia/Tokyo', 'America/New_York'),
    }),
  },
);

interface Past {
  readonly id: string;
  readonly cents: number;
  readonly at: number;
  readonly by: number;
}

/** The rule, said in another way: no day of the shop holds more than the highest limit of that day. */
it('the sends of a day that may be paid stay within the limits, for any sequence of sends, failures and changes', async () => {
  const keys = [null, await addKey(8, 15), await addKey(null, 6)];
  const run = async (steps: readonly Step[]): Promise<void> => {
    await sim.world.db.transaction(async (tx) => {
      await tx.deleteFrom('sends').execute();
      await putLimits(tx, {
        merchantId: shopId(),
        limits: NO_STORED_LIMITS,
        now: now(),
      });
    });
    sim.world.clock.advance(3 * DAY_MS);
    const past: Past[] = [];
    const gone = new Set<string>();
    await change({ perSend: usd(10), perDay: usd(15) });
    for (const one of steps) await take(one, { past, gone, keys });
  };
  await fc.assert(fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 50 }), run), { numRuns: 40 });
});

interface Run {
  readonly past: Past[];
  readonly gone: Set<string>;
  readonly keys: readonly (Creator | null)[];
}

async function take(one: Step, { past, gone, keys }: Run): Promise<void> {
  const { db, clock } = sim.world;
  switch (one.kind) {
    case 'send':
      return attempt(one, { past, gone, keys });
    case 'fail': {
      const chosen = past[one.which % Math.max(past.length, 1)];
      if (chosen === undefined) return;
      const broadcasts = one.proven ? 0 : 1;
      await db.transaction(async (tx) =>
        updateSend(tx, chosen.id, { status: 'failed', error: 'refused', broadcasts }, now()),
      );
      if (one.proven) gone.add(chosen.id);
      else gone.delete(chosen.id);
      return;
    }
    case 'wait':
      clock.advance(one.hours * HOUR_MS);
      return;
    case 'limit':
      return change({
        perSend: one.perSend === null ? null : usd(one.perSend),
        perDay: one.perDay === null ? null : usd(one.perDay),
      });
    case 'zone':
      return changeZoneTo(one.name);
  }
}

const KEY_DAY = [Infinity, 15, 6];
const KEY_SEND = [Infinity, 8, Infinity];

const most = (limit: { readonly minor: bigint } | null): number =>
  limit === null ? Infinity : Number(limit.minor) / 100;

async function attempt(
  { cents, by }: Extract<Step, { readonly kind: 'send' }>,
  { past, gone, keys }: Run,
): Promise<void> {
  const { db } = sim.world;
  const merchant = await findMerchant(db, shopId());
  if (merchant === undefined) throw new Error('no shop');
  const { limits } = changeLimits(
    await findLimits(db, shopId()),
    {},
    { now: now(), delayMs: 0, hasSecondFactor: false },
  );
  const start = startOfLimitDay(merchant, now());
  const sum = (of: readonly Past[]): number =>
    of.filter(({ id, at }) => at >= start && !gone.has(id)).reduce((total, each) => total + each.cents, 0);
  const isWithin =
    cents <= most(limits.perSend) &&
    cents <= (KEY_SEND[by] ?? 0) &&
    sum(past) + cents <= most(limits.perDay) &&
    sum(past.filter((each) => each.by === by)) + cents <= (KEY_DAY[by] ?? 0);
  const id = await store({ cents, creator: keys[by] ?? null });
  expect(STORED.test(id)).toBe(isWithin);
  if (isWithin) past.push({ id, cents, at: now(), by });
  expect(await findSend(db, id)).toEqual(isWithin ? expect.anything() : undefined);
}
