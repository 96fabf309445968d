import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { requireNode, startNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { runTool, startTool, type ToolResult } from '../../_helpers/tool.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const isPaid = ({ status }: PaymentJson): boolean => status === 'completed';

describe.skipIf(!requireNode('LTC'))('scripts/rescan with a real litecoind', () => {
  let world: LiveWorld<RegtestNode, Till>;
  let node: RegtestNode;
  let env: Record<string, string>;
  let till: Till;
  let sink: WebhookSink;
  let shop: Shop;

  beforeAll(async () => {
    world = await openLiveWorld('LTC');
    ({ node, sink, env, till, shop } = world);
  });
  afterAll(async () => world.end());

  const rescan = async (...args: string[]): Promise<ToolResult> =>
    runTool('rescan', [...args, '--data-dir', till.dataDir], { env });
  const order = async (): Promise<PaymentJson> => shop.createPayment({ allowedCryptos: ['LTC'] });
  const pay = async (payment: PaymentJson): Promise<void> => {
    const { address, amount, requiredConfirmations } = payment.options.LTC;
    await node.pay({ address, amountAtoms: toAtoms(amount) });
    await node.mine(requiredConfirmations);
  };
  const outputs = async () => {
    const { db } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    try {
      const rows = await db
        .selectFrom('outputs')
        .select(['txid', 'vout', 'amount', 'state', 'height', 'spentBy', 'spentHeight', 'sendId'])
        .where('mode', '=', 'live')
        .orderBy('txid')
        .orderBy('vout')
        .execute();
      return rows;
    } finally {
      await db.close();
    }
  };

  it('reads all blocks again and produces exactly the same ledger, without new events', async () => {
    const start = (await node.tip()).height;
    const payments = [await order(), await order()];
    for (const payment of payments) {
      await pay(payment);
      await eventually('paid', () => shop.payment(payment.id), isPaid);
    }
    const sent = await shop.send({ coin: 'LTC', amount: '0.5', destination: await node.newAddress() });
    expect(sent.body.error).toBeNull();
    await node.waitForMempool(sent.body.data.txHash);
    await node.mine(2);
    await sink.waitFor('the send is confirmed', ({ body }) => body.type === 'send.confirmed');
    await till.ready();
    const balance = await shop.balance('LTC');
    const refused = await rescan('LTC', '--from', String(start));
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining('in use by another tilld') });
    await till.down();
    const before = await outputs();
    const told = sink.deliveries.length;
    const cache = join(till.dataDir, 'mempool-ltc.cache');
    writeFileSync(cache, 'what was read so far');

    // Killed while it works, it has done nothing or all of it; then once more.
    const running = startTool('rescan', ['LTC', '--from', String(start), '--data-dir', till.dataDir], {
      env,
    });
    await new Promise((resolve) => setTimeout(resolve, 600));
    running.child.kill('SIGKILL');
    await running.done;
    expect(await rescan('LTC', '--from', String(start - 1))).toMatchObject({ code: 0 });
    expect(existsSync(cache)).toBe(false);
    expect((await outputs()).every(({ state }) => state === 'unconfirmed')).toBe(true);
    await till.up();
    await till.ready();
    expect(await outputs()).toEqual(before);
    expect(await shop.balance('LTC')).toBe(balance);
    for (const { id } of payments) {
      const now = await shop.payment(id);
      expect(now).toMatchObject({ status: 'completed', exception: null });
      expect(now.options.LTC.received).toBe(now.options.LTC.amount);
    }
    expect(sink.deliveries.slice(told).map(({ body }) => body.type)).toEqual([]);
    const checked = await runTool('reconcile', ['--data-dir', till.dataDir], { env });
    expect(checked.stdout).toContain(' 0 differences');
  });

  it('credits money that the ledger lacks', async () => {
    const payment = await order();
    await pay(payment);
    await eventually('paid', () => shop.payment(payment.id), isPaid);
    await till.down();
    const { db } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    await db.deleteFrom('outputs').where('paymentId', '=', payment.id).execute();
    await db.updateTable('payments').set({ status: 'pending' }).where('id', '=', payment.id).execute();
    await db.close();
    const from = (await node.tip()).height - payment.options.LTC.requiredConfirmations;
    expect(await rescan('LTC', '--from', String(from))).toMatchObject({ code: 0 });
    await till.up();
    const found = await eventually('found', () => shop.payment(payment.id), isPaid);
    expect(found.options.LTC.received).toBe(payment.options.LTC.amount);
  });

  it('credits money that the ledger lacks while the daemon runs, and reverses nothing meanwhile', async () => {
    const payment = await order();
    await pay(payment);
    await eventually('paid', () => shop.payment(payment.id), isPaid);
    await till.down();
    const { db } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    await db.deleteFrom('outputs').where('paymentId', '=', payment.id).execute();
    await db.updateTable('payments').set({ status: 'pending' }).where('id', '=', payment.id).execute();
    await db.close();
    await till.up();
    await till.ready();
    const from = (await node.tip()).height - payment.options.LTC.requiredConfirmations;
    const before = await shop.balance('LTC');
    const done = await rescan('LTC', '--from', String(from), '--online');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('were read again') });
    const found = await shop.payment(payment.id);
    expect(found).toMatchObject({ status: 'completed', exception: null });
    expect(Number(await shop.balance('LTC'))).toBeGreaterThan(Number(before));
  });

  it('switches to a node whose chain shares no recorded block', async () => {
    const payment = await order();
    await using other = await startNode('LTC');
    await till.down();
    const { db } = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    // As if thousands of blocks had been read: none of those remembered is on the other chain.
    await db.deleteFrom('chain_blocks').where('mode', '=', 'live').where('height', '<', 5).execute();
    await db.close();
    await other.mine((await node.tip()).height - (await other.tip()).height + 3);
    const moved = await Till.start(liveEnv({ LTC: other.rpcUrl }), {}, till.dataDir);
    await eventually(
      'it is refused',
      async () =>
        (await moved.api.call<{ chains: Record<string, { lastError: string | null }> }>('GET', '/readyz'))
          .body.data.chains['LTC']?.lastError ?? '',
      (error) => error.includes('shares none') && error.includes('tillctl rescan'),
    );
    await moved.down();
    const args = ['LTC', '--from', '1', '--data-dir', till.dataDir];
    const done = await runTool('rescan', args, { env: liveEnv({ LTC: other.rpcUrl }) });
    expect(done, done.stderr).toMatchObject({ code: 0 });
    await moved.up();
    await moved.ready();
    const { address, amount, requiredConfirmations } = payment.options.LTC;
    await other.pay({ address, amountAtoms: toAtoms(amount) });
    await other.mine(requiredConfirmations);
    const view = async (): Promise<PaymentJson> =>
      moved.api.must<PaymentJson>('GET', `/payment/get?paymentId=${payment.id}`, { token: shop.secretKey });
    await eventually('paid on the other chain', view, isPaid);
    await moved.down();
  });

  it('refuses an impossible range before it changes anything', async () => {
    const refusals = [
      [['DOGE', '--from', '1'], 2, 'name one of'],
      [['LTC', '--from', 'yesterday'], 2, 'is not a date'],
      // Read as the third of March, it would leave out what was to be read again.
      [['LTC', '--from', '2026-02-31'], 2, 'is not a date'],
      [['LTC', '--from', '99999999'], 1, 'the node has no block'],
    ] as const;
    for (const [args, code, reason] of refusals) {
      expect(await rescan(...args)).toMatchObject({ code, stderr: expect.stringContaining(reason) });
    }
  });
});

describe.skipIf(!requireAnvil())('scripts/rescan with a real Ethereum node', () => {
  it('produces the same balance after deposits were credited, swept and sent', async () => {
    await using anvil = await Anvil.start();
    const env = liveEnv({ ETH: anvil.rpcUrl });
    await using till = await Till.start(env);
    const shop = await Shop.open(till.api);
    await till.ready();
    const start = await anvil.height();
    for (const inside of [false, true]) {
      const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
      const { address, amount, requiredConfirmations } = payment.options.ETH;
      const output = { address, amount: parseCoinAmount(amount, 'ETH') };
      await (inside ? anvil.payInside([output]) : anvil.pay(output));
      await anvil.mine(requiredConfirmations);
      await eventually('paid', () => shop.payment(payment.id), isPaid);
      await eventually(
        'it is moved',
        async () => {
          await anvil.mine(1);
          return anvil.balance(address);
        },
        (left) => left === 0n,
      );
    }
    await till.ready();
    const held = await anvil.balance(shop.wallets.ETH);
    await eventually(
      'it is counted',
      async () => parseCoinAmount(await shop.balance('ETH'), 'ETH'),
      (balance) => balance === held,
    );
    await till.down();
    const done = await runTool('rescan', ['ETH', '--from', `${start}`, '--data-dir', till.dataDir], {
      env,
    });
    expect(done, done.stderr).toMatchObject({ code: 0 });
    await till.up();
    await till.ready();
    expect(parseCoinAmount(await shop.balance('ETH'), 'ETH')).toBe(held);
    const checked = await runTool('reconcile', ['--data-dir', till.dataDir], { env });
    expect(checked.stdout).toContain(' 0 differences');
  });
});
