import { describe, expect, it } from 'vitest';
import { findCursor } from '../../../src/store/chain/chain-cursors.ts';
import { ShopHours } from '../../_helpers/svm/shop-traffic.ts';

const POLLS_PER_HOUR = 720;
const POLLS_PER_MINUTE = 12;
const HOURS_PER_DAY = 24;
/** A thousand orders a day: one in some 86 seconds. */
const POLLS_PER_ORDER = 17;

function total(calls: ReadonlyMap<string, number>): number {
  return [...calls.values()].reduce((sum, count) => sum + count, 0);
}

describe('the number of RPC calls to a Solana provider', () => {
  it('is, in an hour without payments, one per poll and a few for the tip and the health of the node', async () => {
    await using shop = await ShopHours.open({ savesCalls: true });
    await shop.callsDuring(POLLS_PER_MINUTE);
    const calls = await shop.callsDuring(POLLS_PER_HOUR);
    // A tip and the status each 30 s, and slowly changing facts each ten minutes.
    expect(Object.fromEntries(calls)).toEqual({
      getMultipleAccounts: 720,
      getSlot: 120,
      getBlock: 240,
      getGenesisHash: 120,
      getHealth: 120,
      getVersion: 6,
      getFirstAvailableBlock: 6,
      getMinimumBalanceForRentExemption: 6,
    });
    expect(total(calls) * HOURS_PER_DAY).toBeLessThanOrEqual(33_000);
  });

  it('is below 80,000 a day at 1,000 payments a day, with those of the last day still watched', async () => {
    await using shop = await ShopHours.open({ savesCalls: true });
    await shop.addClosed(1_000);
    await shop.poll();
    const calls = await shop.callsDuring(POLLS_PER_HOUR / 2, POLLS_PER_ORDER);
    expect(2 * total(calls) * HOURS_PER_DAY).toBeLessThanOrEqual(80_000);
  });
});

/** Polls until each status of a payment that is paid `waited` polls after its order. */
async function statusesByPoll(shop: ShopHours, waited: number): Promise<string[]> {
  const payment = await shop.order();
  for (let poll = 0; poll < waited; poll += 1) await shop.poll();
  shop.pay(payment);
  const statuses: string[] = [];
  while (statuses.at(-1) !== 'completed' && statuses.length < 2 * POLLS_PER_MINUTE) {
    await shop.poll();
    statuses.push((await shop.payment(payment)).status);
  }
  return statuses;
}

/** Status and confirmations, up to the required ones, of a payment by poll, while a fork drops its transaction. */
async function viewsAroundFork(shop: ShopHours): Promise<{ status: string; depth: number }[]> {
  await shop.callsDuring(POLLS_PER_MINUTE);
  const payment = await shop.order();
  await shop.poll();
  const signature = shop.pay(payment);
  const views: { status: string; depth: number }[] = [];
  for (let poll = 0; poll < POLLS_PER_MINUTE; poll += 1) {
    if (poll === 1) shop.node.fork({ depth: 20, drop: [signature] });
    await shop.poll();
    const { status, options } = await shop.payment(payment);
    views.push({ status, depth: Math.min(options['SOL']?.confirmations ?? 0, 32) });
  }
  return views;
}

describe('a Solana adapter that skips calls when nothing changed', () => {
  it('detects and completes payments at the same polls as one that reads everything at each poll', async () => {
    await using saving = await ShopHours.open({ savesCalls: true });
    await using reading = await ShopHours.open({ savesCalls: false });
    await saving.poll();
    await reading.poll();
    for (const waited of [1, 4, 9, 14]) {
      const statuses = await statusesByPoll(saving, waited);
      expect(statuses).toEqual(await statusesByPoll(reading, waited));
      expect([statuses[0], statuses.at(-1)]).toEqual(['confirming', 'completed']);
    }
  });

  it.each([true, false])(
    'detects a payment that is created and paid while balances are read, without a later block (savesCalls %s)',
    async (savesCalls) => {
      await using shop = await ShopHours.open({ savesCalls });
      await shop.poll();
      shop.wallet.clock.advance(60_000);
      let payment = await shop.order();
      const act = async (): Promise<void> => {
        payment = await shop.order();
        shop.pay(payment);
        shop.node.advance();
      };
      const fault = shop.node.inject(
        { kind: 'meanwhile', act },
        { methods: ['getMultipleAccounts'], times: 1 },
      );
      await shop.round();
      expect(fault.hits).toBe(1);
      await shop.round();
      expect((await shop.payment(payment)).status).toBe('confirming');
    },
  );

  it('detects within a minute money for a payment that has expired', async () => {
    await using shop = await ShopHours.open({ savesCalls: true });
    const payment = await shop.order();
    await shop.addClosed(0);
    await shop.poll();
    await shop.poll();
    shop.pay(payment);
    let polls = 0;
    for (; polls <= POLLS_PER_MINUTE && (await shop.payment(payment)).transactions.length === 0; polls += 1)
      await shop.poll();
    expect(polls).toBeLessThanOrEqual(POLLS_PER_MINUTE);
    expect((await shop.payment(payment)).transactions).toHaveLength(1);
  });

  it('detects a fork that drops a payment, and its return, at the same polls as one that reads everything at each poll', async () => {
    await using saving = await ShopHours.open({ savesCalls: true });
    await using reading = await ShopHours.open({ savesCalls: false });
    const [views, expected] = [await viewsAroundFork(saving), await viewsAroundFork(reading)];
    expect(views).toEqual(expected);
    const depths = views.map(({ depth }) => depth);
    expect(depths.slice(0, 3)).not.toEqual(depths.slice(0, 3).toSorted((a, b) => a - b));
    expect(depths.at(-1)).toBe(32);
  });

  it('follows a fork that drops the block at its cursor within half a minute, although no balance changed', async () => {
    await using shop = await ShopHours.open({ savesCalls: true });
    await shop.callsDuring(POLLS_PER_MINUTE);
    const cursor = async (): Promise<{ height: number; hash: string } | undefined> =>
      findCursor(shop.wallet.db, shop.wallet.chain('SOL'));
    const before = await cursor();
    shop.node.fork({ depth: 30 });
    for (let poll = 0; poll < POLLS_PER_MINUTE / 2; poll += 1) await shop.poll();
    const after = await cursor();
    expect(after?.height).toBeGreaterThan(before?.height ?? 0);
    expect(shop.node.ledger.blockAt(after?.height ?? 0)?.blockhash).toBe(after?.hash);
    expect(
      shop.node.ledger.blocksBetween(0, after?.height ?? 0).map(({ blockhash }) => blockhash),
    ).not.toContain(before?.hash);
  });

  it('lets an unpaid payment expire within half a minute of its deadline', async () => {
    await using shop = await ShopHours.open({ savesCalls: true });
    await shop.poll();
    const payment = await shop.order();
    const { expiresAt } = await shop.wallet.db
      .selectFrom('payments')
      .select('expiresAt')
      .where('id', '=', payment.id)
      .executeTakeFirstOrThrow();
    while ((await shop.payment(payment)).status === 'pending') await shop.poll();
    expect((await shop.payment(payment)).status).toBe('expired');
    expect(shop.wallet.clock.now() - expiresAt).toBeLessThanOrEqual(40_000);
  });
});
