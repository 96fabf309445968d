import { ChainError, type Spender } from '../../../domain/chain.ts';
import type { Logger } from '../../../domain/ports.ts';
import type { AccountLedger } from '../accounts/account-ledger.ts';
import type { Block, BlockTransaction, Receipt, UnreadableTransaction } from '../rpc/node-answers.ts';
import type { NodeClient } from '../rpc/node-client.ts';
import { rawTransaction } from '../sends/raw-transaction.ts';
import type { InternalTransfer } from './internal-transfers.ts';
import { UNREADABLE_RECEIPT } from './unread-blocks.ts';

interface EntryDeps {
  readonly client: NodeClient;
  readonly logger: Logger;
}

export interface Entries {
  readonly book: AccountLedger;
  readonly watched: ReadonlySet<string>;
  readonly internal: readonly InternalTransfer[];
}

/**
 * Enters transactions in block order, so that money received and spent in the same block adds up. Returns
 * payers' transactions whose receipt cannot be parsed: their success is unknown.
 */
export async function applyTransactions(
  deps: EntryDeps,
  block: Block,
  entries: Entries,
): Promise<UnreadableTransaction[]> {
  const { book, watched } = entries;
  const internal = entries.internal.filter(({ to }) => watched.has(to));
  const inside = new Set(internal.map(({ position }) => position));
  const relevant = block.transactions
    .map((transaction, position) => ({ transaction, position }))
    .filter(
      ({ transaction: { from, to, value }, position }) =>
        watched.has(from) || (watched.has(to ?? '') && value > 0n) || inside.has(position),
    );
  const receipts = await deps.client.receipts(
    relevant.map(({ transaction }) => transaction.hash),
    { height: block.number, hash: block.hash },
  );
  if (receipts.includes(null)) {
    deps.logger.warn(
      { coin: 'ETH', height: block.number },
      'node lacks the receipts of a block; payments in it are read from its transactions alone',
    );
  }
  const unreadable: UnreadableTransaction[] = [];
  for (const [at, { transaction, position }] of relevant.entries()) {
    const receipt = receipts[at] ?? null;
    if (receipt === 'unreadable') {
      if (watched.has(transaction.from)) throw new ChainError('bad_answer', UNREADABLE_RECEIPT);
      unreadable.push({ txid: transaction.hash, type: null, problem: UNREADABLE_RECEIPT });
      continue;
    }
    if (watched.has(transaction.from)) enterSpending(deps, book, transaction, required(receipt, block));
    // Without a receipt: a plain transfer to an account without code cannot fail, and traces omit failed transfers.
    if (receipt !== null && receipt.status !== 1) continue;
    const { hash: txid, to, value } = transaction;
    const raw = rawTransaction(transaction);
    if (watched.has(to ?? '') && value > 0n) {
      book.receive({ ref: { txid, index: 0 }, watchKey: to ?? '', amount: value, raw });
    }
    for (const transfer of internal.filter((each) => each.position === position)) {
      const ref = { txid, index: transfer.index };
      book.receive({ ref, watchKey: transfer.to, amount: transfer.value, raw });
    }
  }
  return unreadable;
}

/**
 * The receipt, which is the only source for the cost of our own transaction. @throws {ChainError} `pruned`
 * when it is missing
 */
function required(receipt: Receipt | null, { number }: Block): Receipt {
  if (receipt !== null) return receipt;
  throw new ChainError(
    'pruned',
    `the node dropped the receipts of block ${number}, which has a transaction of this wallet, so its fee is unknown. Set TILLD_ETH_RPC_URL to a node that keeps receipts until the chain is read (Reth: receipts not pruned; Nethermind: StoreReceipts; Erigon: full or archive)`,
  );
}

/** @throws {ChainError} bad_answer when the receipt lacks the cost of our own transaction */
function feePaid({ transactionHash, ...receipt }: Receipt): bigint {
  const { gasUsed = null, effectiveGasPrice = null, blobGasUsed, blobGasPrice } = receipt;
  if (gasUsed === null || effectiveGasPrice === null) {
    const field = gasUsed === null ? 'gasUsed' : 'effectiveGasPrice';
    throw new ChainError('bad_answer', `eth_getTransactionReceipt: no ${field} of ${transactionHash}`);
  }
  return gasUsed * effectiveGasPrice + (blobGasUsed ?? 0n) * (blobGasPrice ?? 0n);
}

function enterSpending(
  deps: EntryDeps,
  book: AccountLedger,
  transaction: BlockTransaction,
  receipt: Receipt,
): void {
  const { hash: txid, from: watchKey, value } = transaction;
  const succeeded = receipt.status === 1;
  const fee = feePaid(receipt);
  const cost = succeeded ? value + fee : fee;
  const spender = toSpender(transaction);
  const missing = book.spend({
    watchKey,
    txid,
    cost,
    outcome: { fee, succeeded },
    ...(spender === null ? {} : { spender }),
  });
  if (missing === 0n) return;
  deps.logger.warn(
    { coin: 'ETH', account: watchKey, txid, missing: missing.toString() },
    'on-chain account spent more than its balance in the ledger; the ledger counts it as empty',
  );
}

/** Null where the signed bytes cannot be rebuilt: no send of ours is such a transaction. */
function toSpender(transaction: BlockTransaction): Spender | null {
  const raw = rawTransaction(transaction);
  if (raw === null) return null;
  const { from, to, value, nonce } = transaction;
  return {
    raw,
    inputs: 0,
    account: { watchKey: from, nonce },
    pays: [{ watchKey: to ?? null, amount: value }],
  };
}
