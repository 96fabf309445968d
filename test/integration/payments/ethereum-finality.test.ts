import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import type { FaultProxy } from '../../_helpers/nodes/index.ts';
import { RpcError } from '../../_helpers/nodes/json-rpc.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

interface Health {
  readonly height: number;
  readonly state: string;
  readonly lastError: string | null;
}

describe.skipIf(!requireAnvil())('ETH payments with finality tags', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    // The head less one is safe, less two finalized.
    // At 4,000 USD: below 40 USD one block, below 400 USD safe.
    world = await openLiveWorld('ETH', {
      env: { TILLD_CONFIRMATIONS_ETH: '1,0.01:safe,0.1:finalized' },
      node: async () => Anvil.start({ slotsInAnEpoch: 1 }),
    });
    ({ node: anvil, proxy, sink, till, shop } = world);
  });
  afterEach(async () => proxy.heal());
  afterAll(async () => world.end());

  const order = async (amount: string): Promise<PaymentJson> =>
    shop.createPayment({ amount, currency: 'USD', allowedCryptos: ['ETH'] });
  const pay = async (payment: PaymentJson): Promise<string> =>
    anvil.pay({ address: payment.options.ETH.address, amount: wei(payment.options.ETH.amount) });
  const health = async (): Promise<Health | undefined> =>
    (await till.api.call<{ chains: Record<string, Health> }>('GET', '/readyz')).body.data.chains['ETH'];
  const healthUntil = async (what: string, isSo: (now: Health) => boolean): Promise<Health | undefined> =>
    eventually(what, health, (now) => now !== undefined && isSo(now));
  const followed = async (): Promise<void> => {
    const height = await anvil.height();
    await healthUntil(`block ${height} is read`, (now) => now.height === height);
  };
  /** Two looks at the tags at least, so that one of them was wholly after what went before. */
  const looked = async (): Promise<void> => {
    await followed();
    const calls = proxy.calls('eth_getBlockByNumber');
    await proxy.waitForCall('eth_getBlockByNumber', calls + 12);
  };
  const shown = async ({ id }: PaymentJson): Promise<[string, number, number]> => {
    const { status, options } = await shop.payment(id);
    return [status, options.ETH.confirmations, options.ETH.requiredConfirmations];
  };
  const minedAndShown = async (payment: PaymentJson): Promise<[string, number, number]> => {
    await anvil.mine(1);
    await looked();
    return shown(payment);
  };
  const onTag = (tag: string, answer: (result: unknown) => unknown): void => {
    const rewrite = (result: unknown, _method: string, params: readonly unknown[]): unknown =>
      params[0] === tag ? answer(result) : result;
    proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['eth_getBlockByNumber'] });
  };

  it('require a number of blocks, the safe tag or the finalized tag, depending on the amount', async () => {
    const payments = await Promise.all(['20', '200', '2000'].map(order));
    expect(payments.map(({ options }) => [options.ETH.finality, options.ETH.requiredConfirmations])).toEqual([
      [null, 1],
      ['safe', 32],
      ['finalized', 64],
    ]);
    for (const payment of payments) await pay(payment);
    await anvil.mine(1);
    await looked();
    expect(await Promise.all(payments.map(shown))).toEqual([
      ['completed', 1, 1],
      ['confirming', 1, 32],
      ['confirming', 1, 64],
    ]);
    await anvil.mine(1);
    await looked();
    expect(await Promise.all(payments.map(shown))).toEqual([
      ['completed', 2, 1],
      ['completed', 32, 32],
      ['confirming', 2, 64],
    ]);
    await anvil.mine(1);
    for (const { id } of payments) await sink.waitForEvent('payment.completed', id);
    expect(await shown(payments[2]!)).toEqual(['completed', 64, 64]);
    expect((await shop.payment(payments[2]!.id)).transactions[0]).toMatchObject({ confirmations: 64 });
    for (const { id } of payments) {
      expect(sink.types(id).filter((type) => type === 'payment.completed')).toHaveLength(1);
    }
  });

  it('are reversed by a reorg before finality without completing in between', async () => {
    const payment = await order('2000');
    const txid = await pay(payment);
    expect(await minedAndShown(payment)).toEqual(['confirming', 1, 64]);
    await anvil.mine(1);
    await looked();
    await anvil.reorg(2, { doubleSpend: txid });
    await sink.waitForEvent('payment.reversed', payment.id);
    await anvil.mine(3);
    await looked();
    expect(await shown(payment)).toEqual(['pending', 0, 64]);
    expect(sink.types(payment.id)).not.toContain('payment.completed');
  });

  it('wait for finality of the new block when a reorg moves the transaction', async () => {
    const payment = await order('2000');
    const txid = await pay(payment);
    await minedAndShown(payment);
    await anvil.mine(1);
    await looked();
    await anvil.reorg(2, { move: [txid] });
    await looked();
    expect(await shown(payment)).toEqual(['confirming', 2, 64]);
    await anvil.mine(1);
    await sink.waitForEvent('payment.completed', payment.id);
  });

  it.each([
    [
      'an error',
      (): unknown => {
        throw new RpcError('', -39_001, 'finalized block not found');
      },
      'finalized block not found',
    ],
    ['nothing', (): unknown => null, 'no such block'],
  ])(
    'raise an alarm and do not complete early when a node answers %s for a finality tag',
    async (_what, answer, words) => {
      onTag('finalized', answer);
      const payment = await order('2000');
      await pay(payment);
      await anvil.mine(5);
      const told = await healthUntil('the missing tag is told', ({ state }) => state === 'error');
      expect(told?.lastError).toContain('does not return the finalized block');
      expect(told?.lastError).toContain(words);
      expect(told?.lastError).toContain('TILLD_CONFIRMATIONS_ETH');
      expect((await till.api.call('GET', '/readyz')).status).toBe(503);
      await looked();
      // Smaller payments do not wait for it.
      const small = await order('20');
      await pay(small);
      await anvil.mine(1);
      await sink.waitForEvent('payment.completed', small.id);
      expect(await shown(payment)).toEqual(['confirming', 6, 64]);
      await proxy.heal();
      await sink.waitForEvent('payment.completed', payment.id);
      await till.ready();
    },
  );

  it('do not complete when the tagged block is above the tip, on another branch, or lower than before', async () => {
    const payment = await order('2000');
    await pay(payment);
    await anvil.mine(1);
    await looked();
    const { height, hash } = await headOf(anvil);
    onTag('finalized', lie(height + 100, hash));
    await looked();
    expect((await shown(payment))[0]).toBe('confirming');
    await proxy.heal();
    onTag('finalized', lie(height, `0x${'5'.repeat(64)}`));
    const told = await healthUntil('the stray block is told', ({ state }) => state === 'error');
    expect(told?.lastError).toContain('not on the chain');
    expect((await shown(payment))[0]).toBe('confirming');
    await proxy.heal();
    const old = await anvil.rpc('eth_getBlockByNumber', ['0x1', false]);
    onTag('finalized', () => old);
    await looked();
    expect((await shown(payment))[0]).toBe('confirming');
    await proxy.heal();
    await anvil.mine(2);
    await sink.waitForEvent('payment.completed', payment.id);
    // Back again after that: what settled stays so.
    onTag('finalized', () => old);
    await anvil.mine(1);
    await looked();
    expect((await shown(payment)).slice(0, 2)).toEqual(['completed', 64]);
    expect(sink.types(payment.id)).not.toContain('payment.reversed');
  });

  it('complete after a restart when their block was finalized during the downtime', async () => {
    const payment = await order('2000');
    await till.down();
    await pay(payment);
    await anvil.mine(40);
    await till.up();
    await sink.waitForEvent('payment.completed', payment.id);
    expect((await shop.payment(payment.id)).exception).toBeNull();
  });

  it('are swept to the merchant address once the lowest confirmation requirement is met', async () => {
    await anvil.mine(3);
    const payments = await Promise.all(['200', '2000'].map(order));
    for (const payment of payments) await pay(payment);
    await anvil.mine(1);
    await eventually(
      'both deposits are gone',
      async () => {
        await anvil.mine(1);
        return Promise.all(payments.map(({ options }) => anvil.balance(options.ETH.address)));
      },
      (left) => left.every((amount) => amount === 0n),
    );
  });
});

async function headOf(anvil: Anvil): Promise<{ height: number; hash: string }> {
  const { number, hash } = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  return { height: Number(number), hash };
}

/** The same block under another height and hash. */
function lie(height: number, hash: string): (result: unknown) => unknown {
  return (result) => ({ ...(result as object), number: `0x${height.toString(16)}`, hash });
}
