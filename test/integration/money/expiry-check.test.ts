import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ChainError } from '../../../src/domain/chain.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import { expirePayments } from '../../../src/usecases/payments/expire-payments.ts';
import { ExpiryBalanceCheck } from '../../../src/usecases/payments/expiry-balance-check.ts';
import { addressOf, MINUTE, openPaymentWorld, type PaymentWorld } from '../../_helpers/payment-world.ts';
import { creditTo } from '../../_helpers/scripted-chain.ts';
import { silent } from '../../_helpers/wallet-world.ts';

const DUE = 50_000_000n;
let world: PaymentWorld;
let finalCheck: ExpiryBalanceCheck;
/** What the chain says that accounts hold, 0 for others; null while the node does not tell. */
let balances: Map<string, bigint> | null;
/** Accounts whose balance the node answers in a form that cannot be read. */
let unread: Set<string>;
/** Accounts asked about, request by request. */
let asked: (readonly string[])[];
let told: string[];

beforeEach(async () => {
  world = await openPaymentWorld();
  balances = new Map();
  unread = new Set();
  asked = [];
  told = [];
  const logger: Logger = {
    ...silent,
    warn: (_fields, message) => void told.push(message),
    error: (_fields, message) => void told.push(message),
  };
  finalCheck = new ExpiryBalanceCheck({ ...world.deps, chains: accountChains(), logger });
});

afterEach(async () => {
  await world.close();
});

async function heldAfter(keys: readonly string[]): Promise<ReadonlyMap<string, bigint>> {
  asked.push(keys);
  if (balances === null) throw new ChainError('unavailable', 'the node limits our rate (429)');
  const readable = keys.filter((key) => !unread.has(key));
  return new Map(readable.map((key) => [key, balances?.get(key) ?? 0n]));
}

function balancesAt(): never {
  throw new Error('nothing is reconciled here');
}

/** BTC, as if it held money in accounts. */
function accountChains(): PaymentWorld['deps']['chains'] {
  return {
    get: (coin, mode) => {
      const adapter = world.deps.chains.get(coin, mode);
      if (adapter === null || coin !== 'BTC') return adapter;
      return { ...adapter, funds: { model: 'accounts', heldAfter, balancesAt } };
    },
  };
}

const expire = async (): Promise<number> =>
  expirePayments({
    ...world.deps,
    chains: accountChains(),
    finalCheck,
    seenThrough: (coin) => world.follower(coin).seenThrough(),
  });

async function timeIsUp(): Promise<void> {
  world.advance(61 * MINUTE);
  await world.poll();
}

describe('an unpaid payment at its deadline', () => {
  it('does not expire while its account has a balance that is not credited yet', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    const other = await world.order({ allowed: ['BTC'] });
    balances?.set(addressOf(payment, 'BTC'), DUE);
    await timeIsUp();
    expect(await expire()).toBe(1);
    expect((await world.payment(payment)).status).toBe('pending');
    expect((await world.payment(other)).status).toBe('expired');
    expect(finalCheck.uncredited()).toEqual([{ coin: 'BTC', mode: 'live', payments: 1, amount: DUE }]);
    expect(told).toEqual([
      'uncredited balance at the address of an overdue payment; the payment does not expire',
    ]);
    world.chains.BTC.mine(world.now(), [creditTo(addressOf(payment, 'BTC'), DUE)]);
    world.chains.BTC.mine(world.now());
    await world.poll();
    await expire();
    expect(await world.eventsOf(payment)).not.toContain('expired');
    expect(finalCheck.uncredited()).toEqual([]);
  });

  it('does not expire while the node does not return the balance of its account', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    balances = null;
    await timeIsUp();
    for (let run = 0; run < 5; run += 1) expect(await expire()).toBe(0);
    // A node that limits its callers is not asked in every run.
    expect(asked).toHaveLength(1);
    expect(told).toEqual([
      'reading the on-chain accounts of overdue payments failed; they do not expire until it succeeds',
    ]);
    balances = new Map();
    world.advance(11_000);
    await world.poll();
    expect(await expire()).toBe(1);
    expect((await world.payment(payment)).status).toBe('expired');
  });

  it('does not expire while its account cannot be read, while other payments expire', async () => {
    const payment = await world.order({ allowed: ['BTC'] });
    const other = await world.order({ allowed: ['BTC'] });
    unread.add(addressOf(payment, 'BTC'));
    await timeIsUp();
    for (const ended of [1, 0]) expect(await expire()).toBe(ended);
    expect((await world.payment(payment)).status).toBe('pending');
    expect((await world.payment(other)).status).toBe('expired');
    unread.clear();
    expect(await expire()).toBe(1);
  });

  it('expires when no offered coin has money at its address', async () => {
    const payment = await world.order();
    await timeIsUp();
    expect(await expire()).toBe(1);
    expect(asked).toEqual([[addressOf(payment, 'BTC')]]);
    expect((await world.payment(payment)).status).toBe('expired');
  });

  it('is checked together with up to a hundred other payments in one node request', async () => {
    for (let made = 0; made < 230; made += 1) await world.order({ allowed: ['BTC'] });
    await timeIsUp();
    expect(await expire()).toBe(230);
    expect(asked.map((keys) => keys.length)).toEqual([100, 100, 30]);
    expect(new Set(asked.flat()).size).toBe(230);
  });
});
