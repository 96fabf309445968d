import { execFileSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import * as fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BlockFetcher } from '../../../src/chains/utxo/blocks/block-fetcher.ts';
import type { NodeClient } from '../../../src/chains/utxo/rpc/node-client.ts';
import type { WatchFilter } from '../../../src/domain/chain.ts';
import { insertAddresses } from '../../../src/store/ledger/addresses.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import type { Tx } from '../../../src/store/sqlite/database.ts';
import { upsertOutput } from '../../../src/store/ledger/outputs.ts';
import { forgetSettledInputs, rememberInputs } from '../../../src/store/ledger/unconfirmed-inputs.ts';
import { blockOf, COINBASE, type TestTransaction } from '../../unit/chains/utxo/raw-chain.ts';
import { StoredWatchFilter } from '../../../src/store/watch/watch-filter.ts';
import { openWalletWorld, type WalletWorld } from '../../_helpers/wallet-world.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
let dir: string;
let path: string;
let world: WalletWorld;
let other: Database.Database;
/** An address for outputs. */
let addressId = 0;
let count = 1_000;

beforeAll(async () => {
  dir = mkdtempSync(join(tmpdir(), 'till-sieve-looks-'));
  world = await openWalletWorld({ dir, mode: 'live', connect: () => [] });
  const files = await sql<{ file: string }>`PRAGMA database_list`.execute(world.db);
  path = files.rows[0]?.file ?? '';
  other = new Database(path);
  const [row] = await world.db.transaction(async (tx) => insertAddresses(tx, [addressRow(newScript())]));
  addressId = row?.id ?? 0;
});

afterAll(async () => {
  other.close();
  await world.close();
  rmSync(dir, { recursive: true, force: true });
});

const newHex = (): string => randomBytes(32).toString('hex');
const newScript = (): string => `0014${randomBytes(20).toString('hex')}`;
const tail = (txid: string): number => Number.parseInt(txid.slice(-8), 16);

function mayWatch(sieve: WatchFilter, script: string): boolean {
  const bytes = Buffer.from(script, 'hex');
  return sieve.mayWatch(bytes, 0, bytes.length);
}

function addressRow(script: string) {
  return {
    merchantId: world.merchant.id,
    ...CHAIN,
    branch: 1 as const,
    idx: (count += 1),
    address: script,
    watchKey: script,
    purpose: 'change' as const,
    paymentId: null,
    createdAt: 1,
  };
}

function outputRow(txid: string) {
  return {
    ...CHAIN,
    txid,
    vout: 0,
    addressId,
    merchantId: world.merchant.id,
    paymentId: null,
    amount: '1',
    state: 'confirmed' as const,
    height: 1,
    blockHash: 'x',
    maturity: 1,
    firstSeenAt: 1,
    late: false as const,
    lateDue: null,
    spentBy: null,
    spentHeight: null,
    sendId: null,
    updatedAt: 1,
  };
}

const ADDRESS_SQL = `INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
  VALUES (?, 'BTC', 'live', 1, ?, ?, ?, 'change', NULL, 1)`;
const OUTPUT_SQL = `INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, amount, state, height, block_hash,
    maturity, first_seen_at, late, updated_at) VALUES ('BTC', 'live', ?, 0, ?, ?, '1', 'confirmed', 1, 'x', 1, 1, 0, 1)`;

/** What one moment of the shop brings: nothing of it may be missed by the next look. */
interface Written {
  readonly scripts: string[];
  readonly txids: string[];
}

/** As another process does it: by a connection of its own. */
function writeElsewhere({ scripts, txids }: Written): void {
  for (const script of scripts)
    other.prepare(ADDRESS_SQL).run(world.merchant.id, (count += 1), script, script);
  for (const txid of txids) other.prepare(OUTPUT_SQL).run(txid, addressId, world.merchant.id);
}

async function writeWithin(tx: Tx, { scripts, txids }: Written): Promise<void> {
  for (const script of scripts) await insertAddresses(tx, [addressRow(script)]);
  for (const txid of txids) await upsertOutput(tx, outputRow(txid));
}

class TakenBack extends Error {}

const STEPS = {
  'a transaction commits': async (written: Written) => {
    await world.db.transaction(async (tx) => writeWithin(tx, written));
    return written;
  },
  'a transaction is taken back': async (written: Written) => {
    const failing = world.db.transaction(async (tx) => {
      await writeWithin(tx, written);
      throw new TakenBack();
    });
    await expect(failing).rejects.toThrow(TakenBack);
    return null;
  },
  'one of two that share a commit is taken back': async (written: Written) => {
    const failing = world.db.transaction(async (tx) => {
      await writeWithin(tx, { scripts: [newScript()], txids: [newHex()] });
      throw new TakenBack();
    });
    await Promise.all([
      expect(failing).rejects.toThrow(TakenBack),
      world.db.transaction(async (tx) => writeWithin(tx, written)),
    ]);
    return written;
  },
  'somebody looks while a transaction is open': async (written: Written, look: () => Promise<unknown>) => {
    await world.db.transaction(async (tx) => {
      await look();
      await writeWithin(tx, written);
      await look();
    });
    return written;
  },
  'a transaction begins while somebody looks': async (written: Written, look: () => Promise<unknown>) => {
    await Promise.all([look(), world.db.transaction(async (tx) => writeWithin(tx, written)), look()]);
    return written;
  },
  'it is written without a transaction': async ({ scripts, txids }: Written) => {
    for (const script of scripts) await world.db.insertInto('addresses').values(addressRow(script)).execute();
    for (const txid of txids) {
      await world.db
        .insertInto('outputs')
        .values({ ...outputRow(txid), awaitedDepth: 0 })
        .execute();
    }
    return { scripts, txids };
  },
  'it is written past putOutput': async ({ scripts, txids }: Written) => {
    await world.db.transaction(async (tx) => {
      for (const script of scripts) await tx.insertInto('addresses').values(addressRow(script)).execute();
      for (const txid of txids) {
        await tx
          .insertInto('outputs')
          .values({ ...outputRow(txid), awaitedDepth: 0 })
          .execute();
      }
    });
    return { scripts, txids };
  },
  'another process writes': async (written: Written) => {
    writeElsewhere(written);
    return written;
  },
  'another process writes while a transaction reads': async (
    written: Written,
    look: () => Promise<unknown>,
    check: (written: Written) => Promise<void>,
  ) => {
    await world.db.read(async (tx) => {
      await tx.selectFrom('meta').selectAll().execute();
      writeElsewhere(written);
      await look();
      await check(written);
    });
    return written;
  },
} as const;

const steps = fc.array(
  fc.record({
    step: fc.constantFrom(...(Object.keys(STEPS) as (keyof typeof STEPS)[])),
    scripts: fc.nat({ max: 2 }),
    txids: fc.nat({ max: 2 }),
    isLookedAfter: fc.boolean(),
  }),
  { minLength: 1, maxLength: 12 },
);

describe('a refresh of the watch filter (addresses and inputs of the wallet)', () => {
  let filter: StoredWatchFilter;

  beforeEach(() => {
    filter = new StoredWatchFilter(world.db, CHAIN);
  });

  async function look(): Promise<WatchFilter> {
    const found = await filter.read();
    if (found === null) throw new Error('the sieve is not ready');
    return found;
  }

  it('includes everything that was committed before it, by any process', async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (taken) => {
        filter = new StoredWatchFilter(world.db, CHAIN);
        const all: Written = { scripts: [], txids: [] };
        const check = async (written: Written): Promise<void> => {
          const now = await look();
          expect(written.scripts.filter((script) => !mayWatch(now, script))).toEqual([]);
          expect(written.txids.filter((txid) => !now.mayOwn(tail(txid)))).toEqual([]);
        };
        for (const { step, scripts, txids, isLookedAfter } of taken) {
          const wanted = {
            scripts: Array.from({ length: scripts }, newScript),
            txids: Array.from({ length: txids }, newHex),
          };
          const written = await STEPS[step](wanted, look, check);
          all.scripts.push(...(written?.scripts ?? []));
          all.txids.push(...(written?.txids ?? []));
          if (isLookedAfter) await check(all);
        }
        await check(all);
        // As a fresh read of the database returns it.
        const fresh = await new StoredWatchFilter(world.db, CHAIN).read();
        expect(all.scripts.every((script) => fresh !== null && mayWatch(fresh, script))).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  it('includes addresses that another process issued since the last refresh', async () => {
    await look();
    const script = newScript();
    const write = `
      const sqlite = new (require('better-sqlite3'))(process.argv[1]);
      sqlite.prepare(process.argv[2]).run(...JSON.parse(process.argv[3]));
      sqlite.close();`;
    const values = JSON.stringify([world.merchant.id, (count += 1), script, script]);
    execFileSync(process.execPath, ['-e', write, path, ADDRESS_SQL, values]);
    expect(mayWatch(await look(), script)).toBe(true);
  });

  it('includes the inputs of unconfirmed payments, also when another process rolls them back', async () => {
    const [first, second] = [newHex(), newHex()];
    expect((await look()).mayOwn(tail(first))).toBe(false);
    for (const txid of [first, second]) {
      await world.db.transaction(async (tx) =>
        rememberInputs(tx, CHAIN, newHex(), [{ txid, index: 0, isParentOpen: false }]),
      );
    }
    expect((await look()).mayOwn(tail(first))).toBe(true);
    other.prepare('DELETE FROM unconfirmed_inputs WHERE txid = ?').run(first);
    expect((await look()).mayOwn(tail(first))).toBe(false);
    expect((await look()).mayOwn(tail(second))).toBe(true);
    await world.db.transaction(async (tx) => forgetSettledInputs(tx, CHAIN));
    expect((await look()).mayOwn(tail(second))).toBe(false);
  });
});

describe('a block while the node sends it', () => {
  it.each([
    [
      'a transaction',
      async (written: Written) => world.db.transaction(async (tx) => writeWithin(tx, written)),
    ],
    ['another process', async (written: Written) => writeElsewhere(written)],
  ])('is matched also against addresses that %s writes meanwhile', async (_by, write) => {
    const written = { scripts: [newScript()], txids: [newHex()] };
    const [script = '', spent = ''] = [...written.scripts, ...written.txids];
    const payment: TestTransaction = {
      inputs: [{ txid: spent, index: 0 }],
      outputs: [{ amount: 5n, script: Buffer.from(script, 'hex') }],
    };
    const { bytes, hash } = blockOf([COINBASE, payment]);
    const client: Pick<NodeClient, 'getBlockHashes' | 'getBlocks'> = {
      getBlockHashes: async () => [hash],
      getBlocks: async () => {
        await write(written);
        return [new Uint8Array(Buffer.from(bytes.toString('hex')))];
      },
    };
    const index = createChainIndex(world.db, CHAIN);
    expect(await index.watchFilter?.()).not.toBeNull();
    const feed = new BlockFetcher({
      client: client as NodeClient,
      coin: { hasMweb: false },
      index,
    });
    const [block] = await feed.blocksFrom(1);
    expect(block?.credits.map(({ watchKey }) => watchKey)).toEqual([script]);
    expect(block?.debits.map(({ ref }) => ref)).toEqual([{ txid: spent, index: 0 }]);
  });
});
