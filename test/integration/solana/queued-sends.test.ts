import { base58 } from '@scure/base';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import type { SendJson, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { runTool } from '../../_helpers/tool.ts';
import { balanceOf, EXPIRY, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';

const SOL = 1_000_000_000n;
const CENT = SOL / 100n;

interface Refund {
  readonly sendId: string;
  readonly status: string;
}

async function send(shop: Shop, amount: bigint | 'max', destination = strangerAddress()): Promise<SendJson> {
  const text = amount === 'max' ? amount : formatCoinAmount(amount, 'SOL');
  const { body } = await shop.send({ coin: 'SOL', destination, amount: text });
  if (!body.success) throw new Error(JSON.stringify(body));
  return body.data;
}

const status = async (shop: Shop, id: string): Promise<SendJson> =>
  shop.api.must('GET', `/merchant/wallet/send-status?sendId=${id}`, { token: shop.secretKey });

/** Whether bytes as they are offered to a node name an account. */
function isFor(address: string, wire: unknown): boolean {
  return (
    typeof wire === 'string' && Buffer.from(wire, 'base64').includes(Buffer.from(base58.decode(address)))
  );
}

describe('Solana sends that spend the change of queued sends', () => {
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

  it('are accepted immediately, and reduce the balance', async () => {
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

  it('are refused above the amount that the queued sends leave, with the available amount', async () => {
    const shop = await openFunded(40n * CENT);
    await send(shop, 10n * CENT);
    await send(shop, 10n * CENT);
    const rest = await balanceOf(shop);
    const { body } = await shop.send({ coin: 'SOL', destination: strangerAddress(), amount: '0.3' });
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    expect(body.error?.message).toContain(`${formatCoinAmount(rest, 'SOL')} SOL is available`);
    expect(body.error?.message).not.toContain('more');
  });

  it('are all executed once and in order when twenty are concurrent, and max empties the wallet to exactly zero', async () => {
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

  it('expire in the queue and are signed again once, when they are first in the queue', async () => {
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

  describe('behind a send with an unexpected result', () => {
    it('continue when that send is executed with an error, and max includes the returned amount', async () => {
      const shop = await openFunded(40n * CENT);
      const [closed, one, last] = [strangerAddress(), strangerAddress(), strangerAddress()];
      world.payer.pay([{ address: closed, amount: CENT }]);
      world.node.advance(2);
      world.node.dropNext(1);
      const first = await send(shop, CENT / 20n, closed);
      const second = await send(shop, CENT, one);
      const third = await send(shop, 'max', last);
      expect([second.status, third.status]).toEqual(['queued', 'queued']);
      const offers = world.node.inject(
        { kind: 'rewrite', rewrite: (result) => result },
        { methods: ['sendTransaction'], about: ([wire]) => isFor(last, wire) },
      );
      // The destination closes its account: too little arrives to open it again.
      world.node.ledger.put(closed, { ...world.node.ledger.machine.account(closed)!, lamports: 0n });
      world.node.landDropped();
      await confirmed(shop, [second.id]);
      // The plan with a smaller remainder expires before the send is signed again; no node receives its bytes before.
      const examined = (): number =>
        world.node.calls.filter((method) => method === 'isBlockhashValid').length;
      const before = examined();
      await until('the last one is examined', () => examined() > before + 3);
      expect(offers.hits).toBe(0);
      offers.clear();
      world.node.advance(EXPIRY);
      await until('it is told as failed', () => world.sink.types(first.id).includes('send.failed'));
      await confirmed(shop, [third.id]);
      expect([lands(one), lands(last)]).toEqual([1, 1]);
      expect(world.lamports(one)).toBe(CENT);
      const rest = world.lamports(shop.wallets.SOL);
      const told = parseCoinAmount(third.amount, 'SOL');
      expect(world.lamports(last)).toBeGreaterThanOrEqual(told);
      expect(await balanceOf(shop)).toBe(rest);
    });

    it('continue when that send is signed again at a higher fee, and max sends the remainder', async () => {
      const shop = await openFunded(40n * CENT);
      const [one, last] = [strangerAddress(), strangerAddress()];
      world.node.dropNext(1);
      const first = await send(shop, CENT, one);
      const rest = await send(shop, 'max', last);
      world.node.advance(EXPIRY);
      world.till.clock.advance(6_000);
      await confirmed(shop, [first.id, rest.id]);
      expect([lands(one), lands(last)]).toEqual([1, 1]);
      const now = await status(shop, first.id);
      expect(parseCoinAmount(now.fee, 'SOL')).toBeGreaterThan(parseCoinAmount(first.fee, 'SOL'));
      expect(world.lamports(last)).toBeLessThan(parseCoinAmount(rest.amount, 'SOL'));
      expect(world.lamports(shop.wallets.SOL)).toBe(0n);
      expect(await balanceOf(shop)).toBe(0n);
    });

    it('continue when that send is cancelled in the queue, whereas a broadcast send cannot be cancelled', async () => {
      const shop = await openFunded(40n * CENT);
      const cancel = async (sendId: string) =>
        shop.api.call<SendJson>('POST', '/merchant/wallet/send/cancel', {
          token: shop.secretKey,
          body: { sendId },
        });
      const [one, cancelled, other] = [strangerAddress(), strangerAddress(), strangerAddress()];
      const first = await send(shop, CENT, one);
      const before = await balanceOf(shop);
      const second = await send(shop, 10n * CENT, cancelled);
      const third = await send(shop, CENT, other);
      expect((await cancel(first.id)).body.error).toMatchObject({ code: 'INVALID_STATE' });
      const answer = await cancel(second.id);
      expect(answer.body.data).toMatchObject({
        status: 'failed',
        error: 'cancelled before it was broadcast',
      });
      expect(await balanceOf(shop)).toBe(before - CENT - parseCoinAmount(third.fee, 'SOL'));
      await confirmed(shop, [first.id, third.id]);
      await world.sink.waitForEvent('send.failed', second.id);
      expect([lands(one), lands(cancelled), lands(other)]).toEqual([1, 0, 1]);
    });

    it('are executed once, like that send, when a fork drops it after they were broadcast', async () => {
      const shop = await openFunded(40n * CENT);
      const [one, other] = [strangerAddress(), strangerAddress()];
      const first = await send(shop, CENT, one);
      const second = await send(shop, CENT, other);
      world.node.advance(2);
      await world.sink.waitForEvent('send.confirmed', first.id);
      await world.sink.waitForEvent('send.broadcast', second.id);
      world.node.fork({ depth: 2, drop: [first.txHash] });
      await until('both have arrived', () => lands(one) === 1 && lands(other) === 1);
      await confirmed(shop, [first.id, second.id]);
      expect([world.lamports(one), world.lamports(other)]).toEqual([CENT, CENT]);
      await until('the balance is the rest', async () => {
        return (await balanceOf(shop)) === world.lamports(shop.wallets.SOL);
      });
      // The tip is shown at most 31 slots above the finalized one, and the fork skipped some.
      world.node.advance(40);
    });
  });

  it('wait while the node does not respond, and continue once it does', async () => {
    const shop = await openFunded(40n * CENT);
    const destinations = [strangerAddress(), strangerAddress(), strangerAddress()];
    const sent: SendJson[] = [];
    for (const destination of destinations) sent.push(await send(shop, CENT, destination));
    const away = world.node.inject({ kind: 'status', status: 503 }, {});
    world.node.advance(3);
    await eventually(
      'the node is asked in vain',
      () => away.hits,
      (hits) => hits > 5,
    );
    const waiting = await Promise.all(sent.slice(1).map(async ({ id }) => (await status(shop, id)).status));
    expect(waiting).toEqual(['queued', 'queued']);
    away.clear();
    await confirmed(
      shop,
      sent.map(({ id }) => id),
    );
    expect(destinations.map(lands)).toEqual([1, 1, 1]);
  });

  it('are not broadcast while the wallet is frozen, and are broadcast after the unfreeze unless cancelled', async () => {
    const [shop, other] = [await openFunded(40n * CENT), await openFunded(40n * CENT)];
    const to = [strangerAddress(), strangerAddress(), strangerAddress()] as const;
    const sent: string[] = [];
    for (const address of to) sent.push((await send(shop, 4n * CENT, address)).id);
    const [first = '', kept = '', stolen = ''] = sent;
    const only = ['--shop', shop.merchantId, '--data-dir', world.till.dataDir];
    await runTool('tillctl', ['freeze', '--reason', 'a key was stolen', ...only]);
    const cancelled = await shop.api.must('POST', '/merchant/wallet/send/cancel', {
      token: shop.secretKey,
      body: { sendId: stolen },
    });
    expect(cancelled).toMatchObject({ status: 'failed' });
    await confirmed(shop, [first]);
    // The queue of another wallet shows that rounds went by.
    const [one, two] = [await send(other, CENT), await send(other, CENT)];
    await confirmed(other, [one.id, two.id]);
    expect(to.map(lands)).toEqual([1, 0, 0]);
    await runTool('tillctl', ['unfreeze', ...only]);
    await confirmed(shop, [kept]);
    expect(to.map(lands)).toEqual([1, 1, 0]);
  });

  it('also spend deposits, which they empty, and leave the change on the merchant address', async () => {
    const shop = await openFunded(40n * CENT);
    const [deposit] = await world.earn(shop, 1, 50n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    const first = await send(shop, 10n * CENT, one);
    const second = await send(shop, 70n * CENT, other);
    expect(second.status).toBe('queued');
    await confirmed(shop, [first.id, second.id]);
    expect(world.lamports(deposit!)).toBe(0n);
    expect([world.lamports(one), world.lamports(other)]).toEqual([10n * CENT, 70n * CENT]);
    expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL));
  });

  it('are never planned to leave less than the rent minimum on the merchant address', async () => {
    const shop = await openFunded(10n * CENT);
    await send(shop, CENT);
    const amount = (await balanceOf(shop)) - 100_000n;
    const order = { coin: 'SOL', destination: strangerAddress(), amount: formatCoinAmount(amount, 'SOL') };
    const { body } = await shop.send(order);
    expect(body.error).toMatchObject({ code: 'VALIDATION_INVALID' });
  });

  it('wait in the queue like others when they are refunds, and the payment is refunded once a node has them', async () => {
    const shop = await openFunded(40n * CENT);
    const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
    world.payer.pay([{ address: payment.options['SOL'].address, amount: 60n * CENT }]);
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('payment.completed', payment.id);
    // Both the deposit and the merchant address are in use.
    const first = await send(shop, 90n * CENT);
    const payer = strangerAddress();
    await shop.api.must('POST', '/payment/refund', {
      token: shop.secretKey,
      body: { paymentId: payment.id, coin: 'SOL', amount: '0.05', destination: payer },
    });
    const refunds = async () =>
      ((await shop.payment(payment.id)) as unknown as { refunds: Refund[] }).refunds;
    const [refund] = await refunds();
    expect(refund?.status).toBe('queued');
    await confirmed(shop, [first.id, refund?.sendId ?? '']);
    expect((await refunds()).map((each) => each.status)).toEqual(['confirmed']);
    expect(world.lamports(payer)).toBe(5n * CENT);
    expect(lands(payer)).toBe(1);
  });
});
