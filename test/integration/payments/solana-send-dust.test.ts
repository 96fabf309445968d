import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { formatCoinAmount } from '../../../src/domain/money.ts';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import type { InjectedFault } from '../../_helpers/svm/faults.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { balanceOf, EXPIRY, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';

const DEPOSIT = 500_000_000n;

describe('one lamport sent to a deposit address before the daemon has noticed it', () => {
  let world: SvmWorld;
  let shop: Shop;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  beforeEach(async () => {
    shop = await world.openShop();
  });

  const balance = async (): Promise<bigint> => balanceOf(shop);

  /** Completed payments of half a SOL each. Answers their addresses, the one that a send draws on first before the others. */
  async function earn(count: number): Promise<string[]> {
    return (await world.earn(shop, count, DEPOSIT)).toSorted();
  }

  /** The daemon reads no history any more, so what comes in meanwhile stays unnoticed. */
  const blindfold = (): InjectedFault =>
    world.node.inject({ kind: 'status', status: 503 }, { methods: ['getSignaturesForAddress'] });

  function dust(address: string): void {
    world.payer.pay([{ address, amount: 1n }]);
    world.node.advance(2);
  }

  async function send(destination: string, amount: bigint): Promise<SendJson> {
    const order = { coin: 'SOL', destination, amount: formatCoinAmount(amount, 'SOL') };
    const { body } = await shop.send(order);
    if (!body.success) throw new Error(JSON.stringify(body));
    return body.data;
  }

  async function ended(id: string, status: string): Promise<Record<string, string>> {
    return eventually(
      `the send is ${status}`,
      () =>
        shop.api.must<Record<string, string>>('GET', `/merchant/wallet/send-status?sendId=${id}`, {
          token: shop.secretKey,
        }),
      (told) => told['status'] === status,
      20_000,
    );
  }

  const feeOf = (txid: string): bigint => world.node.ledger.transaction(txid)?.fee ?? -1n;

  it('makes the next send use other deposits, and later sends use all deposits', async () => {
    const [dusted, ...others] = await earn(3);
    const blind = blindfold();
    dust(dusted!);
    const destination = strangerAddress();
    const refused = await shop.send({ coin: 'SOL', destination, amount: '1.2' });
    expect(refused.body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    const sent = await send(destination, 700_000_000n);
    world.node.advance(2);
    blind.clear();
    await ended(sent.id, 'confirmed');
    expect(world.lamports(dusted!)).toBe(DEPOSIT + 1n);
    expect(others.map((address) => world.lamports(address))).toEqual([0n, 0n]);
    const rest = DEPOSIT + 300_000_001n - feeOf(sent.txHash);
    await eventually('it is noticed', balance, (now) => now === rest);
    const next = await send(destination, 600_000_000n);
    world.node.advance(2);
    await ended(next.id, 'confirmed');
    expect(world.lamports(dusted!)).toBe(0n);
    expect(world.lamports(destination)).toBe(1_300_000_000n);
  });

  it('makes a send fail, at the cost of its fee, when it arrives after signing, and the next send works', async () => {
    const [dusted] = await earn(1);
    const destination = strangerAddress();
    world.node.dropNext(1);
    const failing = await send(destination, 300_000_000n);
    dust(dusted!);
    world.node.landDropped();
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('send.failed', failing.id);
    const fee = feeOf(failing.txHash);
    expect(world.node.ledger.transaction(failing.txHash)?.err).toHaveProperty('InsufficientFundsForRent');
    const status = await ended(failing.id, 'failed');
    expect(status['error']).toMatch(/only the network fee was spent/);
    const rest = DEPOSIT + 1n - fee;
    await eventually('the rest is free', balance, (now) => now === rest);
    const next = await send(destination, 300_000_000n);
    world.node.advance(2);
    await ended(next.id, 'confirmed');
    expect(world.lamports(destination)).toBe(300_000_000n);
    expect(await balance()).toBe(rest - 300_000_000n - feeOf(next.txHash));
  });

  it('makes the renewal of a lost send use another deposit and pay once', async () => {
    const [dusted, other] = await earn(2);
    const destination = strangerAddress();
    world.node.dropNext(1);
    const sent = await send(destination, 300_000_000n);
    const drawn = world.node.dropped[0]?.staticKeys[0];
    const idle = drawn === dusted ? other : dusted;
    // No transaction brought it, so the ledger will never know it.
    world.node.ledger.put(drawn!, { ...world.node.ledger.machine.account(drawn!)!, lamports: DEPOSIT + 1n });
    world.node.advance(EXPIRY);
    await eventually(
      'it landed',
      () => {
        // Until the daemon no longer waits for a history of what no transaction brought.
        world.till.clock.advance(1_000);
        return String(world.lamports(destination));
      },
      (now) => now === '300000000',
      30_000,
    );
    world.node.advance(2);
    const status = await ended(sent.id, 'confirmed');
    expect(status['txHash']).not.toBe(sent.txHash);
    expect(status['fee']).toBe(formatCoinAmount(feeOf(status['txHash'] ?? ''), 'SOL'));
    expect([world.lamports(drawn!), world.lamports(idle!)]).toEqual([DEPOSIT + 1n, 0n]);
    expect(world.node.ledger.transactionsOf(destination)).toHaveLength(1);
    expect(world.sink.types(sent.id)).not.toContain('send.failed');
    const rest = DEPOSIT + 200_000_000n - feeOf(status['txHash'] ?? '');
    await eventually('the first deposit is free again', balance, (now) => now === rest);
  });
});
