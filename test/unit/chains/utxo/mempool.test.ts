import { beforeEach, describe, expect, it } from 'vitest';
import { createMempool, type Mempool } from '../../../../src/chains/utxo/mempool.ts';
import type { NodeClient } from '../../../../src/chains/utxo/node-client.ts';
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

const client = {
  mempool: async () => ({ bestBefore: TIP, txids: [...pool.keys()], bestAfter: TIP }),
  mempoolTransactions: async (txids: readonly string[]) => {
    reads.push(...txids);
    return txids.map((txid) => pool.get(txid) ?? null);
  },
  mempoolTimes: async (txids: readonly string[]) => txids.map(() => 1_000),
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
  mempool = createMempool({
    client,
    index: {
      ...NO_ACCOUNTS,
      watched: async (keys) => new Set(keys.filter((key) => key === Buffer.from(OURS).toString('hex'))),
      ownOutputs: async () => new Set(),
    },
    mweb: false,
    clock: { now: () => nowMs },
    logger: { debug() {}, info() {}, warn() {}, error: (fields) => void alarms.push(fields) },
  });
});

describe('one mempool transaction that cannot be read', () => {
  it.each([
    ['is cut short', '0200000001'],
    ['is no hex', 'zz'],
    [
      'is another transaction',
      encodeTransaction({ inputs: [{ txid: '33'.repeat(32), index: 0 }], outputs: [] }).toString('hex'),
    ],
  ])('blinds nobody for the others when it %s', async (_what, raw) => {
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

  it('is read again after a while, and found when it can be', async () => {
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
