import { ChainError, type StoredTransaction, type TransactionFate } from '../../domain/chain.ts';
import type { Logger } from '../../domain/ports.ts';

type FateOf = (transaction: StoredTransaction) => Promise<TransactionFate>;
type Recheck = (
  transactions: readonly StoredTransaction[],
  fateOf: FateOf,
) => Promise<ReadonlyMap<string, TransactionFate>>;

/** Maximum transactions remembered as logged. */
const MAX_LOGGED = 1_000;

/**
 * Rechecks the caller's bounded list. If the node's answer about one transaction is malformed or an error,
 * only that one stays `unknown` and is logged once. In an outage the remaining ones stay `unknown` instead of
 * waiting for each.
 */
export function createRecheck(logger: Logger): Recheck {
  const logged = new Set<string>();

  function setAside(txid: string, { message }: ChainError): void {
    if (logged.has(txid)) return;
    for (const oldest of logged) if (logged.size >= MAX_LOGGED) logged.delete(oldest);
    logged.add(txid);
    logger.warn(
      { txid, reason: message },
      'status of an unconfirmed transaction unreadable; it stays unknown, nothing is reversed',
    );
  }

  return async (transactions, fateOf) => {
    const fates = new Map<string, TransactionFate>(transactions.map(({ txid }) => [txid, 'unknown']));
    for (const transaction of transactions) {
      const { txid } = transaction;
      try {
        fates.set(txid, await fateOf(transaction));
        logged.delete(txid);
      } catch (error) {
        if (!(error instanceof ChainError)) throw error;
        if (!isAboutTransaction(error)) {
          logger.warn(
            { error: error.message },
            'status check of unconfirmed transactions failed; they stay unknown, nothing is reversed',
          );
          break;
        }
        setAside(txid, error);
      }
    }
    return fates;
  };
}

/** Whether the node answered, and only this answer is unusable. */
function isAboutTransaction(error: ChainError): boolean {
  if (error.isRateLimited) return false;
  return error.kind === 'bad_answer' || error.kind === 'unknown_version' || error.isRefusal;
}
