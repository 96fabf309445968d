import { sql, type Selectable } from 'kysely';
import type { ChainBlockHeader, OutputRef } from '../domain/chain.ts';
import type { Coin } from '../domain/coins.ts';
import type { SimulatedTransaction, SimulatorLedger, SimulatorStore } from '../domain/simulator.ts';
import type { Db, Tx } from './sqlite/database.ts';
import type { SimBlockRow, SimTransactionRow } from './schema/operations.ts';

/** Rows per statement: well under every database's limit on parameters. */
const CHUNK = 400;

/** The sandbox network's storage on the tables sim_blocks, sim_transactions and sim_spends. */
export function createSimulatorStore(db: Db): SimulatorStore {
  return {
    transact: async (coin, work) => db.transaction(async (tx) => work(createLedger(tx, coin))),
  };
}

function createLedger(tx: Tx, coin: Coin): SimulatorLedger {
  return { ...blockLedger(tx, coin), ...transactionLedger(tx, coin) };
}

type BlockLedger = Pick<
  SimulatorLedger,
  'tip' | 'block' | 'blockBefore' | 'lowestKept' | 'addBlock' | 'removeBlocksFrom' | 'pruneBlocksBelow'
>;

function blockLedger(tx: Tx, coin: Coin): BlockLedger {
  const blocks = tx.selectFrom('sim_blocks').selectAll().where('coin', '=', coin);
  const block = async (height: number) =>
    header(await blocks.where('height', '=', height).executeTakeFirst());
  return {
    block,
    tip: async () => header(await blocks.orderBy('height', 'desc').limit(1).executeTakeFirst()),
    blockBefore: async (timeMs) =>
      header(
        await blocks.where('timeMs', '<=', timeMs).orderBy('height', 'desc').limit(1).executeTakeFirst(),
      ),
    lowestKept: async () =>
      header(await blocks.where('height', '>', 0).orderBy('height').limit(1).executeTakeFirst()),
    addBlock: async ({ height, hash, parentHash, timeMs }) => {
      await tx.insertInto('sim_blocks').values({ coin, height, hash, parentHash, timeMs }).execute();
    },
    removeBlocksFrom: async (height) => {
      await tx.deleteFrom('sim_blocks').where('coin', '=', coin).where('height', '>=', height).execute();
    },
    pruneBlocksBelow: async (height) => {
      await tx
        .deleteFrom('sim_blocks')
        .where('coin', '=', coin)
        .where('height', '>', 0)
        .where('height', '<', height)
        .execute();
    },
  };
}

function transactionLedger(tx: Tx, coin: Coin): Omit<SimulatorLedger, keyof BlockLedger> {
  const rows = tx.selectFrom('sim_transactions').selectAll().where('coin', '=', coin);
  const mined = rows.where('state', '=', sql.lit('mined'));
  const waiting = rows.where('state', '=', sql.lit('mempool'));
  const transactions = async (txids: readonly string[]) => {
    const transactions = await inChunks(txids, async (some) => rows.where('txid', 'in', some).execute());
    return transactions.map(transaction);
  };
  return {
    transactions,
    transaction: async (txid) => (await transactions([txid]))[0] ?? null,
    minedAt: async (height) =>
      (await mined.where('height', '=', height).orderBy('createdAt').orderBy('txid').execute()).map(
        transaction,
      ),
    minedFrom: async (height) =>
      (await mined.where('height', '>=', height).orderBy('height').orderBy('createdAt').execute()).map(
        transaction,
      ),
    lastMinedHeight: async () =>
      (await mined.orderBy('height', 'desc').limit(1).executeTakeFirst())?.height ?? null,
    mempool: async () => (await waiting.orderBy('createdAt').orderBy('txid').execute()).map(transaction),
    hasMempool: async () => (await waiting.limit(1).executeTakeFirst()) !== undefined,
    addTransaction: async (added) => addTransaction(tx, coin, added),
    setState: async (txids, state, height) => {
      await inChunks(txids, async (some) =>
        tx
          .updateTable('sim_transactions')
          .set({ state, height })
          .where('coin', '=', coin)
          .where('txid', 'in', some)
          .execute(),
      );
    },
    listSpends: async (refs) => listSpends(tx, coin, refs),
  };
}

async function addTransaction(tx: Tx, coin: Coin, added: SimulatedTransaction): Promise<void> {
  const { txid, height, state, createdAt, ...body } = added;
  await tx
    .insertInto('sim_transactions')
    .values({ coin, txid, height, state, bodyJson: writeBody(body), createdAt })
    .execute();
  const spends = added.inputs.map((ref) => ({ coin, txid: ref.txid, vout: ref.index, byTxid: txid }));
  await inChunks(spends, async (some) => {
    await tx.insertInto('sim_spends').values(some).execute();
    return [];
  });
}

async function listSpends(tx: Tx, coin: Coin, refs: readonly OutputRef[]) {
  const wanted = new Set(refs.map((ref) => `${ref.txid}:${ref.index}`));
  const rows = await inChunks([...new Set(refs.map((ref) => ref.txid))], async (txids) =>
    tx
      .selectFrom('sim_spends')
      .innerJoin('sim_transactions', (join) =>
        join
          .onRef('sim_transactions.coin', '=', 'sim_spends.coin')
          .onRef('sim_transactions.txid', '=', 'sim_spends.byTxid'),
      )
      .select(['sim_spends.txid', 'sim_spends.vout', 'sim_spends.byTxid', 'sim_transactions.state'])
      .where('sim_spends.coin', '=', coin)
      .where('sim_spends.txid', 'in', txids)
      .execute(),
  );
  return rows
    .filter((row) => wanted.has(`${row.txid}:${row.vout}`))
    .map((row) => ({
      ref: { txid: row.txid, index: row.vout },
      byTxid: row.byTxid,
      state: row.state,
    }));
}

async function inChunks<T, R>(items: readonly T[], run: (some: T[]) => Promise<R[]>): Promise<R[]> {
  const results: R[] = [];
  for (let start = 0; start < items.length; start += CHUNK) {
    results.push(...(await run(items.slice(start, start + CHUNK))));
  }
  return results;
}

function header(row: Selectable<SimBlockRow> | undefined): ChainBlockHeader | null {
  if (row === undefined) return null;
  return { height: row.height, hash: row.hash, parentHash: row.parentHash, timeMs: row.timeMs };
}

type Body = Pick<SimulatedTransaction, 'inputs' | 'outputs' | 'fee' | 'raw'>;

interface StoredBody {
  readonly inputs: readonly OutputRef[];
  readonly outputs: readonly {
    readonly watchKey: string;
    readonly address: string;
    readonly amount: string;
  }[];
  readonly fee: string;
  readonly raw: string;
}

function writeBody(body: Body): string {
  const stored: StoredBody = {
    inputs: body.inputs,
    outputs: body.outputs.map((output) => ({ ...output, amount: output.amount.toString() })),
    fee: body.fee.toString(),
    raw: body.raw,
  };
  return JSON.stringify(stored);
}

function transaction(row: Selectable<SimTransactionRow>): SimulatedTransaction {
  // Written by writeBody above only.
  const body = JSON.parse(row.bodyJson) as StoredBody;
  return {
    txid: row.txid,
    inputs: body.inputs,
    outputs: body.outputs.map((output) => ({ ...output, amount: BigInt(output.amount) })),
    fee: BigInt(body.fee),
    raw: body.raw,
    state: row.state,
    height: row.height,
    createdAt: row.createdAt,
  };
}
