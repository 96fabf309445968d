import { randomBytes } from 'node:crypto';
import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { parseAddress } from '../../../src/chains/utxo/address.ts';
import { BlockFetcher } from '../../../src/chains/utxo/blocks/block-fetcher.ts';
import { UTXO_COINS } from '../../../src/domain/coins.ts';
import { createNodeClient } from '../../../src/chains/utxo/rpc/node-client.ts';
import { createRpc } from '../../../src/chains/utxo/rpc/rpc.ts';
import type { ChainIndex } from '../../../src/domain/chain.ts';
import { advanceCursor } from '../../../src/store/chain/chain-cursors.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import { recordBlock } from '../../../src/usecases/chain-sync/record-block.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from '../../../test/_helpers/payment-world.ts';

const CHAIN = { coin: 'BTC', mode: 'live' } as const;
const GENESIS = '00'.repeat(32);
/** The old outputs are in block 1, so none of them still gathers confirmations. */
const START_HEIGHT = 10_000;
/**
 * Time between orders, and between blocks. Ids begin with their time, so that new rows are adjacent in the indexes; if
 * all were created within one millisecond, each row would go to another page, unlike in a shop.
 */
const APART_MS = 1_000;

/** A shop on a real database that processes blocks from responses in memory. */
export class BlockWorld {
  readonly #world: PaymentWorld;
  readonly #index: ChainIndex;
  /** One for all blocks, as in the daemon. It requests nothing except the block. */
  readonly #client = createNodeClient(
    createRpc({
      post: async () => ({ status: 200, text: new TextDecoder().decode(this.#answers.shift()) }),
      postForBytes: async () => ({ status: 200, bytes: this.#answers.shift() ?? new Uint8Array() }),
      close: async () => {},
    }),
  );
  #answers: Uint8Array<ArrayBuffer>[] = [];
  #height = START_HEIGHT;
  #tip = GENESIS;

  private constructor(world: PaymentWorld) {
    this.#world = world;
    this.#index = createChainIndex(world.wallet.db, CHAIN);
  }

  /** @param watched addresses that the shop watches, each with an output */
  static async open(watched: number): Promise<BlockWorld> {
    const world = await openPaymentWorld();
    await fill(world, watched);
    const now = world.now();
    await world.wallet.db.transaction(async (tx) =>
      advanceCursor(
        tx,
        CHAIN,
        { height: START_HEIGHT, hash: GENESIS, parentHash: GENESIS, timeMs: now },
        now,
      ),
    );
    const opened = new BlockWorld(world);
    // Not ready until all addresses are loaded, which takes many polls.
    while ((await opened.#index.watchFilter?.()) === null);
    return opened;
  }

  /** The block on which the next one must build. */
  get tip(): string {
    return this.#tip;
  }

  /** Scripts of new pending payments. */
  async payees(count: number): Promise<string[]> {
    const scripts: string[] = [];
    for (let at = 0; at < count; at += 1) {
      const address = addressOf(await this.#world.order({ amount: '1.00' }), 'BTC');
      const parsed = parseAddress(UTXO_COINS.BTC, 'regtest', address);
      if ('problem' in parsed) throw new Error(parsed.problem);
      const script = Buffer.from(parsed.script).toString('hex');
      const { db } = this.#world.wallet;
      await db.updateTable('addresses').set({ watchKey: script }).where('address', '=', address).execute();
      scripts.push(script);
      this.#world.advance(APART_MS);
    }
    return scripts;
  }

  /**
   * Processes the node's responses, texts in memory, up to the committed ledger.
   * @returns the number of credits found
   */
  async take({ hash, answers }: AnsweredBlock): Promise<number> {
    this.#answers = [...answers];
    const [client, index] = [this.#client, this.#index];
    const feed = new BlockFetcher({ client, coin: UTXO_COINS.BTC, index });
    const [read] = await feed.blocksFrom(this.#height + 1);
    if (read === undefined) throw new Error('the block was not read');
    if (!(await recordBlock(this.#world.deps, CHAIN, read, { cameAfter: null, blockTimes: 'rough' })))
      throw new Error('the block was not recorded');
    this.#height += 1;
    this.#tip = hash;
    this.#world.advance(APART_MS);
    return read.credits.length;
  }

  async close(): Promise<void> {
    await this.#world.close();
  }
}

/** The node's responses for its next block: the hash, then the block. Usable once. */
export interface AnsweredBlock {
  readonly hash: string;
  readonly answers: readonly Uint8Array<ArrayBuffer>[];
}

/** In bitcoind's format; bytes in memory, as from a socket. @param at number of blocks requested before */
export function hashAnswer(hash: string, at: number): Uint8Array<ArrayBuffer> {
  return reply(hash, 2 * at + 1);
}

/** @param at number of blocks requested before */
export function blockAnswer(hex: string, at: number): Uint8Array<ArrayBuffer> {
  return reply(hex, 2 * at + 2);
}

function reply(result: string, id: number): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`[{"result":"${result}","error":null,"id":${id}}]\n`);
}

const PAGE = 10_000;

async function fill(world: PaymentWorld, watched: number): Promise<void> {
  const { db, merchant } = world.wallet;
  const files = await sql<{ file: string }>`PRAGMA database_list`.execute(db);
  const sqlite = new Database(files.rows[0]?.file ?? '');
  const address = sqlite.prepare(
    `INSERT INTO addresses (merchant_id, coin, mode, branch, idx, address, watch_key, purpose, payment_id, created_at)
      VALUES (?, 'BTC', 'live', 1, ?, ?, ?, 'change', NULL, 1)`,
  );
  const output = sqlite.prepare(
    `INSERT INTO outputs (coin, mode, txid, vout, address_id, merchant_id, amount, state, height, block_hash,
        maturity, first_seen_at, late, spent_by, spent_height, updated_at)
      VALUES ('BTC', 'live', ?, 0, ?, ?, '1000', 'confirmed', 1, 'old', 1, 1, 0, ?, 1, 1)`,
  );
  const page = sqlite.transaction((from: number, to: number) => {
    for (let at = from; at < to; at += 1) {
      const hash = randomBytes(20).toString('hex');
      const { lastInsertRowid } = address.run(merchant.id, at, `bcrt1-${hash}`, `0014${hash}`);
      output.run(
        randomBytes(32).toString('hex'),
        lastInsertRowid,
        merchant.id,
        randomBytes(32).toString('hex'),
      );
    }
  });
  for (let from = 0; from < watched; from += PAGE) page(from, Math.min(watched, from + PAGE));
  sqlite.close();
}
