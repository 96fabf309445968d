import type { Chains } from '../../domain/chains.ts';
import { COINS, MODES, type Coin, type Mode } from '../../domain/coins.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { coinsOffered } from '../../store/payments/payments.ts';
import type { ExpiryBalanceCheck } from './expiry-balance-check.ts';

export interface ProvenUnpaidDeps {
  readonly db: Db;
  readonly chains: Pick<Chains, 'get'>;
  /** Time up to which a chain was read completely (blocks and mempool), ms; null: not yet. */
  readonly seenThrough: (coin: Coin, mode: Mode) => number | null;
  /** Kept between runs. */
  readonly finalCheck: Pick<ExpiryBalanceCheck, 'settled' | 'keep'>;
}

/** An overdue payment. */
export interface DuePayment {
  readonly id: string;
  readonly mode: Mode;
  readonly expiresAt: number;
}

/**
 * The subset of these payments, a hundred at most, for which every chain proves that no more money arrived in
 * time.
 */
export async function findExpirablePayments(
  deps: ProvenUnpaidDeps,
  due: readonly DuePayment[],
): Promise<readonly string[]> {
  const offered = await coinsOffered(
    deps.db,
    due.map(({ id }) => id),
  );
  let left = due.filter((payment) => everythingSeen(deps, payment, offered.get(payment.id) ?? []));
  for (const mode of MODES) {
    for (const coin of COINS) {
      const onChain = left.filter((each) => each.mode === mode && offered.get(each.id)?.includes(coin));
      if (onChain.length === 0) continue;
      const ids = onChain.map(({ id }) => id);
      const settled = await deps.finalCheck.settled(coin, mode, ids);
      left = left.filter((each) => !onChain.includes(each) || settled.has(each.id));
    }
  }
  return left.map(({ id }) => id);
}

function everythingSeen(deps: ProvenUnpaidDeps, payment: DuePayment, coins: readonly Coin[]): boolean {
  return coins.every((coin) => {
    // A coin that is no longer configured can never be read, so it must not block the payment for ever.
    if (deps.chains.get(coin, payment.mode) === null) return true;
    const seen = deps.seenThrough(coin, payment.mode);
    return seen !== null && seen >= payment.expiresAt;
  });
}
