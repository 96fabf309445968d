import { beforeEach, describe, expect, it } from 'vitest';
import { UnreadTransactions } from '../../../../src/chains/shared/unread-transactions.ts';
import { createMempool, type Mempool } from '../../../../src/chains/utxo/mempool/mempool.ts';
import { createNodeClient, type NodeClient } from '../../../../src/chains/utxo/rpc/node-client.ts';
import { createRpc } from '../../../../src/chains/utxo/rpc/rpc.ts';
import { Refused, scriptedTransport } from '../../../_helpers/scripted-transport.ts';
import { encodeTransaction, p2wpkh, txidOf } from './raw-chain.ts';
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
  mempool: async () => ({ bestBefore: TIP, txids: listed ?? [...pool.keys()], bestAfter: TIP }),
  mempoolTransactions: async (txids: readonly string[]) => {
    reads.push(...txids);
    afterRead();
    return txids.map((txid) => pool.get(txid) ?? null);
  },
  mempoolTimes: async (txids: readonly string[]) => txids.map(() => (isTimed ? 1_000 : null)),
  header: async () => ({ hash: TIP, height: 7, time: 0, mediantime: 0 }),
} as unknown as NodeClient;

function payUs(amount: bigint): string {
  const transaction = {
    inputs: [{ txid: '22'.repeat(32), index: Number(amount) }],
    outputs: [{ amount, script: OURS }],
  };
  const txid = txidOf(transaction);
  pool.set(txid, encodeTransaction(transaction).toString('hex'));
  return txid;
}

beforeEach(() => {
  pool.clear();
  reads = [];
  alarms = [];
  nowMs = 0;
  listed = null;
  isTimed = true;
  afterRead = () => null;
  mempool = createMempool({
    client,
    index: {
      ...NO_ACCOUNTS,
      watched: async (keys) => new Set(keys.filter((key) => key === Buffer.from(OURS).toString('hex'))),
      ownOutputs: async () => new Set(),
    },
    mweb: false,
    unread: new UnreadTransactions({
      coin: 'BTC',
      clock: { now: () => nowMs },
      logger: { debug() {}, info() {}, warn() {}, error: (fields) => void alarms.push(fields) },
    }),
  });
});

describe('one unreadable mempool transaction', () => {
  it.each([
    ['is truncated', '0200000001'],
    ['is not hex', 'zz'],
    [
      'is another transaction',
      encodeTransaction({ inputs: [{ txid: '33'.repeat(32), index: 0 }], outputs: [] }).toString('hex'),
    ],
  ])('does not hide the other transactions when it %s', async (_what, raw) => {
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

  it('is read again later, and credited once it is readable', async () => {
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

  it('is forgotten when it leaves the mempool', async () => {
    pool.set(POISON, '00');
    await mempool.view();
    pool.clear();
    await mempool.view();
    pool.set(POISON, '00');
    await mempool.view();
    expect(reads).toEqual([POISON, POISON]);
  });
});

describe('one mempool transaction that the node does not return', () => {
  it('does not hide the others, nor does a transaction without a time', async () => {
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

describe('a mempool view whose parts come from two backends', () => {
  it('lists the mempool again when a transaction was mined between the list and its reading', async () => {
    const txid = payUs(5_000n);
    listed = [txid];
    pool.clear();
    afterRead = () => (listed = null);
    const view = await mempool.view();
    expect(view.has(txid)).toBe(false);
    expect(view.isPartial).toBeUndefined();
  });

  it('is marked as partial while a listed transaction is never returned, and includes the others', async () => {
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

  it('leaves the time to the block when a transaction left the mempool before its time was read', async () => {
    const txid = payUs(5_000n);
    isTimed = false;
    afterRead = () => pool.clear();
    const view = await mempool.view();
    expect([view.has(txid), view.credits, view.isPartial]).toEqual([false, [], undefined]);
  });

  it('is marked as partial and guesses no times while the backends list different transactions', async () => {
    payUs(5_000n);
    isTimed = false;
    expect(await mempool.view()).toMatchObject({ credits: [], isPartial: true });
    isTimed = true;
    const view = await mempool.view();
    expect(view).toMatchObject({ credits: [{ nodeTimeMs: 1_000 }] });
    expect(view.isPartial).toBeUndefined();
  });
});

describe('new transactions of the mempool', () => {
  it('are those that the previous view did not contain', async () => {
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
