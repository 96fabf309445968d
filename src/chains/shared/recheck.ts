import { ChainError, type StoredTransaction, type TransactionFate } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';

/** Rechecks the caller's bounded list. On a node failure the rest stays `unknown` instead of waiting for each. */
export async function recheck(
  logger: Logger,
  transactions: readonly StoredTransaction[],
  fateOf: (transaction: StoredTransaction) => Promise<TransactionFate>,
): Promise<ReadonlyMap<string, TransactionFate>> {
  const fates = new Map<string, TransactionFate>(transactions.map(({ txid }) => [txid, 'unknown']));
  try {
    for (const transaction of transactions) {
      fates.set(transaction.txid, await fateOf(transaction));
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    logger.warn({ error: error.message }, 'recheck of unconfirmed transactions failed');
  }
  return fates;
}
