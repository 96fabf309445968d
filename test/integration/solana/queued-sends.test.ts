import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { balanceOf, EXPIRY, SvmWorld } from '../../_helpers/svm/world.ts';

const SOL = 1_000_000_000n;
const CENT = SOL / 100n;

async function send(shop: Shop, amount: bigint | 'max', destination = strangerAddress()): Promise<SendJson> {
  const text = amount === 'max' ? amount : formatCoinAmount(amount, 'SOL');
  const { body } = await shop.send({ coin: 'SOL', destination, amount: text });
  if (!body.success) throw new Error(JSON.stringify(body));
  return body.data;
}

const status = async (shop: Shop, id: string): Promise<SendJson> =>
  shop.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });

describe('Solana sends that draw on what others leave', () => {
  let world: SvmWorld;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  /** A shop with this much on its merchant address. */
  async function openFunded(amount: bigint): Promise<Shop> {
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

  /** Blocks go by, and the daemon's clock, until something is so. */
  async function until(what: string, isSo: () => Promise<boolean> | boolean): Promise<void> {
    world.node.tick(400);
    const look = async (): Promise<boolean> => {
      world.till.clock.advance(400);
      return isSo();
    };
    await eventually(what, look, Boolean, 120_000);
    world.node.hold();
  }

  async function confirmed(shop: Shop, ids: readonly string[]): Promise<void> {
    for (const id of ids)
      await until('it is confirmed', async () => (await status(shop, id)).status === 'confirmed');
  }

  const feeOf = (txid: string): bigint => world.node.ledger.transaction(txid)?.fee ?? -1n;
  const lands = (address: string): number => world.node.ledger.transactionsOf(address).length;

  it('are accepted at once, and show in the balance', async () => {
    const shop = await openFunded(40n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    const first = await send(shop, CENT, one);
    expect(first.status).toBe('broadcast');
    const left = 39n * CENT - parseCoinAmount(first.fee, 'SOL');
    expect(await balanceOf(shop)).toBe(left);
    const second = await send(shop, CENT, other);
    expect(second).toMatchObject({ status: 'queued', txHash: expect.stringMatching(/^\w{80,90}$/) });
    expect(await balanceOf(shop)).toBe(left - CENT - parseCoinAmount(second.fee, 'SOL'));
    expect(lands(other)).toBe(0);
    await confirmed(shop, [first.id, second.id]);
    expect([world.lamports(one), world.lamports(other)]).toEqual([CENT, CENT]);
    expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL));
  });

  it('are refused beyond what the others leave, with a word about how much that is', async () => {
    const shop = await openFunded(40n * CENT);
    await send(shop, 10n * CENT);
    await send(shop, 10n * CENT);
    const rest = await balanceOf(shop);
    const { body } = await shop.send({ coin: 'SOL', destination: strangerAddress(), amount: '0.3' });
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(body.error?.message).toContain(`${formatCoinAmount(rest, 'SOL')} SOL is available`);
    expect(body.error?.message).not.toContain('more');
  });

  it('twenty at once all arrive, each once and in order, and max empties the wallet to exactly zero', async () => {
    const shop = await openFunded(100n * CENT);
    const destinations = Array.from({ length: 20 }, () => strangerAddress());
    const sent = await Promise.all(destinations.map(async (address) => send(shop, 4n * CENT, address)));
    const last = strangerAddress();
    const rest = await send(shop, 'max', last);
    expect(sent.filter((each) => each.status === 'queued')).toHaveLength(19);
    expect(await balanceOf(shop)).toBe(0n);
    await confirmed(
      shop,
      [...sent, rest].map(({ id }) => id),
    );
    expect(destinations.map((address) => world.lamports(address))).toEqual(destinations.map(() => 4n * CENT));
    expect([...destinations, last].map(lands)).toEqual(Array.from({ length: 21 }, () => 1));
    const landed = await Promise.all([...sent, rest].map(async ({ id }) => status(shop, id)));
    const fees = landed.reduce((sum, { txHash }) => sum + feeOf(txHash), 0n);
    expect(world.lamports(last)).toBe(20n * CENT - fees);
    expect(world.lamports(shop.wallets.SOL)).toBe(0n);
    expect(await balanceOf(shop)).toBe(0n);
  });

  it('expire in the queue and are signed anew once, when their turn comes', async () => {
    const shop = await openFunded(40n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    world.node.dropNext(1);
    const first = await send(shop, CENT, one);
    const second = await send(shop, CENT, other);
    world.node.advance(EXPIRY);
    world.till.clock.advance(6_000);
    await confirmed(shop, [first.id, second.id]);
    expect([lands(one), lands(other)]).toEqual([1, 1]);
    expect([world.lamports(one), world.lamports(other)]).toEqual([CENT, CENT]);
    expect((await status(shop, second.id)).txHash).not.toBe(second.txHash);
    expect(world.node.ledger.transaction(second.txHash)).toBeUndefined();
  });
});
