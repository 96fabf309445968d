import { mkdtempSync, rmSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { scanLoneTransaction } from '../../../src/chains/utxo/blocks/transaction.ts';
import { matchTransactions } from '../../../src/chains/utxo/blocks/match.ts';
import type { ChainIndex, WatchFilter } from '../../../src/domain/chain.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import { upsertOutput } from '../../../src/store/ledger/outputs.ts';
import { forgetSettledInputs, rememberInputs } from '../../../src/store/ledger/unconfirmed-inputs.ts';
import { encodeTransaction, p2wpkh, txidOf, type TestTransaction } from '../../unit/chains/utxo/raw-chain.ts';
import { openWalletWorld, type WalletWorld } from '../../_helpers/wallet-world.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
let dir: string;
let world: WalletWorld;
let count = 0;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-sieve-'));
  world = await openWalletWorld({ dir, mode: 'live', connect: () => [] });
});

afterAll(async () => {
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

const newTxid = (): string => randomBytes(32).toString('hex');
const newScript = (): Buffer => p2wpkh(randomBytes(20).toString('hex'));

/** Watches scripts as the shop does when it gives out addresses; answers their ids. */
async function watch(scripts: readonly Buffer[]): Promise<number[]> {
  const rows = scripts.map((script) => ({
    merchantId: world.merchant.id,
    ...CHAIN,
    branch: 1 as const,
    idx: (count += 1),
    address: script.toString('hex'),
    watchKey: script.toString('hex'),
    purpose: 'change' as const,
    paymentId: null,
    createdAt: 1,
  }));
  const ids: number[] = [];
  for (let at = 0; at < rows.length; at += 1_000) {
    const page = rows.slice(at, at + 1_000);
    const added = await world.db.insertInto('addresses').values(page).returning('id').execute();
    ids.push(...added.map(({ id }) => id));
  }
  return ids;
}

async function receive(txid: string): Promise<void> {
  const [address = 0] = await watch([newScript()]);
  await world.db.transaction(async (tx) =>
    upsertOutput(tx, {
      ...CHAIN,
      txid,
      vout: 0,
      addressId: address,
      merchantId: world.merchant.id,
      paymentId: null,
      amount: '1',
      state: 'confirmed',
      height: 1,
      blockHash: 'x',
      maturity: 1,
      firstSeenAt: 1,
      late: false,
      lateDue: null,
      spentBy: null,
      spentHeight: null,
      sendId: null,
      updatedAt: 1,
    }),
  );
}

async function sieveOf(index: ChainIndex): Promise<WatchFilter> {
  for (let look = 0; look < 100; look += 1) {
    const sieve = await index.watchFilter?.();
    if (sieve) return sieve;
  }
  throw new Error('the sieve never got ready');
}

/** As in a block, where other bytes are around it. */
const mayWatch = (sieve: WatchFilter, script: Buffer): boolean =>
  sieve.mayWatch(Buffer.concat([Buffer.alloc(7, 9), script, Buffer.alloc(5, 9)]), 7, 7 + script.length);
const tail = (txid: string): number => Number.parseInt(txid.slice(-8), 16);

describe('the watch filter (addresses and inputs of the wallet)', () => {
  it('matches watched scripts, including those added after the first use', async () => {
    const index = createChainIndex(world.db, CHAIN);
    const early = newScript();
    await watch([early]);
    const first = await sieveOf(index);
    expect(mayWatch(first, early)).toBe(true);
    const late = newScript();
    expect(mayWatch(first, late)).toBe(false);
    await watch([late]);
    const second = await sieveOf(index);
    expect(mayWatch(second, late)).toBe(true);
    expect(mayWatch(second, early)).toBe(true);
  });

  it('matches transactions that paid the wallet, and inputs of unconfirmed payments while these exist', async () => {
    const index = createChainIndex(world.db, CHAIN);
    const [paid, contested, stranger] = [newTxid(), newTxid(), newTxid()];
    expect((await sieveOf(index)).mayOwn(tail(paid))).toBe(false);
    await receive(paid);
    await world.db.transaction(async (tx) =>
      rememberInputs(tx, CHAIN, newTxid(), [{ txid: contested, index: 3, isParentOpen: false }]),
    );
    const sieve = await sieveOf(index);
    expect(sieve.mayOwn(tail(paid))).toBe(true);
    expect(sieve.mayOwn(tail(contested))).toBe(true);
    expect(sieve.mayOwn(tail(stranger))).toBe(false);
    await world.db.transaction(async (tx) => forgetSettledInputs(tx, CHAIN));
    expect((await sieveOf(index)).mayOwn(tail(contested))).toBe(false);
  });

  it('is not used before it contains all scripts of a large shop, and then misses none', async () => {
    const scripts = Array.from({ length: 20_000 }, newScript);
    await watch(scripts);
    const index = createChainIndex(world.db, CHAIN);
    expect(await index.watchFilter?.()).toBeNull();
    const sieve = await sieveOf(index);
    expect(scripts.every((script) => mayWatch(sieve, script))).toBe(true);
  });

  it('matches every input during a flood of unconfirmed payments', async () => {
    const index = createChainIndex(world.db, CHAIN);
    const inputs = Array.from({ length: 6_000 }, (_, at) => ({
      txid: newTxid(),
      index: at,
      isParentOpen: false,
    }));
    await world.db.transaction(async (tx) => rememberInputs(tx, CHAIN, newTxid(), inputs));
    const sieve = await sieveOf(index);
    expect(sieve.mayOwn(tail(newTxid()))).toBe(true);
    await world.db.transaction(async (tx) => forgetSettledInputs(tx, CHAIN));
  });

  it('has no influence on which credits are found in a block', async () => {
    const ours = newScript();
    await watch([ours]);
    const paid = newTxid();
    await receive(paid);
    const payment: TestTransaction = {
      inputs: [
        { txid: paid, index: 0 },
        { txid: newTxid(), index: 1 },
      ],
      outputs: [
        { amount: 5n, script: ours },
        { amount: 6n, script: newScript() },
      ],
    };
    const child: TestTransaction = {
      inputs: [{ txid: txidOf(payment), index: 0 }],
      outputs: [{ amount: 4n, script: newScript() }],
    };
    const strangers = Array.from({ length: 50 }, (): TestTransaction => ({
      inputs: [{ txid: newTxid(), index: 0 }],
      outputs: [{ amount: 1n, script: newScript() }],
    }));
    const transactions = [...strangers, payment, child].map((transaction) => {
      const bytes = encodeTransaction(transaction);
      return { bytes, scanned: scanLoneTransaction(bytes, false), maturity: 1, relayable: true };
    });
    const index = createChainIndex(world.db, CHAIN);
    await sieveOf(index);
    const unsifted: ChainIndex = { ...index, watchFilter: async () => null };
    const found = await matchTransactions(transactions, index);
    expect(found).toEqual(await matchTransactions(transactions, unsifted));
    expect(found.credits.map(({ amount }) => amount)).toEqual([5n]);
    expect(found.debits.map(({ byTxid }) => byTxid)).toEqual([txidOf(payment), txidOf(child)]);
  });
});
