import type { Coin, Mode } from '../../domain/coins.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { optionsOf, paymentsDue } from '../../store/payments.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';

export interface ExpirePaymentsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly wakeWebhooks: () => void;
  /** Time up to which a chain has been looked at completely (blocks and mempool), ms; null: not yet. */
  readonly seenThrough: (coin: Coin, mode: Mode) => number | null;
}

const BATCH = 100;

/**
 * Ends the payments whose time is up. A payment is left alone until every chain it can be paid on
 * has been looked at after its deadline: a node that is down or behind must not make a paid order
 * expire. Answers how many were ended.
 */
export async function expirePayments(deps: ExpirePaymentsDeps): Promise<number> {
  const now = deps.clock.now();
  let after = { expiresAt: 0, id: '' };
  let ended = 0;
  for (;;) {
    const due = await paymentsDue(deps.db, now, after, BATCH);
    for (const payment of due) {
      if (!(await everythingSeen(deps, payment))) continue;
      const events = await inTransaction(deps.db, (tx) =>
        applyFacts(tx, deps, payment.id, [{ type: 'clock' }]),
      );
      if (events.length > 0) ended += 1;
    }
    const last = due.at(-1);
    if (last === undefined || due.length < BATCH) break;
    after = { expiresAt: last.expires_at, id: last.id };
  }
  if (ended > 0) deps.wakeWebhooks();
  return ended;
}

async function everythingSeen(
  deps: ExpirePaymentsDeps,
  payment: { id: string; mode: Mode; expires_at: number },
): Promise<boolean> {
  for (const { coin } of await optionsOf(deps.db, payment.id)) {
    // A coin that is configured no more can never be looked at: it must not hold the payment for ever.
    if (deps.chains.get(coin, payment.mode) === null) continue;
    const seen = deps.seenThrough(coin, payment.mode);
    if (seen === null || seen < payment.expires_at) return false;
  }
  return true;
}
