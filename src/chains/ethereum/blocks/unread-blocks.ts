import { ChainError, type ChainIndex } from '../../../domain/chain.ts';
import { UnreadTransactions, type UnreadTransactionsDeps } from '../../shared/unread-transactions.ts';
import type { Block, UnreadableTransaction } from '../rpc/node-answers.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { NEWEST_TYPE } from './transaction-types.ts';

/**
 * Attempts before a block is read without its unreadable transactions, because the fault may lie in one
 * backend.
 */
const TRIES = 3;

/**
 * Single transactions of a block that cannot be parsed, or whose receipt cannot. After some attempts the
 * block is read without them, and they are set aside. The balance of an address reveals money in them, so it
 * is not credited again later.
 */
export class UnreadBlocks {
  readonly #unread: UnreadTransactions;
  #failed = { hash: '', tries: 0 };

  constructor(
    deps: Omit<UnreadTransactionsDeps, 'coin' | 'store'> & { readonly index: Pick<ChainIndex, 'unread'> },
  ) {
    this.#unread = new UnreadTransactions({ ...deps, coin: 'ETH', store: deps.index.unread });
  }

  withWarning: UnreadTransactions['withWarning'] = (status) => this.#unread.withWarning(status);

  /** @throws {ChainError} bad_answer while another attempt to read the whole block is worthwhile */
  async setAside(block: Block, unreadable: readonly UnreadableTransaction[]): Promise<void> {
    await this.#unread.load();
    const [first] = unreadable;
    if (first === undefined) return;
    const { hash, number: height } = block;
    this.#failed = { hash, tries: this.#failed.hash === hash ? this.#failed.tries + 1 : 1 };
    if (this.#failed.tries < TRIES) {
      throw new ChainError('bad_answer', `block ${height}: transaction ${first.txid}: ${first.problem}`);
    }
    for (const { txid, problem, type } of unreadable) {
      const isUnknownVersion = type !== null && type > NEWEST_TYPE;
      await this.#unread.failed({ txid, height, watchKey: null, reason: problem, isUnknownVersion });
    }
  }

  /** Retries a transaction that is due. One that left its block in a reorg is also resolved. */
  async retry(client: Pick<NodeClient, 'blockAt' | 'receipts'>): Promise<void> {
    await this.#unread.load();
    const [due] = this.#unread.due();
    if (due === undefined || due.height === null) return;
    try {
      const block = await client.blockAt(due.height);
      if (block === null) return;
      const problem = await findProblem(client, block, due.txid);
      if (problem === null) await this.#unread.resolved(due.txid);
      else await this.#unread.failed({ ...due, reason: problem });
    } catch (error) {
      if (!(error instanceof ChainError)) throw error;
      await this.#unread.failed(due);
    }
  }
}

async function findProblem(
  client: Pick<NodeClient, 'receipts'>,
  block: Block,
  txid: string,
): Promise<string | null> {
  const unreadable = block.unreadable?.find((each) => each.txid === txid);
  if (unreadable !== undefined) return unreadable.problem;
  if (!block.transactions.some(({ hash }) => hash === txid)) return null;
  const [receipt] = await client.receipts([txid], { height: block.number, hash: block.hash });
  return receipt === 'unreadable' ? UNREADABLE_RECEIPT : null;
}

export const UNREADABLE_RECEIPT = 'eth_getTransactionReceipt: the receipt is of an unknown form';
