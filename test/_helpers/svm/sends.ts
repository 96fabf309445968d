import { expect } from 'vitest';
import type { SendJson, Shop } from '../api-client.ts';
import { eventually } from '../poll.ts';
import { balanceOf, type SvmWorld } from './world.ts';

/** A shop with this much on its merchant address, lamports. */
export async function openFunded(world: SvmWorld, amount: bigint): Promise<Shop> {
  const shop = await world.openShop();
  world.payer.pay([{ address: shop.wallets.SOL, amount }]);
  world.node.advance(2);
  await eventually(
    'the wallet is credited',
    () => balanceOf(shop),
    (now) => now === amount,
  );
  return shop;
}

export async function statusOf(shop: Shop, id: string): Promise<SendJson> {
  return shop.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });
}

/** Sends 0.01 SOL unless the order says otherwise. */
export async function sendTo(
  shop: Shop,
  destination: string,
  order: Readonly<Record<string, unknown>> = {},
  headers: Record<string, string> = {},
): Promise<SendJson> {
  const { body } = await shop.send({ coin: 'SOL', destination, amount: '0.01', ...order }, headers);
  if (!body.success) throw new Error(JSON.stringify(body));
  return body.data;
}

/** Blocks go by, and the daemon's clock, until something is so. */
export async function until(
  world: SvmWorld,
  what: string,
  isSo: () => Promise<boolean> | boolean,
): Promise<void> {
  world.node.tick(400);
  try {
    await eventually(
      what,
      async () => {
        world.till.clock.advance(400);
        return isSo();
      },
      Boolean,
      120_000,
    );
  } finally {
    world.node.hold();
  }
}

export async function confirmed(world: SvmWorld, shop: Shop, ...sends: readonly SendJson[]): Promise<void> {
  for (const { id } of sends) {
    await until(world, 'it is confirmed', async () => (await statusOf(shop, id)).status === 'confirmed');
  }
}

/** A next send of the wallet arrives, and the balance is that of the chain. */
export async function requireUsable(world: SvmWorld, shop: Shop, destination: string): Promise<void> {
  await confirmed(world, shop, await sendTo(shop, destination));
  expect(world.node.ledger.transactionsOf(destination)).toHaveLength(1);
  expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL));
}
