import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmWorld } from '../../_helpers/svm/world.ts';

const FIRST = 1_000_000n;

describe('thousands of payments of one lamport, each in its own slot, while the daemon was down', () => {
  let world: SvmWorld;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  /** Answers the payment and what catching up took: processor time of this process, the node's included. */
  async function catchUp(slots: number): Promise<{ payment: PaymentJson; cpuMs: number; paidIn: number[] }> {
    const shop = await world.openShop();
    const { id, options } = await shop.createPayment({ allowedCryptos: ['SOL'] });
    const { address } = options['SOL'];
    await world.till.down();
    world.payer.pay([{ address, amount: FIRST }]);
    const paidIn = [world.node.ledger.top.slot];
    for (let made = 1; made < slots; made += 1) {
      world.node.advance();
      world.payer.pay([{ address, amount: 1n }]);
      paidIn.push(world.node.ledger.top.slot);
    }
    // Most of it is final, the rest is confirmed.
    world.node.advance(10);
    const before = process.cpuUsage();
    await world.till.up();
    const expected = `0.00${1_000_000 + slots - 1}`;
    const payment = await eventually(
      'all of it is credited',
      () => shop.payment(id),
      (now) => now.options['SOL'].received === expected,
      60_000,
    );
    const { user, system } = process.cpuUsage(before);
    await world.till.ready();
    return { payment, cpuMs: (user + system) / 1_000, paidIn };
  }

  it('are read in linear time, cause few events, and each keeps its slot', async () => {
    await catchUp(100);
    const few = await catchUp(200);
    const many = await catchUp(1_200);
    // Six times as many.
    expect(many.cpuMs / few.cpuMs).toBeLessThan(12);
    expect(many.payment).toMatchObject({ status: 'underpaid', exception: null });
    const shown = new Set(many.payment.transactions.map(({ blockHeight }) => blockHeight));
    expect(shown.size).toBe(100);
    expect(many.paidIn).toEqual(expect.arrayContaining([...shown]));
    // Recorded slot by slot it would be an event for each.
    expect(world.sink.of(many.payment.id).length).toBeLessThan(50);
  });
});
