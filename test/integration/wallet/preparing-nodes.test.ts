import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { ChainId } from '../../../src/domain/coins.ts';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { writeMeta } from '../../../src/store/meta.ts';
import { copySqlite } from '../../../src/store/sqlite/files.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import type { SendView } from '../../../src/usecases/wallet/send/send-view.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { prepareSends } from '../../../src/usecases/wallet/lifecycle/prepare-sends.ts';
import { reserveGapLimit } from '../../../src/usecases/addresses/gap-limit.ts';
import { watchLookAhead } from '../../../src/usecases/addresses/watch-look-ahead.ts';
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
} from '../../_helpers/nodes/index.ts';
import type { WalletWorld } from '../../_helpers/wallet-world.ts';

const CHILD = new URL('../../_helpers/node-world.ts', import.meta.url).pathname;
const EACH = 100_000n;
/** Inputs of one transaction where a test says so. */
const MOST = 20;
const KEY = 'payout-1';

describe.each(NODE_COINS)('a send that first consolidates its inputs, on a real %s node,', (coin) => {
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
  afterEach(async () => {
    await proxy.heal();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const atoms = (text: string) => parseCoinAmount(text, coin);

  async function open(mostInputs?: number): Promise<void> {
    const limit = mostInputs === undefined ? {} : { mostInputs };
    world = await openNodeWorld({ dir, coin, rpcUrl: proxy.url, rpcTimeoutMs: 60_000, ...limit });
  }

  /** A wallet with so many small outputs. */
  async function crowd(count: number, mostInputs?: number): Promise<void> {
    dir = mkdtempSync(join(tmpdir(), 'tilld-parts-'));
    await open(mostInputs);
    await world.sync(coin);
    for (let left = count; left > 0; left -= 1_000) {
      const amounts = Array.from({ length: Math.min(left, 1_000) }, () => EACH);
      await node.pay({ address: world.address(coin), amounts });
      await node.mine(1);
    }
    await world.sync(coin);
  }

  async function place(destination: string, amount: string): Promise<SendView> {
    const { merchant, deps } = world;
    return sendCoins(deps, { merchant, destination, amount, coin, idempotencyKey: KEY });
  }

  async function status(): Promise<SendView> {
    return getSend(world.deps, { merchantId: world.merchant.id, idempotencyKey: KEY });
  }

  async function round(): Promise<void> {
    const { deps, clock } = world;
    clock.advance(deps.policy.retryMaxMs);
    await advanceSends(deps, world.chain(coin), { resume: true });
    await prepareSends(deps, world.chain(coin));
    await mine();
  }

  async function mine(): Promise<void> {
    await node.mine(1);
    await world.sync(coin);
  }

  async function settle(): Promise<SendView> {
    for (let at = 0; at < 30; at += 1) {
      const send = await status();
      if (send.status === 'confirmed' || send.status === 'failed') return send;
      await round();
    }
    throw new Error('the send does not settle');
  }

  /** What the blocks pay to an address. */
  async function received(address: string): Promise<bigint> {
    const scan = await node.rpc<{ unspents: { amount: string }[] }>('scantxoutset', [
      'start',
      [`addr(${address})`],
    ]);
    return scan.unspents.reduce((sum, { amount }) => sum + atoms(amount), 0n);
  }

  // Once is enough: what differs between the coins is in the other tests.
  if (coin === 'BTC')
    test('a send of three thousand outputs first consolidates them, and pays the exact amount', async () => {
      await crowd(3_000);
      const destination = await node.foreignAddress();
      const ordered = await place(destination, '2.7');
      expect(ordered).toMatchObject({ status: 'preparing', txHash: null, amount: '2.7' });
      const done = await settle();
      expect(done).toMatchObject({ status: 'confirmed', amount: '2.7', fee: ordered.fee });
      expect(await received(destination)).toBe(atoms('2.7'));
      const left = 3_000n * EACH - atoms('2.7') - atoms(done.fee);
      expect(await world.balance(coin)).toBe(formatCoinAmount(left, coin));
      await expectBooksToAgree(world.db);
    });

  test('a send whose consolidations were signed after the backup is confirmed by blocks that the restored daemon reads', async () => {
    await crowd(30, MOST);
    const destination = await node.foreignAddress();
    await place(destination, '0.028');
    const backup = mkdtempSync(join(tmpdir(), 'tilld-parts-'));
    for (const file of readdirSync(dir).filter((name) => !name.startsWith('tilld.db')))
      cpSync(join(dir, file), join(backup, file), { recursive: true });
    copySqlite(join(dir, 'tilld.db'), join(backup, 'tilld.db'));
    const done = await settle();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
    dir = backup;
    await open(MOST);
    await watchFurtherAddresses();
    await writeMeta(world.db, 'restored_at', String(world.clock.now()));
    expect((await status()).status).toBe('preparing');
    await world.sync(coin);
    const { status: state, txHash, amount, fee, parts } = await status();
    expect({ state, txHash, amount, fee, parts }).toEqual({
      state: 'confirmed',
      txHash: done.txHash,
      amount: done.amount,
      fee: done.fee,
      parts: done.parts,
    });
    for (let at = 0; at < 3; at += 1) await round();
    expect(await received(destination)).toBe(atoms('0.028'));
    const left = 30n * EACH - atoms('0.028') - atoms(done.fee);
    expect(await world.balance(coin)).toBe(formatCoinAmount(left, coin));
    await expectBooksToAgree(world.db);
  });

  /** What a restore does: addresses given out since the backup are not in it. */
  async function watchFurtherAddresses(): Promise<void> {
    const { db, clock, deriver } = world.deps;
    await reserveGapLimit({ db, clock }, 20);
    const toWatchKey = (chain: ChainId, address: string): string =>
      chain.coin === coin ? world.adapter(coin).watchKey(address) : address;
    while (await watchLookAhead({ db, deriver, toWatchKey }));
  }

  test.each([
    { step: 'its first part', rounds: 0, kind: 'hang' },
    { step: 'its first part', rounds: 0, kind: 'hangAfter' },
    { step: 'the send itself', rounds: 1, kind: 'hang' },
    { step: 'the send itself', rounds: 1, kind: 'hangAfter' },
  ] as const)(
    'a send that first consolidates its inputs pays once after kill -9 while $step is broadcast ($kind)',
    async ({ rounds, kind }) => {
      await crowd(30, MOST);
      const destination = await node.foreignAddress();
      const ordered = await place(destination, 'max');
      expect(ordered.parts?.total).toBe(2);
      for (let at = 0; at < rounds; at += 1) await round();
      await killInStep({ destination, amount: 'max', kind });
      const done = await settle();
      expect(done.status).toBe('confirmed');
      expect(atoms(done.amount) + atoms(done.fee)).toBe(30n * EACH);
      expect(await received(destination)).toBe(atoms(done.amount));
      expect(await world.balance(coin)).toBe('0');
      await expectBooksToAgree(world.db);
    },
  );

  /** A process takes the next step and is killed at its broadcast, before the node answers or after it has the bytes. */
  async function killInStep(step: {
    readonly destination: string;
    readonly amount: string;
    readonly kind: 'hang' | 'hangAfter';
  }): Promise<void> {
    const { destination, amount, kind } = step;
    const order: ChildOrder = {
      world: { dir, coin, rpcUrl: proxy.url, mostInputs: MOST },
      destination,
      amount,
      idempotencyKey: KEY,
    };
    await world.close();
    proxy.resetCounts();
    proxy.inject({ kind }, { methods: ['sendrawtransaction'] });
    const child = spawn(process.execPath, [CHILD, JSON.stringify(order)], { stdio: 'inherit' });
    const exited = once(child, 'exit');
    await proxy.waitForCall('sendrawtransaction', 1, 120_000);
    if (kind === 'hangAfter') {
      const isTaken = async () => (await node.getMempool()).length > 0;
      await node.waitUntil('the transaction in the mempool', 60_000, isTaken);
    }
    child.kill('SIGKILL');
    await exited;
    await proxy.heal();
    await open(MOST);
  }
}
