import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { spendableFunds } from '../../../src/store/ledger/spendable.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { consolidate } from '../../../src/usecases/wallet/sweep/consolidate.ts';
import { bumpSends } from '../../../src/usecases/wallet/lifecycle/bump-sends.ts';
import { bumpSend } from '../../../src/usecases/wallet/send/bump-send.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { sendCoins, type SendCoinsInput } from '../../../src/usecases/wallet/send/send-coins.ts';
import { expectBooksToAgree } from '../../_helpers/books.ts';
import { type ChildOrder, openNodeWorld } from '../../_helpers/node-world.ts';
import {
  type FaultProxy,
  NODE_COINS,
  type NodeCoin,
  type RegtestNode,
  requireNode,
  startFaultProxy,
  startNode,
  toAtoms,
} from '../../_helpers/nodes/index.ts';
import { signed } from '../../_helpers/signed.ts';
import type { WalletWorld } from '../../_helpers/wallet-world.ts';

const COIN = 100_000_000n;
const CHILD = new URL('../../_helpers/node-world.ts', import.meta.url).pathname;

describe.each(NODE_COINS)('sends on a real %s node', (coin) => {
  describe.skipIf(!requireNode(coin))('on regtest', () => runWith(coin));
});

function runWith(coin: NodeCoin): void {
  let node: RegtestNode;
  let proxy: FaultProxy;
  let dir: string;
  let world: WalletWorld;

  beforeAll(async () => {
    node = await startNode(coin);
    proxy = await startFaultProxy(node.rpcUrl);
  });
  afterAll(async () => {
    await proxy.close();
    await node.stop();
  });
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tilld-sends-'));
    world = await openNodeWorld({ dir, coin, rpcUrl: proxy.url });
  });
  afterEach(async () => {
    await proxy.heal();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  async function fund(...amounts: bigint[]): Promise<void> {
    await world.sync(coin);
    await node.pay({ address: world.address(coin), amounts });
    await mine();
  }

  async function mine(blocks = 1): Promise<void> {
    await node.mine(blocks);
    await world.sync(coin);
  }

  async function send(destination: string, amount: string, more: Partial<SendCoinsInput> = {}) {
    const { merchant, deps } = world;
    return signed(
      await sendCoins(deps, { merchant, destination, amount, coin, idempotencyKey: null, ...more }),
    );
  }

  async function status(sendId: string) {
    return signed(await getSend(world.deps, { merchantId: world.merchant.id, sendId }));
  }

  async function advance(options: { resume?: boolean } = {}): Promise<void> {
    world.clock.advance(60_000);
    await advanceSends(world.deps, world.chain(coin), options);
  }

  async function restart(options: { feeFloorRate?: bigint } = {}): Promise<void> {
    await world.close();
    world = await openNodeWorld({ dir, coin, rpcUrl: proxy.url, ...options });
  }

  /** What the node says a transaction pays to an address. */
  async function paidTo(txid: string, address: string): Promise<bigint> {
    const decoded = await node.rpc<{
      vout: { value: string; scriptPubKey: { address?: string; addresses?: string[] } }[];
    }>('getrawtransaction', [txid, true]);
    return decoded.vout
      .filter(({ scriptPubKey: { address: one, addresses } }) =>
        [one, ...(addresses ?? [])].includes(address),
      )
      .reduce((sum, { value }) => sum + toAtoms(value), 0n);
  }

  async function feeOnChain(txid: string): Promise<bigint> {
    const entry = await node.rpc<{ fees: { base: string } }>('getmempoolentry', [txid]);
    return toAtoms(entry.fees.base);
  }

  const atoms = (text: string) => parseCoinAmount(text, coin);

  test('a send pays the amount to the destination, with the reported fee, and the node shows its change', async () => {
    await fund(2n * COIN, COIN);
    expect(await world.balance(coin)).toBe('3');
    const destination = await node.foreignAddress();
    const sent = await send(destination, '2.5');
    expect(sent.status).toBe('broadcast');
    expect(await paidTo(sent.txHash, destination)).toBe(250_000_000n);
    expect(await feeOnChain(sent.txHash)).toBe(atoms(sent.fee));
    await mine();
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed', confirmations: 1, fee: sent.fee });
    expect(await world.balance(coin)).toBe(formatCoinAmount(COIN / 2n - atoms(sent.fee), coin));
  });

  test('a send spends a balance of a thousand outputs in one transaction, and is bumped when stuck', async () => {
    await fund(...Array.from({ length: 1_000 }, () => COIN / 1_000n));
    expect(await world.balance(coin)).toBe('1');
    const destination = await node.foreignAddress();
    const sent = await send(destination, '0.9');
    expect(sent).toMatchObject({ status: 'broadcast', amount: '0.9' });
    expect(await paidTo(sent.txHash, destination)).toBe(atoms('0.9'));
    expect(await feeOnChain(sent.txHash)).toBe(atoms(sent.fee));
    await restart({ feeFloorRate: 20_000n });
    const raised = signed(await bumpSend(world.deps, { merchantId: world.merchant.id, sendId: sent.id }));
    expect(await feeOnChain(raised.txHash)).toBe(atoms(raised.fee));
    expect(await paidTo(raised.txHash, destination)).toBe(atoms('0.9'));
    await mine();
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: raised.txHash });
    const left = COIN - atoms('0.9') - atoms(raised.fee);
    expect(atoms(await world.balance(coin))).toBe(left);
    const everything = await send(destination, 'max');
    expect(atoms(everything.amount) + atoms(everything.fee)).toBe(left);
    await mine();
    expect(await world.balance(coin)).toBe('0');
    await expectBooksToAgree(world.db);
  });

  test('a send can spend the result of a consolidation of 300 outputs together with the remaining outputs', async () => {
    await fund(...Array.from({ length: 310 }, () => COIN / 100n));
    expect(await world.balance(coin)).toBe('3.1');
    const destination = await node.foreignAddress();
    const { merchant, deps } = world;
    const gathered = await consolidate(deps, { merchant, coin });
    expect(gathered.outputs).toBe(300);
    const sent = await send(destination, 'max');
    expect(sent.status).toBe('broadcast');
    expect(atoms(sent.amount) + atoms(sent.fee) + atoms(gathered.fee)).toBe(atoms('3.1'));
    expect(await paidTo(sent.txHash, destination)).toBe(atoms(sent.amount));
    await mine();
    expect(await world.balance(coin)).toBe('0');
  });

  test('a send with subtractFee empties the wallet, and amount and fee add up to the balance', async () => {
    await fund(2n * COIN, COIN);
    const destination = await node.foreignAddress();
    const sent = await send(destination, '3', { subtractFee: true });
    expect(atoms(sent.amount) + atoms(sent.fee)).toBe(3n * COIN);
    expect(await paidTo(sent.txHash, destination)).toBe(atoms(sent.amount));
    expect(await feeOnChain(sent.txHash)).toBe(atoms(sent.fee));
    await mine();
    expect(await world.balance(coin)).toBe('0');
  });

  test('two concurrent sends spend different outputs and both confirm', async () => {
    await fund(COIN, COIN, COIN);
    const destination = await node.foreignAddress();
    const results = await Promise.allSettled(Array.from({ length: 4 }, async () => send(destination, '0.7')));
    const sent = results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
    const refused = results.flatMap((result) => (result.status === 'rejected' ? [result.reason.code] : []));
    expect(refused).toEqual(['INSUFFICIENT_BALANCE']);
    await mine();
    for (const { id } of sent) expect(await status(id)).toMatchObject({ status: 'confirmed' });
  });

  test('a send is refused and not stored while the node is down, and balances can still be read', async () => {
    await fund(COIN);
    const destination = await node.foreignAddress();
    await proxy.refuse();
    await expect(send(destination, '0.5')).rejects.toMatchObject({ code: 'NODE_UNAVAILABLE' });
    expect(await world.balance(coin)).toBe('1');
    await proxy.accept();
    expect(await send(destination, '0.5')).toMatchObject({ status: 'broadcast' });
  });

  test.each(['dropResponse', 'reset'] as const)(
    'a send is paid once when the answer is lost by %s',
    async (kind) => {
      await fund(COIN, COIN);
      const destination = await node.foreignAddress();
      const before = new Set(await node.getMempool());
      const fault = proxy.inject({ kind }, { methods: ['sendrawtransaction'] });
      const sent = await send(destination, '0.5', { idempotencyKey: 'once' });
      fault.clear();
      expect(sent.status).toBe('signed');
      expect(await send(destination, '0.5', { idempotencyKey: 'once' })).toMatchObject({ id: sent.id });
      await advance();
      expect(await status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
      const mempool = (await node.getMempool()).filter((txid) => !before.has(txid));
      expect(mempool).toEqual([sent.txHash]);
      await mine();
      expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
      expect(await world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
    },
  );

  test('a send is confirmed by a block that was mined while the daemon was down, also when it is rebroadcast first', async () => {
    await fund(COIN);
    const fault = proxy.inject({ kind: 'dropResponse' }, { methods: ['sendrawtransaction'] });
    const sent = await send(await node.foreignAddress(), '1', { subtractFee: true });
    fault.clear();
    expect(sent.status).toBe('signed');
    await node.mine(2);
    await advance();
    expect((await status(sent.id)).status).toBe('broadcast');
    await world.sync(coin);
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed', confirmations: 2 });
  });

  test('a send is rebroadcast with the same bytes when the node lost its mempool', async () => {
    await fund(COIN);
    const sent = await send(await node.foreignAddress(), '0.5');
    await node.restart({ dropMempool: true });
    expect(await node.getMempool()).not.toContain(sent.txHash);
    world.clock.advance(world.deps.policy.rebroadcastMs);
    await advance();
    expect(await node.getMempool()).toContain(sent.txHash);
    await mine();
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
  });

  test('a send returns to broadcast on a reorg until it is mined again', async () => {
    await fund(COIN);
    const sent = await send(await node.foreignAddress(), '0.5');
    await mine();
    expect((await status(sent.id)).status).toBe('confirmed');
    await node.reorg({ depth: 1, transactions: 'mempool' });
    await world.sync(coin);
    expect(await status(sent.id)).toMatchObject({ status: 'broadcast', confirmations: 0 });
    await mine();
    expect(await status(sent.id)).toMatchObject({ status: 'confirmed' });
    expect(await world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('a send fails after a double spend by another wallet with the same seed once that block is deep', async () => {
    await fund(COIN, 2n * COIN);
    const wallet = { ...world.chain(coin), merchantId: world.merchant.id };
    const funds = (await spendableFunds(world.db, wallet)).filter(({ amount }) => amount === COIN);
    const sent = await send(await node.foreignAddress(), '2.5');
    const adapter = world.adapter(coin);
    const theirs = adapter.planSend({
      funds,
      destination: await node.foreignAddress(),
      amount: COIN,
      subtractFee: true,
      changeAddress: world.address(coin),
      quote: { rate: 100_000n, source: 'stranger', at: 0 },
    });
    await node.sendRaw((await world.deps.sign(adapter, theirs)).raw);
    expect(await node.getMempool()).not.toContain(sent.txHash);
    await advance();
    expect((await status(sent.id)).status).toBe('broadcast');
    await mine();
    expect((await status(sent.id)).status).toBe('broadcast');
    await mine(world.deps.policy.surplusDepth - 1);
    await failDisplacedSends(world.deps, world.chain(coin));
    expect((await status(sent.id)).status).toBe('failed');
    expect(await world.balance(coin)).toBe('2');
    expect(await world.sendEvents()).toEqual(['send.broadcast', 'send.failed']);
  });

  async function stuckAndBumped() {
    await fund(COIN);
    const destination = await node.foreignAddress();
    const sent = await send(destination, '0.5');
    const raw = await node.rpc<string>('getrawtransaction', [sent.txHash]);
    await restart({ feeFloorRate: 50_000n });
    world.clock.advance(world.deps.policy.bumpAfterMs + 60_000);
    await bumpSends(world.deps, world.chain(coin));
    return { sent, raw, destination, bumped: await status(sent.id) };
  }

  /** Runs the send in a process of its own and kills it when the node is asked for this. */
  async function killedAt(method: string, kind: 'hang' | 'hangAfter'): Promise<ChildOrder> {
    await fund(COIN, COIN);
    const order: ChildOrder = {
      world: { dir, coin, rpcUrl: proxy.url },
      destination: await node.foreignAddress(),
      amount: '0.5',
      idempotencyKey: 'payout-1',
    };
    await world.close();
    proxy.resetCounts();
    proxy.inject({ kind }, { methods: [method] });
    const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: 'inherit' });
    const exited = once(child, 'exit');
    await proxy.waitForCall(method, 1, 120_000);
    if (kind === 'hangAfter') {
      await node.waitUntil(
        'the send in the mempool',
        10_000,
        async () => (await node.getMempool()).length > 0,
      );
    }
    child.kill('SIGKILL');
    await exited;
    await proxy.heal();
    world = await openNodeWorld({ dir, coin, rpcUrl: proxy.url });
    return order;
  }

  async function sendAgain({ destination, amount, idempotencyKey }: ChildOrder) {
    return send(destination, amount, { idempotencyKey });
  }

  async function expectOnePayment(order: ChildOrder, txid: string): Promise<void> {
    expect(await node.getMempool()).toEqual([txid]);
    expect(await paidTo(txid, order.destination)).toBe(COIN / 2n);
    await mine();
    const merchantId = world.merchant.id;
    const { idempotencyKey } = order;
    expect(await getSend(world.deps, { merchantId, idempotencyKey })).toMatchObject({
      status: 'confirmed',
      txHash: txid,
    });
    expect(await world.db.selectFrom('sends').selectAll().execute()).toHaveLength(1);
  }

  describe('a stuck send', () => {
    test('gets a higher fee and pays the same amount', async () => {
      const { sent, destination, bumped } = await stuckAndBumped();
      expect(bumped).toMatchObject({ status: 'broadcast', amount: '0.5', destination });
      expect(bumped.txHash).not.toBe(sent.txHash);
      const mempool = await node.getMempool();
      expect(mempool).toContain(bumped.txHash);
      expect(mempool).not.toContain(sent.txHash);
      expect(await paidTo(bumped.txHash, destination)).toBe(COIN / 2n);
      expect(await feeOnChain(bumped.txHash)).toBe(atoms(bumped.fee));
      await mine();
      expect(await status(sent.id)).toMatchObject({ status: 'confirmed', txHash: bumped.txHash });
      expect(await world.balance(coin)).toBe(formatCoinAmount(COIN / 2n - atoms(bumped.fee), coin));
    });

    test('is confirmed by the mined version, even when that version had been replaced', async () => {
      const { sent, raw, bumped } = await stuckAndBumped();
      expect(bumped.txHash).not.toBe(sent.txHash);
      await node.mineOnly([raw]);
      await world.sync(coin);
      expect(await status(sent.id)).toMatchObject({
        status: 'confirmed',
        txHash: sent.txHash,
        fee: sent.fee,
      });
      expect(await world.balance(coin)).toBe(formatCoinAmount(COIN / 2n - atoms(sent.fee), coin));
    });
  });

  describe('a send when the daemon is killed with kill -9', () => {
    test('is not stored before signing, and the repeated request pays it', async () => {
      const order = await killedAt('estimatesmartfee', 'hang');
      expect(await world.db.selectFrom('sends').selectAll().execute()).toEqual([]);
      expect(await world.balance(coin)).toBe('2');
      const sent = await sendAgain(order);
      await expectOnePayment(order, sent.txHash);
    });

    test.each([
      ['after the commit, before the node was offered anything', 'getblockchaininfo', 'hang'],
      ['while the node was being offered the bytes', 'sendrawtransaction', 'hang'],
      ['after the node took them', 'sendrawtransaction', 'hangAfter'],
    ] as const)(
      'is returned to the repeated request when killed %s, and the same bytes are broadcast',
      async (_when, method, kind) => {
        const order = await killedAt(method, kind);
        const found = await sendAgain(order);
        expect(found.status).toBe('signed');
        expect(await world.balance(coin)).toBe('1');
        await advanceSends(world.deps, world.chain(coin), { resume: true });
        expect(await status(found.id)).toMatchObject({ status: 'broadcast', txHash: found.txHash });
        await expectOnePayment(order, found.txHash);
      },
    );
  });
}
