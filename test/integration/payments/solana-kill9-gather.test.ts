import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmWorld } from '../../_helpers/svm/world.ts';
import type { TillProcess } from '../../_helpers/till.ts';

const DEPOSIT = 500_000_000n;
/** Eight deposits and the merchant's own account fit into one send. */
const [STAYING, GATHERED] = [8, 4];

describe('a daemon killed with kill -9 while it sweeps deposits to the merchant address', () => {
  let world: SvmWorld<TillProcess>;

  beforeAll(async () => {
    world = await SvmWorld.startProcess();
  });
  afterAll(async () => world.end());

  it.each([
    ['after signing and storing, before the node had it', { kind: 'cut' } as const, 0n],
    ['after the node accepted it, before that was recorded', { kind: 'cut', after: true } as const, 1n],
  ])('moves each deposit once and has correct balances when killed %s', async (_when, fault, landed) => {
    const shop = await world.openShop();
    const wallet = shop.wallets.SOL;
    const offered = world.node.inject(fault, { methods: ['sendTransaction'] });
    const deposits = await world.earn(shop, STAYING + GATHERED, DEPOSIT);
    await eventually(
      'the node is offered the gathering',
      () => offered.hits,
      (hits) => hits > 0,
      30_000,
    );
    await world.till.kill9();
    offered.clear();
    expect(world.node.ledger.transactionsOf(wallet)).toHaveLength(Number(landed));
    await world.till.up();
    await world.till.ready();
    await eventually(
      'it landed',
      () => world.node.ledger.transactionsOf(wallet).length,
      (count) => count > 0,
      30_000,
    );
    world.node.advance(34);
    const [gathering] = world.node.ledger.transactionsOf(wallet);
    const total = DEPOSIT * BigInt(deposits.length) - (gathering?.fee ?? 0n);
    await eventually(
      'all of it can be spent',
      () => shop.balance('SOL'),
      (now) => parseCoinAmount(now, 'SOL') === total,
      30_000,
    );
    expect(deposits.filter((address) => world.lamports(address) === 0n)).toHaveLength(GATHERED);
    expect(deposits.filter((address) => world.lamports(address) === DEPOSIT)).toHaveLength(STAYING);
    expect(world.lamports(wallet)).toBe(total - DEPOSIT * BigInt(STAYING));
    expect(world.node.ledger.transactionsOf(wallet).filter(({ err }) => err === null)).toHaveLength(1);
  });
});
