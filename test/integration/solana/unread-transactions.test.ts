import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { BlockRef, ChainAdapter, Credit, UnreadStore } from '../../../src/domain/chain.ts';
import { unreadStore } from '../../../src/store/chain/unread-transactions.ts';

import { type OpenDatabase, openDatabase } from '../../../src/store/sqlite/open.ts';
import { OpenIndex } from '../../_helpers/svm/open-index.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';

const PATIENCE_MS = 20_000;
const HOUR_MS = 3_600_000;

class StoringIndex extends OpenIndex {
  unread: UnreadStore;

  constructor(addresses: readonly string[], unread: UnreadStore) {
    super(addresses);
    this.unread = unread;
  }
}

type Answer = { meta: Record<string, unknown>; transaction: unknown };

const withoutMeta = (result: unknown): unknown => ({ ...(result as Answer), meta: null });

const oneMore = (balances: unknown) => [...(balances as number[]), 1];

/** A version 0 transaction as some nodes answer it: balances of loaded accounts, which are not named. */
function withoutLoadedAddresses(result: unknown): unknown {
  const { meta, ...rest } = result as Answer;
  const { loadedAddresses: _, ...others } = meta;
  return {
    ...rest,
    meta: {
      ...others,
      preBalances: oneMore(meta['preBalances']),
      postBalances: oneMore(meta['postBalances']),
    },
  };
}

describe('AccountWatch with a transaction that cannot be read', () => {
  const [victim, other] = [strangerAddress(), strangerAddress()];
  const clock = { ms: Date.now(), now: () => clock.ms };
  const errors: { fields: Record<string, unknown>; message: string }[] = [];
  const logger = {
    debug() {},
    info() {},
    warn() {},
    error: (fields: object, message: string) =>
      void errors.push({ fields: fields as Record<string, unknown>, message }),
  };
  let node: SvmNode;
  let payer: Payer;
  let database: OpenDatabase;
  let index: StoringIndex;
  let adapter: ChainAdapter;
  let cursor: BlockRef;

  const open = (): ChainAdapter =>
    createSolanaAdapter({ network: 'regtest', rpcUrl: node.url, index, clock, logger });

  beforeEach(async () => {
    errors.length = 0;
    node = await SvmNode.start();
    payer = new Payer(node);
    database = await openDatabase(':memory:');
    index = new StoringIndex([victim, other], unreadStore(database.db, { coin: 'SOL', mode: 'live' }));
    adapter = open();
    cursor = await adapter.tip();
  });
  afterEach(async () => {
    await adapter.close();
    await node.stop();
    await database.close();
  });

  async function round(): Promise<Credit[]> {
    const credits: Credit[] = [];
    try {
      for (;;) {
        const block = await adapter.sparse?.blockAfter(cursor);
        if (block === null || block === undefined) return credits;
        credits.push(...block.credits);
        index.record(block.credits);
        cursor = { height: block.height, hash: block.hash };
      }
    } finally {
      await adapter.unconfirmed().catch(() => undefined);
    }
  }

  function pay(address: string, amount: bigint): string {
    const signature = payer.pay([{ address, amount }]);
    node.advance(2);
    return signature;
  }

  /** Makes the node answer one transaction in another form. */
  function spoil(signature: string, rewrite: (result: unknown) => unknown) {
    const about = ([first]: readonly unknown[]) => first === signature;
    return node.inject({ kind: 'rewrite', rewrite }, { methods: ['getTransaction'], about });
  }

  function refuse(signature: string, code: number, message: string) {
    const about = ([first]: readonly unknown[]) => first === signature;
    return node.inject({ kind: 'error', code, message }, { methods: ['getTransaction'], about });
  }

  const FORMS: readonly [string, (signature: string) => { clear(): void }][] = [
    ['meta null', (signature) => spoil(signature, withoutMeta)],
    ['no loadedAddresses', (signature) => spoil(signature, withoutLoadedAddresses)],
    [
      'an unknown version',
      (signature) => refuse(signature, -32015, 'Transaction version (7) is not supported'),
    ],
    ['an internal error', (signature) => refuse(signature, -32603, 'internal error')],
    ['accounts that are not ours', (signature) => spoil(signature, () => 'none of yours')],
  ];

  it.each(FORMS)(
    'credits other payments while the node answers that transaction with %s',
    async (_, spoilIt) => {
      const signature = pay(victim, 5_000_000n);
      spoilIt(signature);
      pay(other, 7_000_000n);
      const credits: Credit[] = [];
      // A refusal may be an outage: it is believed to be about this transaction after three attempts.
      for (let attempt = 0; attempt < 3; attempt += 1) credits.push(...(await round().catch(() => [])));
      expect(credits).toMatchObject([{ watchKey: other, amount: 7_000_000n }]);
      expect(await index.unread.list()).toMatchObject([{ txid: signature, watchKey: victim }]);
      expect(errors.map(({ message }) => message)).toContain(
        'on-chain transaction unreadable; skipped and retried, other transactions are not affected',
      );
    },
  );

  it.each([
    ['refuses', { kind: 'error', code: -32603, message: 'internal error' }],
    ['lacks', { kind: 'error', code: -32007, message: 'Slot was skipped, or missing due to ledger jump' }],
  ] as const)('credits other payments while the node %s the block of that transaction', async (_, fault) => {
    pay(victim, 5_000_000n);
    const tip = await adapter.tip();
    const blocks = node.inject(fault, {
      methods: ['getBlock'],
      about: ([at]) => Number(at) > cursor.height && Number(at) < tip.height,
    });
    pay(other, 7_000_000n);
    const credits: Credit[] = [];
    for (let attempt = 0; attempt < 4; attempt += 1) credits.push(...(await round().catch(() => [])));
    expect(credits).toMatchObject([{ watchKey: other, amount: 7_000_000n }]);
    expect(await index.unread.list()).toMatchObject([{ watchKey: victim }]);
    blocks.clear();
    clock.ms += HOUR_MS;
    node.advance();
    expect(await round()).toMatchObject([{ watchKey: victim, amount: 5_000_000n }]);
    node.advance();
    await round();
    expect(await index.unread.list()).toEqual([]);
  });

  it('credits later payments to the same account after a grace period for its history', async () => {
    spoil(pay(victim, 5_000_000n), withoutMeta);
    await round();
    clock.ms += PATIENCE_MS;
    pay(victim, 6_000_000n);
    expect(await round()).toMatchObject([{ watchKey: victim, amount: 6_000_000n }]);
  });

  it('credits the transaction once when it can be read, although its slot is before the cursor', async () => {
    const signature = pay(victim, 5_000_000n);
    const fault = spoil(signature, withoutMeta);
    await round();
    node.advance(3);
    await round();
    fault.clear();
    clock.ms += HOUR_MS;
    node.advance();
    expect(await round()).toMatchObject([{ watchKey: victim, amount: 5_000_000n, ref: { txid: signature } }]);
    node.advance();
    expect(await round()).toEqual([]);
    expect(await index.unread.list()).toEqual([]);
    expect((await adapter.status()).unread).toEqual([]);
  });

  it('requests the transaction again with backoff, not in every poll', async () => {
    const fault = spoil(pay(victim, 5_000_000n), withoutMeta);
    for (let second = 0; second < 60; second += 1) {
      clock.ms += 1_000;
      await round();
    }
    expect(fault.hits).toBe(4);
  });

  it('stores the transaction across a restart and requests it again although the balance is unchanged', async () => {
    const signature = pay(victim, 5_000_000n);
    const fault = spoil(signature, withoutMeta);
    await round();
    await adapter.close();
    fault.clear();
    // As if the money had been spent before it was known: ledger and chain hold the same.
    const { ledger } = node;
    const account = ledger.machine.account(victim);
    if (account === null) throw new Error('the account must exist');
    ledger.put(victim, { ...account, lamports: 0n });
    node.advance();
    clock.ms += HOUR_MS;
    adapter = open();
    await round();
    clock.ms += PATIENCE_MS;
    node.advance();
    expect(await round()).toMatchObject([{ watchKey: victim, amount: 5_000_000n, ref: { txid: signature } }]);
  });

  it('reports txid, block and reason to the operator', async () => {
    const signature = pay(victim, 5_000_000n);
    refuse(signature, -32015, 'Transaction version (7) is not supported');
    await round();
    const { unread, alarms, warnings } = await adapter.status();
    expect(unread).toMatchObject([
      { txid: signature, watchKey: victim, isUnknownVersion: true, attempts: 1, firstSeenAt: clock.ms },
    ]);
    expect(alarms).toEqual(expect.arrayContaining(['unread_transactions', 'unknown_version']));
    expect(warnings).toContain(signature);
    expect(warnings).toContain('Transaction version (7) is not supported');
  });

  it.each([
    [-32005, 'Node is behind by 42 slots'],
    [-32429, 'Too many requests'],
  ])(
    'skips no transaction while the node answers %i, because that error concerns the whole node',
    async (code, message) => {
      const fault = refuse(pay(victim, 5_000_000n), code, message);
      for (let attempt = 0; attempt < 5; attempt += 1) await expect(round()).rejects.toThrow();
      expect(await index.unread.list()).toEqual([]);
      fault.clear();
      expect(await round()).toHaveLength(1);
    },
  );
});
