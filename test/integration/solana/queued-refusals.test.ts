import { join } from 'node:path';
import { base58 } from '@scure/base';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { confirmed, openFunded, sendTo, statusOf, until } from '../../_helpers/svm/sends.ts';
import { balanceOf, EXPIRY, SvmWorld } from '../../_helpers/svm/world.ts';

const CENT = 10_000_000n;

const keyed = async (shop: Shop, key: string, destination: string, amount: string): Promise<SendJson> =>
  sendTo(shop, destination, { amount }, { 'idempotency-key': key });

function keyOf(world: SvmWorld, { id }: SendJson): unknown {
  const db = new Database(join(world.till.dataDir, 'tilld.sqlite'), { readonly: true });
  const key = db.prepare('SELECT idempotency_key FROM sends WHERE id = ?').pluck().get(id);
  db.close();
  return key;
}

/** Whether bytes as they are offered to a node name an account. */
function isFor(address: string, wire: unknown): boolean {
  return (
    typeof wire === 'string' && Buffer.from(wire, 'base64').includes(Buffer.from(base58.decode(address)))
  );
}

function withoutAccounts(result: unknown): unknown {
  const { value, ...rest } = result as { value: unknown[] };
  return { ...rest, value: value.map(() => null) };
}

/** A backend shows nothing of this account to a request for its latest state. */
function hideBalance(world: SvmWorld, address: string) {
  const about = ([addresses, options]: readonly unknown[]): boolean =>
    (addresses as string[]).includes(address) &&
    (options as { minContextSlot?: number }).minContextSlot === 0;
  return world.node.inject(
    { kind: 'rewrite', rewrite: withoutAccounts },
    { methods: ['getMultipleAccounts'], about },
  );
}

describe('queued Solana sends that a backend rejects or for which it has no funds', () => {
  let world: SvmWorld;
  const arrivals = (address: string): number => world.node.ledger.transactionsOf(address).length;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  it('are rebroadcast after a rejection by a backend that does not have the previous send yet', async () => {
    const shop = await openFunded(world, CENT);
    await world.earn(shop, 1, 50n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    await sendTo(shop, one, { amount: '0.2' });
    const second = await keyed(shop, 'second', other, '0.25');
    expect(second.status).toBe('queued');
    const message =
      'Transaction simulation failed: Error processing Instruction 2: custom program error: 0x1';
    const refusal = world.node.inject(
      { kind: 'error', code: -32_002, message },
      { methods: ['sendTransaction'], about: ([wire]) => isFor(other, wire), times: 1 },
    );
    await confirmed(world, shop, second);
    expect(refusal.hits).toBe(1);
    expect(arrivals(other)).toBe(1);
    expect((await keyed(shop, 'second', other, '0.25')).id).toBe(second.id);
  });

  it('wait while the money of the previous send is not visible, however long ago they were created', async () => {
    const shop = await openFunded(world, 40n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    world.node.dropNext(1);
    const first = await sendTo(shop, one);
    const second = await sendTo(shop, other);
    world.till.clock.advance(11 * 60_000);
    world.node.advance(EXPIRY);
    await confirmed(world, shop, first);
    const hidden = hideBalance(world, shop.wallets.SOL);
    world.node.advance(EXPIRY);
    await until(world, 'the balance is asked for in vain', () => hidden.hits > 5);
    expect((await statusOf(shop, second.id)).status).toBe('queued');
    hidden.clear();
    await confirmed(world, shop, second);
    expect([one, other].map(arrivals)).toEqual([1, 1]);
  });

  it('fail once the money was missing for ten minutes after their expiry, and release funds and Idempotency-Key', async () => {
    const shop = await openFunded(world, 40n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    const first = await keyed(shop, 'first', one, '0.01');
    const second = await keyed(shop, 'second', other, '0.01');
    const hidden = hideBalance(world, shop.wallets.SOL);
    await confirmed(world, shop, first);
    world.node.advance(EXPIRY);
    const before = hidden.hits;
    await until(world, 'the balance is asked for in vain', () => hidden.hits > before + 5);
    expect((await statusOf(shop, second.id)).status).toBe('queued');
    // The ten minutes begin when the daemon has seen the expiry.
    await until(world, 'it failed', async () => {
      world.till.clock.advance(60_000);
      return (await statusOf(shop, second.id)).status === 'failed';
    });
    hidden.clear();
    expect(keyOf(world, second)).toBeNull();
    expect(keyOf(world, first)).not.toBeNull();
    const third = await sendTo(shop, other);
    await confirmed(world, shop, third);
    expect(arrivals(other)).toBe(1);
    expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL));
  });
});
