import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import type { FaultProxy } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

/** More than the newest blocks whose state every node keeps. */
const OLD = 128;

/** An answer of the same length that says zero. */
const empty = (result: unknown): string => String(result).replaceAll(/(?<=^0x.*)./g, '0');

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

describe.skipIf(!requireAnvil())('incomplete answers of an Ethereum node', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  let env: Record<string, string>;

  beforeAll(async () => {
    // Deep enough that payments wait, and nothing is moved away meanwhile.
    world = await openLiveWorld('ETH', { env: { TILLD_CONFIRMATIONS_ETH: '200' } });
    ({ node: anvil, proxy, sink, env, till, shop } = world);
  });
  afterEach(async () => proxy.heal());
  afterAll(async () => world.end());

  const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: ['ETH'] });
  const pay = async ({ options }: PaymentJson, isInside: boolean, part = 1n): Promise<string> => {
    const output = { address: options.ETH.address, amount: wei(options.ETH.amount) / part };
    return isInside ? anvil.payInside([output]) : anvil.pay(output);
  };
  /** The response of /readyz after the next health check of the node. */
  const node = async () => {
    till.clock.advance(5_000);
    const { body } = await till.api.call<{
      chains: Record<string, { unexplainedAccounts: number; warnings: string[] }>;
    }>('GET', '/readyz');
    return body.data.chains['ETH'] ?? { unexplainedAccounts: -1, warnings: [] };
  };
  const isRead = async (): Promise<void> => {
    const height = await anvil.height();
    await eventually(
      `block ${height} is read`,
      async () =>
        (await till.api.call<{ chains: Record<string, { height: number }> }>('GET', '/readyz')).body.data
          .chains['ETH']?.height,
      (read) => read === height,
      60_000,
    );
  };
  const mined = async (): Promise<void> => {
    await anvil.mine(1);
    await isRead();
  };
  const received = async ({ id }: PaymentJson): Promise<string> =>
    (await shop.payment(id)).options.ETH.received;

  it('do not reverse the second of two contract payments when a reorg mines only the first again', async () => {
    const payment = await order();
    const first = await pay(payment, true, 2n);
    await mined();
    const second = await pay(payment, true, 2n);
    await mined();
    expect(await received(payment)).toBe(payment.options.ETH.amount);
    await anvil.reorg(2, { move: [first] });
    await isRead();
    await mined();
    const statuses = (await shop.payment(payment.id)).transactions.map(({ status }) => status);
    expect(statuses).not.toContain('reversed');
    // The till offers again what lost its block, and may have been quicker.
    await anvil.resend(second).catch(() => undefined);
    await mined();
    expect(await received(payment)).toBe(payment.options.ETH.amount);
    expect(sink.types(payment.id)).not.toContain('payment.reversed');
  });

  it('reverse no payment because of one answer without its transaction', async () => {
    const noTraces = { kind: 'rpcError', code: -32601, message: 'the method does not exist' } as const;
    proxy.inject(noTraces, { methods: ['debug_traceBlockByHash', 'trace_block'] });
    const payment = await order();
    await pay(payment, true);
    await mined();
    const lie = proxy.inject({ kind: 'rewrite', rewrite: empty }, { methods: ['eth_call'] });
    await mined();
    lie.clear();
    await mined();
    expect(await received(payment)).toBe(payment.options.ETH.amount);
    expect(sink.types(payment.id)).not.toContain('payment.reversed');
  });

  it.each([
    ['to the address directly', false, 1],
    ['through a contract, finalized meanwhile', true, 70],
  ])(
    'do not write off money paid %s when the node repeatedly returns a zero balance, but raise a warning',
    async (_how, isInside, blocks) => {
      const noTraces = { kind: 'rpcError', code: -32601, message: 'the method does not exist' } as const;
      proxy.inject(noTraces, { methods: ['debug_traceBlockByHash', 'trace_block'] });
      const payment = await order();
      await pay(payment, isInside);
      await mined();
      await anvil.mine(blocks);
      await isRead();
      const lie = proxy.inject(
        { kind: 'rewrite', rewrite: empty },
        { methods: ['eth_call', 'eth_getBalance'] },
      );
      for (let block = 0; block < 13; block += 1) await mined();
      expect(await received(payment)).toBe(payment.options.ETH.amount);
      const told = await eventually('it is told', node, ({ unexplainedAccounts }) => unexplainedAccounts > 0);
      expect(told.warnings.join()).toContain('hold less');
      lie.clear();
      await mined();
      expect(await received(payment)).toBe(payment.options.ETH.amount);
      expect((await shop.payment(payment.id)).transactions).toHaveLength(1);
      expect(sink.types(payment.id)).not.toContain('payment.reversed');
      await eventually('it is over', node, ({ unexplainedAccounts }) => unexplainedAccounts === 0);
    },
    120_000,
  );

  it('do not prevent writing off money that its key spent in skipped blocks, once that is finalized', async () => {
    const payment = await order();
    const { address } = payment.options.ETH;
    await pay(payment, false);
    await mined();
    await till.down();
    await anvil.rpc('anvil_impersonateAccount', [address]);
    const value = `0x${(wei(payment.options.ETH.amount) / 2n).toString(16)}`;
    await anvil.rpc('eth_sendTransaction', [{ from: address, to: await anvil.newAddress(), value }]);
    await anvil.mine(2);
    const skipped = await runTool(
      'rescan',
      ['ETH', '--skip-to', `${await anvil.height()}`, '--data-dir', till.dataDir],
      { env },
    );
    expect(skipped.code, skipped.stderr).toBe(0);
    await till.up();
    for (let block = 0; block < 12; block += 1) await mined();
    const { db, close } = await openDatabase(join(till.dataDir, 'tilld.sqlite')).then((it) => ({
      db: it.db,
      close: () => it.close(),
    }));
    const index = createChainIndex(db, { coin: 'ETH', mode: 'live' });
    const key = address.toLowerCase();
    const held = async (): Promise<bigint> =>
      ((await index.holdings([key])).get(key) ?? []).reduce((sum, { amount }) => sum + amount, 0n);
    expect(await held()).toBe(wei(payment.options.ETH.amount));
    expect(await index.outgoing?.(key)).toBe(0);
    await anvil.mine(70);
    await isRead();
    await mined();
    expect(await held()).toBe(await anvil.balance(address));
    expect(await index.outgoing?.(key)).toBe(1);
    expect(await received(payment)).toBe(payment.options.ETH.amount);
    await close();
  });

  it.each([
    ['to the address directly', false],
    ['through a contract', true],
  ])(
    'leave money paid %s credited once when the node returns zero balances for old blocks',
    async (_how, isInside) => {
      const noTraces = { kind: 'rpcError', code: -32601, message: 'the method does not exist' } as const;
      proxy.inject(noTraces, { methods: ['debug_traceBlockByHash', 'trace_block'] });
      const payment = await order();
      await pay(payment, isInside);
      await mined();
      expect(await received(payment)).toBe(payment.options.ETH.amount);
      await till.down();
      await anvil.mine(OLD + 20);
      const oldest = (await anvil.height()) - OLD;
      const old = new Set<string>();
      for (let height = oldest - 20; height <= oldest; height += 1) {
        const { hash } = await anvil.rpc<{ hash: string }>('eth_getBlockByNumber', [
          `0x${height.toString(16)}`,
          false,
        ]);
        old.add(hash);
      }
      const rewrite = (result: unknown, _method: string, params: readonly unknown[]): unknown =>
        old.has((params[1] as { blockHash: string }).blockHash)
          ? String(result).replaceAll(/(?<=^0x.*)./g, '0')
          : result;
      proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['eth_call', 'eth_getBalance'] });
      await till.up();
      await isRead();
      await mined();
      const { transactions } = await shop.payment(payment.id);
      expect(await received(payment)).toBe(payment.options.ETH.amount);
      expect(transactions).toHaveLength(1);
      expect(sink.types(payment.id)).not.toContain('payment.reversed');
    },
    120_000,
  );

  describe('with a funded wallet', () => {
    beforeAll(async () => {
      await anvil.pay({ address: shop.wallets.ETH, amount: wei('1') });
      await anvil.mine(200);
      await isRead();
      await eventually(
        'the wallet is funded',
        () => shop.balance('ETH'),
        (balance) => Number(balance) >= 1,
      );
    });

    it.each([
      [-32_000, 'missing trie node 5c (path )'],
      [-32_601, 'the method eth_estimateGas does not exist/is not available'],
      [-32_005, 'limit exceeded'],
    ])(
      'cause a send whose gas cannot be estimated (%s %s) to be answered with an error that asks to retry later',
      async (code, message) => {
        const order = { coin: 'ETH', amount: '0.01', destination: await anvil.newAddress() };
        const fault = proxy.inject({ kind: 'rpcError', code, message }, { methods: ['eth_estimateGas'] });
        const headers = { 'idempotency-key': `estimate ${code}` };
        const refused = await shop.send(order, headers);
        expect([refused.status, refused.body.error?.code]).toEqual([503, 'NODE_UNAVAILABLE']);
        fault.clear();
        const sent = await shop.send(order, headers);
        expect(sent.body.data).toMatchObject({ status: 'broadcast', amount: '0.01' });
        await mined();
        expect(await anvil.balance(order.destination)).toBe(wei('0.01'));
      },
    );
  });
});
