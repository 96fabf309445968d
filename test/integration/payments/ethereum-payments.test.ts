import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { CONTRACTS, word } from '../../_helpers/anvil/contracts.ts';
import type { FaultProxy } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const HOUR_MS = 3_600_000;
const TRACES = ['debug_traceBlockByHash', 'trace_block'];

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');
const due = (payment: PaymentJson): bigint => wei(payment.options.ETH.amount);

describe.skipIf(!requireAnvil())('ETH payments on a real node', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('ETH');
    ({ node: anvil, proxy, sink, till, shop } = world);
  });

  afterAll(async () => world.end());

  const newPayment = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: ['ETH'] });
  const pay = async (payment: PaymentJson, amount = due(payment)): Promise<string> =>
    anvil.pay({ address: payment.options.ETH.address, amount });
  const settle = async (payment: PaymentJson): Promise<void> =>
    anvil.mine(payment.options.ETH.requiredConfirmations);
  const completed = async (payment: PaymentJson): Promise<PaymentJson> => {
    await sink.waitForEvent('payment.completed', payment.id);
    return shop.payment(payment.id);
  };
  const followed = async (): Promise<void> => {
    const height = await anvil.height();
    await eventually(
      `the chain is followed to ${height}`,
      async () =>
        (await till.api.call<{ chains: Record<string, { height: number; state: string }> }>('GET', '/readyz'))
          .body.data.chains['ETH'],
      (eth) => eth?.height === height && eth.state === 'following',
    );
  };
  const expectPaidOnce = (payment: PaymentJson): void => {
    expect(payment).toMatchObject({ status: 'completed', exception: null });
    expect(payment.options.ETH.received).toBe(payment.options.ETH.amount);
    expect(payment.transactions.filter(({ status }) => status !== 'reversed')).toHaveLength(1);
    expect(sink.types(payment.id)).not.toContain('payment.reversed');
  };

  it('are seen unconfirmed, confirmed and completed, with events in order, when paid from an account', async () => {
    const payment = await newPayment();
    expect(payment.options.ETH.uri).toBe(
      `ethereum:${payment.options.ETH.address}@31337?value=${due(payment)}`,
    );
    await pay(payment);
    await sink.waitForEvent('payment.confirming', payment.id);
    expect((await shop.payment(payment.id)).options.ETH).toMatchObject({ confirmations: 0 });
    await settle(payment);
    expectPaidOnce(await completed(payment));
    expect(sink.types(payment.id)).toEqual(['payment.created', 'payment.confirming', 'payment.completed']);
  });

  it('are credited when the transfer has calldata', async () => {
    const payment = await newPayment();
    await anvil.pay({ address: payment.options.ETH.address, amount: due(payment) }, { data: '0xdeadbeef' });
    await settle(payment);
    expectPaidOnce(await completed(payment));
  });

  describe.each([
    ['traces', []],
    ['no traces', TRACES],
  ] as const)('on a node with %s', (_name, silenced) => {
    let fault: { clear(): void } | null = null;

    beforeAll(async () => {
      if (silenced.length === 0) return;
      fault = proxy.inject(
        { kind: 'rpcError', code: -32601, message: 'the method does not exist' },
        { methods: silenced },
      );
      // A new process detects the node's features again.
      await till.down();
      await till.up();
      await till.ready();
    });
    afterAll(async () => {
      if (fault === null) return;
      fault.clear();
      await till.down();
      await till.up();
      await till.ready();
    });

    it('are credited when a forwarding contract pays', async () => {
      const payment = await newPayment();
      await anvil.payInside([{ address: payment.options.ETH.address, amount: due(payment) }]);
      await settle(payment);
      expectPaidOnce(await completed(payment));
    });

    it('are credited for three orders that an exchange pays in one transaction, one of them twice', async () => {
      const payments = await Promise.all([newPayment(), newPayment()]);
      const [one, two] = payments.map((payment) => ({
        address: payment.options.ETH.address,
        amount: due(payment) / 2n,
      }));
      await anvil.payInside([one!, two!, one!, two!]);
      await settle(payments[0]);
      for (const payment of payments) {
        const done = await completed(payment);
        expect(wei(done.options.ETH.received)).toBe(2n * (due(payment) / 2n));
        expect(done.exception).toBeNull();
      }
    });

    it('are not credited for an internal transfer that was reverted', async () => {
      const payment = await newPayment();
      const data = `0x${word(BigInt(payment.options.ETH.address))}`;
      const txid = await anvil.send({ to: CONTRACTS.careless, value: due(payment), data });
      await settle(payment);
      await followed();
      expect(await anvil.rpc('eth_getTransactionReceipt', [txid])).toMatchObject({ status: '0x1' });
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending', transactions: [] });
    });

    it('are not credited for a reverted transaction', async () => {
      const payment = await newPayment();
      const outputs = [payment.options.ETH.address, CONTRACTS.reverter];
      await anvil.payInside(outputs.map((address) => ({ address, amount: due(payment) })));
      await settle(payment);
      await followed();
      expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending', transactions: [] });
    });

    it('add up when two transfers to one address are in one block, one of them from a contract', async () => {
      const payment = await newPayment();
      const { address } = payment.options.ETH;
      const half = due(payment) / 2n;
      await anvil.pay({ address, amount: half });
      await anvil.payInside([{ address, amount: due(payment) - half }]);
      await settle(payment);
      const done = await completed(payment);
      expect(done.options.ETH.received).toBe(payment.options.ETH.amount);
      expect(done.transactions).toHaveLength(2);
    });

    it('are on time by their block time when a contract paid while the daemon was down', async () => {
      const payment = await newPayment();
      await till.down();
      await anvil.payInside([{ address: payment.options.ETH.address, amount: due(payment) }]);
      await anvil.mine(60);
      till.clock.advance(2 * HOUR_MS);
      await till.up();
      expectPaidOnce(await completed(payment));
      expect(sink.types(payment.id)).not.toContain('payment.expired');
    });

    it('stay credited once when a reorg moves a contract payment', async () => {
      const payment = await newPayment();
      const txid = await anvil.payInside([{ address: payment.options.ETH.address, amount: due(payment) }]);
      await settle(payment);
      await completed(payment);
      await anvil.reorg(3, { move: [txid] });
      await followed();
      await settle(payment);
      await followed();
      const after = await shop.payment(payment.id);
      expectPaidOnce(after);
    });

    it('are reversed when a reorg double-spends a contract payment', async () => {
      const payment = await newPayment();
      const txid = await anvil.payInside([{ address: payment.options.ETH.address, amount: due(payment) }]);
      await settle(payment);
      await completed(payment);
      await anvil.reorg(3, { doubleSpend: txid });
      await sink.waitForEvent('payment.reversed', payment.id);
      expect((await shop.payment(payment.id)).options.ETH.received).toBe('0');
    });
  });

  it('complete on time by their block time when paid while the daemon was down', async () => {
    const payment = await newPayment();
    await till.down();
    await pay(payment);
    await settle(payment);
    till.clock.advance(2 * HOUR_MS);
    await till.up();
    expectPaidOnce(await completed(payment));
    expect(sink.types(payment.id)).not.toContain('payment.expired');
  });

  it.each([1, 3])('stay completed after a reorg of depth %i that moves the transaction', async (depth) => {
    const payment = await newPayment();
    const txid = await pay(payment);
    await anvil.mine(3);
    await completed(payment);
    // Only the deeper one reaches the block of the payment.
    await anvil.reorg(depth, depth === 3 ? { move: [txid] } : {});
    await followed();
    expectPaidOnce(await shop.payment(payment.id));
  });

  it.each([1, 3])('are reversed by a reorg of depth %i with a double spend', async (depth) => {
    const payment = await newPayment();
    await anvil.mine(1);
    const txid = await pay(payment);
    await anvil.mine(depth);
    await eventually(
      'it is confirmed',
      () => shop.payment(payment.id),
      (now) => now.options.ETH.confirmations === depth,
    );
    if (depth === 3) await completed(payment);
    await anvil.reorg(depth, { doubleSpend: txid });
    const { body } = await sink.waitForEvent('payment.reversed', payment.id);
    expect(body.data.payment).toMatchObject({ status: 'pending' });
    expect((await shop.payment(payment.id)).options.ETH.received).toBe('0');
  });

  const rebroadcast = async (txid: string): Promise<void> => {
    await eventually(
      `the node has ${txid} again`,
      () => anvil.rpc('eth_getTransactionByHash', [txid]),
      (found) => found !== null,
    );
  };

  it('are rebroadcast after a reorg that only drops the transaction', async () => {
    const payment = await newPayment();
    const txid = await pay(payment);
    await anvil.mine(1);
    await sink.waitForEvent('payment.confirming', payment.id);
    await anvil.reorg(1);
    // A block mined before the rebroadcast would not contain it.
    await rebroadcast(txid);
    await settle(payment);
    expectPaidOnce(await completed(payment));
  });

  it('are rebroadcast after they were dropped from the mempool', async () => {
    const payment = await newPayment();
    const txid = await pay(payment);
    await sink.waitForEvent('payment.confirming', payment.id);
    await anvil.drop(txid);
    await rebroadcast(txid);
    await settle(payment);
    expectPaidOnce(await completed(payment));
  });

  it('are reversed once a double spend is mined', async () => {
    const payment = await newPayment();
    const txid = await pay(payment);
    await sink.waitForEvent('payment.confirming', payment.id);
    await anvil.replace(txid);
    await anvil.mine(1);
    await sink.waitForEvent('payment.reversed', payment.id);
    expect(await shop.payment(payment.id)).toMatchObject({ status: 'pending' });
    await pay(payment);
    await settle(payment);
    await completed(payment);
  });

  it('are credited once when the payer bumps the fee', async () => {
    const payment = await newPayment();
    const txid = await pay(payment);
    await sink.waitForEvent('payment.confirming', payment.id);
    await anvil.raiseFee(txid);
    await settle(payment);
    const done = await completed(payment);
    expect(done.options.ETH.received).toBe(payment.options.ETH.amount);
  });
});
