import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { balanceOf, SvmWorld } from '../../_helpers/svm/world.ts';
import type { TillProcess } from '../../_helpers/till.ts';

const FUNDS = 1_000_000_000n;
const AMOUNT = 100_000_000n;
const BEFORE = { kind: 'delay', ms: 5_000 } as const;
const AFTER = { kind: 'cut', after: true } as const;

describe('a daemon killed with kill -9 while Solana sends wait in the queue', () => {
  let world: SvmWorld<TillProcess>;
  let shop: Shop;

  beforeAll(async () => {
    world = await SvmWorld.startProcess();
    shop = await world.openShop();
    world.payer.pay([{ address: shop.wallets.SOL, amount: FUNDS }]);
    world.node.advance(2);
    await eventually(
      'the wallet is credited',
      () => balanceOf(shop),
      (now) => now === FUNDS,
    );
  });
  afterAll(async () => world.end());

  async function order(destination: string, amount = '0.1'): Promise<SendJson> {
    const headers = { 'idempotency-key': `to ${destination}` };
    const { body } = await shop.send({ coin: 'SOL', destination, amount }, headers);
    if (!body.success) throw new Error(JSON.stringify(body));
    return body.data;
  }

  const statusOf = async (id: string): Promise<string> => {
    const path = `/merchant/wallet/send-status?sendId=${id}`;
    return (await shop.api.must<SendJson>('GET', path, { token: shop.secretKey })).status;
  };

  async function restart(): Promise<void> {
    await world.till.kill9();
    await world.till.up();
    await world.till.ready();
  }

  it('pays each send once and in order, killed before and after the node has its bytes', async () => {
    const destinations = Array.from({ length: 6 }, () => strangerAddress());
    const offers = destinations.map((destination, at) =>
      world.node.inject(at % 2 === 0 ? BEFORE : AFTER, {
        methods: ['sendTransaction'],
        about: ([wire]) => isFor(destination, wire),
      }),
    );
    const [first, ...others] = destinations;
    const asked = order(first!).catch(() => null);
    await eventually(
      'the node is asked for the first',
      () => offers[0]!.hits,
      (hits) => hits > 0,
    );
    // One after the other: concurrent orders have no order among themselves.
    const sent: SendJson[] = [];
    for (const destination of others) sent.push(await order(destination));
    expect(sent.map(({ status }) => status)).toEqual(others.map(() => 'queued'));
    const last = await order(strangerAddress(), 'max');
    expect(last.status).toBe('queued');
    for (const [at, offer] of offers.entries()) {
      world.node.tick(100);
      await eventually(
        `the node is asked for number ${at}`,
        () => offer.hits,
        (hits) => hits > 0,
        60_000,
      );
      const after = destinations.slice(at + 1);
      expect(after.map((address) => world.node.ledger.transactionsOf(address).length)).toEqual(
        after.map(() => 0),
      );
      world.node.hold();
      await world.till.kill9();
      await asked;
      offer.clear();
      await world.till.up();
      await world.till.ready();
    }
    world.node.tick(100);
    const again = await order(first!);
    for (const { id } of [again, ...sent, last]) {
      await eventually(
        'it is confirmed',
        async () => statusOf(id),
        (status) => status === 'confirmed',
        120_000,
      );
    }
    world.node.hold();
    expect(destinations.map((address) => world.node.ledger.transactionsOf(address).length)).toEqual(
      destinations.map(() => 1),
    );
    expect(destinations.map((address) => world.node.ledger.machine.lamports(address))).toEqual(
      destinations.map(() => AMOUNT),
    );
    expect(world.node.ledger.machine.lamports(shop.wallets.SOL)).toBe(0n);
    expect(await balanceOf(shop)).toBe(0n);
  });

  it('keeps a queued send unchanged after a restart, and does not broadcast it before the earlier sends', async () => {
    world.payer.pay([{ address: shop.wallets.SOL, amount: FUNDS }]);
    world.node.advance(2);
    await eventually(
      'the wallet is credited',
      () => balanceOf(shop),
      (now) => now === FUNDS,
    );
    const [one, other] = [strangerAddress(), strangerAddress()];
    world.node.dropNext(1_000);
    const first = await order(one);
    const second = await order(other);
    const balance = await balanceOf(shop);
    const offers = world.node.inject(
      { kind: 'rewrite', rewrite: (result) => result },
      { methods: ['sendTransaction'], about: ([wire]) => isFor(other, wire) },
    );
    await restart();
    expect(await balanceOf(shop)).toBe(balance);
    expect(await order(other)).toMatchObject({ id: second.id, status: 'queued', txHash: second.txHash });
    await eventually(
      'the first is offered again',
      () => world.node.dropped.length,
      (count) => count > 1,
      30_000,
    );
    expect(offers.hits).toBe(0);
    offers.clear();
    world.node.dropNext(0);
    world.node.landDropped();
    world.node.tick(100);
    for (const { id } of [first, second]) {
      await eventually(
        'it is confirmed',
        async () => statusOf(id),
        (status) => status === 'confirmed',
        60_000,
      );
    }
    world.node.hold();
    expect([one, other].map((address) => world.node.ledger.transactionsOf(address).length)).toEqual([1, 1]);
  });
});

/** Whether bytes as they are offered to a node name an account. */
function isFor(address: string, wire: unknown): boolean {
  return (
    typeof wire === 'string' && Buffer.from(wire, 'base64').includes(Buffer.from(base58.decode(address)))
  );
}
