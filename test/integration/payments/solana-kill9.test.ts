import { setTimeout as sleep } from 'node:timers/promises';
import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { PaymentJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { balanceOf, due, SvmWorld } from '../../_helpers/svm/world.ts';
import type { TillProcess } from '../../_helpers/till.ts';

describe('a daemon that is killed while it reads a Solana node', () => {
  let world: SvmWorld<TillProcess>;
  let shop: Shop;

  beforeAll(async () => {
    world = await SvmWorld.startProcess();
    shop = await world.openShop();
  });
  afterAll(async () => world.end());

  it('credits each payment once when killed at any moment', async () => {
    const payments: PaymentJson[] = [];
    for (let round = 0; round < 3; round += 1) {
      const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
      payments.push(payment);
      world.payer.pay([{ address: payment.options['SOL'].address, amount: due(payment) }]);
      world.node.advance(round * 16 + 1);
      await sleep(round * 60);
      await world.till.kill9();
      world.node.advance(33);
      await world.till.up();
    }
    for (const payment of payments) {
      await world.sink.waitForEvent('payment.completed', payment.id, 120_000);
      expect((await shop.payment(payment.id)).transactions).toHaveLength(1);
    }
    const total = payments.reduce((sum, payment) => sum + due(payment), 0n);
    expect(await balanceOf(shop)).toBe(total);
  });

  it.each([
    ['before the node had the bytes', { kind: 'delay', ms: 5_000 } as const],
    ['after the node accepted the bytes', { kind: 'cut', after: true } as const],
  ])('pays a send once when killed %s', async (_when, fault) => {
    const destination = strangerAddress();
    const body = { coin: 'SOL', amount: '0.2', destination };
    const headers = { 'idempotency-key': `send ${fault.kind}` };
    // Not what is offered again, or gathered, of earlier payments and sends.
    const about = ([wire]: readonly unknown[]): boolean => isFor(destination, wire);
    const held = world.node.inject(fault, { methods: ['sendTransaction'], about });
    const asked = shop.send(body, headers).catch(() => null);
    await eventually(
      'the node is asked',
      () => held.hits,
      (hits) => hits > 0,
    );
    await world.till.kill9();
    await asked;
    held.clear();
    await world.till.up();
    await world.till.ready();
    await eventually(
      'it arrived',
      () => world.node.ledger.machine.lamports(destination),
      (lamports) => lamports === 200_000_000n,
    );
    world.node.advance(2);
    const again = await shop.send(body, headers);
    expect(world.node.ledger.transactionsOf(destination).map(({ wire }) => wire.signature)).toEqual([
      again.body.data.txHash,
    ]);
    const path = `/merchant/wallet/send-status?sendId=${again.body.data.id}`;
    await eventually(
      'the send is confirmed',
      () => shop.api.must<Record<string, string>>('GET', path, { token: shop.secretKey }),
      ({ status }) => status === 'confirmed',
    );
  });
});

/** Whether bytes as they are offered to a node name an account. */
function isFor(address: string, wire: unknown): boolean {
  return (
    typeof wire === 'string' && Buffer.from(wire, 'base64').includes(Buffer.from(base58.decode(address)))
  );
}
