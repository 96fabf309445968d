import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { UnreadTransactions } from '../../../../src/chains/shared/unread-transactions.ts';
import {
  createMempool,
  type Mempool,
  type MempoolDeps,
} from '../../../../src/chains/utxo/mempool/mempool.ts';
import { createMempoolCache } from '../../../../src/chains/utxo/mempool/mempool-cache.ts';
import { TxidHash, TxidTable } from '../../../../src/chains/utxo/mempool/txid-table.ts';
import { reduceBlock } from '../../../../src/chains/utxo/blocks/read-block.ts';
import type { ChainIndex } from '../../../../src/domain/chain.ts';
import { createNodeClient, type NodeClient } from '../../../../src/chains/utxo/rpc/node-client.ts';
import { toTxidBytes } from '../../../../src/chains/utxo/rpc/node-answers.ts';
import { createRpc } from '../../../../src/chains/utxo/rpc/rpc.ts';
import { Refused, scriptedTransport } from '../../../_helpers/scripted-transport.ts';
import {
  blockOf,
  COINBASE,
  encodeTransaction,
  opened,
  p2wpkh,
  type TestTransaction,
  txidOf,
} from './raw-chain.ts';
import { NO_ACCOUNTS } from '../../../_helpers/no-accounts.ts';

const OURS = p2wpkh('aa'.repeat(20));
const TIP = 'b1'.repeat(32);
const POISON = 'dd'.repeat(32);

/** A node whose mempool is what the test puts there, as raw hex by id. */
const pool = new Map<string, string>();
let reads: string[] = [];
let nowMs = 0;
let alarms: object[] = [];
let mempool: Mempool;
/** What the node lists, when that is not what it can show. */
let listed: readonly string[] | null = null;
let isTimed = true;
let afterRead = (): unknown => null;

const client = {
  mempool: async () => ({ bestBefore: TIP, txids: toTxidBytes(listed ?? [...pool.keys()]), bestAfter: TIP }),
  mempoolTransactions: async (txids: readonly string[]) => {
    reads.push(...txids);
    afterRead();
    return txids.map((txid) => pool.get(txid) ?? null);
  },
  mempoolTimes: async (txids: readonly string[]) => txids.map(() => (isTimed ? 1_000 : null)),
  getBlockHeader: async () => ({ hash: TIP, height: 7, time: 0, mediantime: 0 }),
} as unknown as NodeClient;

function paymentToUs(amount: bigint): TestTransaction {
  return {
    inputs: [{ txid: '22'.repeat(32), index: Number(amount) }],
    outputs: [{ amount, script: OURS }],
  };
}

function payUs(amount: bigint): string {
  const transaction = paymentToUs(amount);
  const txid = txidOf(transaction);
  pool.set(txid, encodeTransaction(transaction).toString('hex'));
  return txid;
}

function paymentToStranger(input: number): TestTransaction {
  return {
    inputs: [{ txid: '33'.repeat(32), index: input }],
    outputs: [{ amount: 1_000n, script: p2wpkh('bb'.repeat(20)) }],
  };
}

function payStranger(input: number): string {
  const transaction = paymentToStranger(input);
  const txid = txidOf(transaction);
  pool.set(txid, encodeTransaction(transaction).toString('hex'));
  return txid;
}

const index: ChainIndex = {
  ...NO_ACCOUNTS,
  watched: async (keys) => new Set(keys.filter((key) => key === Buffer.from(OURS).toString('hex'))),
  ownOutputs: async () => new Set(),
};

/** A process that reads one chunk of the mempool for each view. */
function newMempool(more: Partial<MempoolDeps> = {}): Mempool {
  return createMempool({
    client,
    index,
    mweb: false,
    unread: new UnreadTransactions({
      coin: 'BTC',
      clock: { now: () => nowMs },
      logger: { debug() {}, info() {}, warn() {}, error: (fields) => void alarms.push(fields) },
    }),
    ...more,
  });
}

beforeEach(() => {
  pool.clear();
  reads = [];
  alarms = [];
  nowMs = 0;
  listed = null;
  isTimed = true;
  afterRead = () => null;
  mempool = newMempool();
});

describe('a mempool transaction that cannot be parsed', () => {
  it.each([
    ['is truncated', '0200000001'],
    ['is not hex', 'zz'],
    [
      'is another transaction',
      encodeTransaction({ inputs: [{ txid: '33'.repeat(32), index: 0 }], outputs: [] }).toString('hex'),
    ],
  ])('does not hide other transactions when it %s', async (_what, raw) => {
    const before = payUs(5_000n);
    pool.set(POISON, raw);
    const after = payUs(6_000n);
    const view = await mempool.view();
    expect(view.credits.map(({ ref }) => ref.txid).toSorted()).toEqual([before, after].toSorted());
    expect(view.has(POISON)).toBe(true);
    const later = payUs(7_000n);
    expect((await mempool.view()).credits.map(({ ref }) => ref.txid)).toContain(later);
    expect(alarms).toMatchObject([{ txid: POISON }]);
  });

  it('is read again later, and credited once it can be parsed', async () => {
    const txid = payUs(5_000n);
    const raw = pool.get(txid) ?? '';
    pool.set(txid, raw.slice(0, -2));
    expect((await mempool.view()).credits).toEqual([]);
    pool.set(txid, raw);
    expect((await mempool.view()).credits).toEqual([]);
    expect(reads).toEqual([txid]);
    nowMs += 11 * 60_000;
    expect((await mempool.view()).credits).toMatchObject([{ amount: 5_000n }]);
    expect(alarms).toHaveLength(1);
  });

  it('is removed from the cache when it leaves the mempool', async () => {
    pool.set(POISON, '00');
    await mempool.view();
    pool.clear();
    await mempool.view();
    pool.set(POISON, '00');
    await mempool.view();
    expect(reads).toEqual([POISON, POISON]);
  });
});

describe('a mempool transaction that the node lists but does not return', () => {
  it('does not hide other transactions, nor does a transaction without a time', async () => {
    const [refused, untimed] = [payUs(5_000n), payUs(6_000n)];
    const answers = scriptedTransport((method, [txid]) => {
      if (method === 'getbestblockhash') return TIP;
      if (method === 'getrawmempool') return [...pool.keys()];
      if (method === 'getmempoolinfo') return { loaded: true };
      if (method === 'getblockheader') return { hash: TIP, height: 7, time: 0, mediantime: 0 };
      if (method === 'getmempoolentry') return { time: null };
      return txid === refused ? new Refused(-32603, 'internal error') : pool.get(String(txid));
    });
    const unread = new UnreadTransactions({
      coin: 'BTC',
      clock: { now: () => nowMs },
      logger: { debug() {}, info() {}, warn() {}, error() {} },
    });
    const ours = { ...NO_ACCOUNTS, watched: async (keys: readonly string[]) => new Set(keys) };
    const view = await createMempool({
      client: createNodeClient(createRpc(answers)),
      index: { ...ours, ownOutputs: async () => new Set() },
      mweb: false,
      unread,
    }).view();
    expect(view.credits).toMatchObject([{ ref: { txid: untimed }, nodeTimeMs: null }]);
    expect(view.isPartial).toBeUndefined();
    expect(unread.list()).toMatchObject([
      { txid: refused, height: null, reason: 'the node refused getrawtransaction: internal error (-32603)' },
    ]);
  });
});

describe('a mempool view whose requests are answered by two backends', () => {
  it('is built from a new list when a transaction was mined after it was listed', async () => {
    const txid = payUs(5_000n);
    listed = [txid];
    pool.clear();
    afterRead = () => (listed = null);
    const view = await mempool.view();
    expect(view.has(txid)).toBe(false);
    expect(view.isPartial).toBeUndefined();
  });

  it('is marked as partial while a listed transaction is never returned, and includes all others', async () => {
    const hidden = payUs(5_000n);
    pool.delete(hidden);
    const other = payUs(6_000n);
    listed = [hidden, other];
    const view = await mempool.view();
    expect(view.isPartial).toBe(true);
    expect(view.has(hidden)).toBe(true);
    expect(view.credits.map(({ ref }) => ref.txid)).toEqual([other]);
    listed = null;
    expect((await mempool.view()).isPartial).toBeUndefined();
  });

  it('omits a transaction that left the mempool before its time was read, because its block has the time', async () => {
    const txid = payUs(5_000n);
    isTimed = false;
    afterRead = () => pool.clear();
    const view = await mempool.view();
    expect([view.has(txid), view.credits, view.isPartial]).toEqual([false, [], undefined]);
  });

  it('is marked as partial, and credits nothing without a time, while the backends list different transactions', async () => {
    payUs(5_000n);
    isTimed = false;
    expect(await mempool.view()).toMatchObject({ credits: [], isPartial: true });
    isTimed = true;
    const view = await mempool.view();
    expect(view).toMatchObject({ credits: [{ nodeTimeMs: 1_000 }] });
    expect(view.isPartial).toBeUndefined();
  });
});

describe('hasNews of a mempool view', () => {
  it('is true only when the view contains a transaction that the previous one did not', async () => {
    expect((await mempool.view()).hasNews).toBe(false);
    payUs(5_000n);
    expect((await mempool.view()).hasNews).toBe(true);
    expect((await mempool.view()).hasNews).toBe(false);
    pool.clear();
    expect((await mempool.view()).hasNews).toBe(false);
    payUs(6_000n);
    expect((await mempool.view()).hasNews).toBe(true);
  });
});

describe('a mempool that is too large for one view', () => {
  const MANY = 1_200;

  it('is read in several polls: each view contains all transactions read so far and is marked partial until the last', async () => {
    const txids = Array.from({ length: MANY }, (_, at) =>
      at % 400 === 0 ? payUs(BigInt(at + 1)) : payStranger(at),
    );
    const slow = newMempool({ readMs: 0 });
    const views = [await slow.view(), await slow.view(), await slow.view(), await slow.view()];
    expect(views.map(({ left, isPartial }) => [left, isPartial])).toEqual([
      [MANY - 512, true],
      [MANY - 1_024, true],
      [undefined, undefined],
      [undefined, undefined],
    ]);
    expect(views.map(({ credits }) => credits.length)).toEqual([2, 3, 3, 3]);
    expect(views.map(({ hasNews }) => hasNews)).toEqual([true, false, false, false]);
    expect(reads.toSorted()).toEqual(txids.toSorted());
    for (const txid of txids) expect(views[0]?.has(txid)).toBe(true);
  });

  it('is read from its newest transactions on', async () => {
    for (let at = 0; at < MANY; at += 1) payStranger(at);
    const slow = newMempool({ readMs: 0 });
    expect((await slow.view()).credits).toEqual([]);
    const newest = payUs(6_000n);
    const second = await slow.view();
    expect(second.credits.map(({ ref }) => ref.txid)).toEqual([newest]);
    expect(second.isPartial).toBe(true);
  });
});

describe('many transactions that the node lists but never returns', () => {
  it('do not prevent a view from reading all others', async () => {
    const hidden = Array.from({ length: 1_200 }, (_, at) => txidOf(paymentToStranger(at)));
    const slow = newMempool({ readMs: 0 });
    listed = hidden;
    await slow.view();
    await slow.view();
    const ours = payUs(5_000n);
    listed = [...hidden, ours];
    expect((await slow.view()).credits.map(({ ref }) => ref.txid)).toEqual([ours]);
    const stranger = payStranger(9_999);
    listed = [...hidden, stranger, ours];
    await slow.view();
    expect(reads).toContain(stranger);
  });
});

describe('the mempool cache file', () => {
  let dir: string;
  let context = 'this database';
  const warnings: string[] = [];
  const cache = () =>
    createMempoolCache({
      path: join(dir, 'mempool-btc.cache'),
      context: async () => context,
      logger: { debug() {}, info() {}, warn: (_fields, text) => void warnings.push(text), error() {} },
    });

  beforeEach(() => {
    dir = mkdtempSync(join(tmpdir(), 'tilld-mempool-'));
    context = 'this database';
    warnings.length = 0;
  });
  afterEach(() => rmSync(dir, { recursive: true }));

  /** Reads everything, and ends in the usual way. */
  async function run(more: Partial<MempoolDeps> = {}) {
    reads = [];
    const running = newMempool({ cache: cache(), ...more });
    const view = await running.view();
    await running.close();
    return view;
  }

  it('is read at a restart, so that only new and relevant transactions are requested from the node', async () => {
    const ours = payUs(5_000n);
    for (let at = 0; at < 700; at += 1) payStranger(at);
    await run();
    expect(reads).toHaveLength(701);
    const during = payUs(6_000n);
    const stranger = payStranger(700);
    const view = await run();
    expect(reads.toSorted()).toEqual([ours, during, stranger].toSorted());
    expect(view.credits.map(({ ref }) => ref.txid).toSorted()).toEqual([ours, during].toSorted());
    expect(view.isPartial).toBeUndefined();
    expect(readdirSync(dir)).toEqual(['mempool-btc.cache']);
  });

  it('is also written while the daemon runs, so that a killed daemon does not request everything again', async () => {
    for (let at = 0; at < 6_000; at += 1) payStranger(at);
    const killed = newMempool({ cache: cache() });
    await killed.view();
    // The next view waits for the write that follows the previous one.
    await killed.view();
    await run();
    expect(reads).toEqual([]);
  });

  it('does not list an unparsable transaction as read', async () => {
    pool.set(POISON, '00');
    await run();
    await run();
    expect(reads).toEqual([POISON]);
  });

  it('does not list a transaction that the node never returned as read', async () => {
    const hidden = payUs(5_000n);
    const raw = pool.get(hidden) ?? '';
    pool.delete(hidden);
    listed = [hidden];
    await run();
    pool.set(hidden, raw);
    expect((await run()).credits).toMatchObject([{ amount: 5_000n }]);
  });

  it('is ignored when it belongs to another database, such as before a restore', async () => {
    payStranger(1);
    await run();
    context = 'a restored database';
    await run();
    expect(reads).toHaveLength(1);
  });

  it('is ignored when any byte of it is damaged, or its end is missing', async () => {
    const txid = payStranger(1);
    await run();
    const path = join(dir, 'mempool-btc.cache');
    const whole = readFileSync(path);
    for (let at = 0; at < whole.length; at += 1) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(path, damaged);
      expect(await cache().load()).toBeNull();
      writeFileSync(path, whole.subarray(0, at));
      expect(await cache().load()).toBeNull();
    }
    await run();
    expect(reads).toEqual([txid]);
  });

  it('causes a warning when it cannot be saved, and every transaction is requested again', async () => {
    payStranger(1);
    await run({
      cache: createMempoolCache({
        path: join(dir, 'missing', 'x'),
        context: async () => '',
        logger: { debug() {}, info() {}, warn: (_fields, text) => void warnings.push(text), error() {} },
      }),
    });
    expect(warnings).toEqual(['mempool cache not saved; the next start reads the whole mempool again']);
  });
});

/** Searches under a known key, which only the process has: the key of zeros leaves 32 bits. */
function collision(): { readonly stranger: number; readonly amount: bigint } {
  const hash = new TxidHash(new Uint8Array(64));
  const seen = new Map<number, number>();
  for (let at = 0; ; at += 1) {
    hash.hashText(txidOf(paymentToStranger(at)));
    seen.set(hash.low, at);
    hash.hashText(txidOf(paymentToUs(BigInt(at + 1))));
    const stranger = seen.get(hash.low);
    if (stranger !== undefined) return { stranger, amount: BigInt(at + 1) };
  }
}

describe('two mempool transactions whose txids have the same fingerprint', () => {
  it('are treated as one until a block credits the second, while a process with another hash key credits it unconfirmed', async () => {
    const { stranger, amount } = collision();
    const saved = { hash: new TxidHash(new Uint8Array(64)), table: new TxidTable(0) };
    const attacked = newMempool({ cache: { load: async () => saved, save: async () => undefined } });
    payStranger(stranger);
    await attacked.view();
    const txid = payUs(amount);
    const view = await attacked.view();
    expect([view.credits, view.has(txid)]).toEqual([[], true]);
    expect((await newMempool().view()).credits).toMatchObject([{ ref: { txid }, amount }]);
    const block = opened(blockOf([COINBASE, paymentToUs(amount)]));
    const { credits } = await reduceBlock({ index, coin: { hasMweb: false } }, 8, block);
    expect(credits).toMatchObject([{ ref: { txid }, amount }]);
  });
});
