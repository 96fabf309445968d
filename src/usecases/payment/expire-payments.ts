import { setImmediate } from 'node:timers/promises';
import type { Coin, Mode } from '../../domain/coins.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { coinsOffered, paymentsDue } from '../../store/payments.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { eachAlone } from './each-alone.ts';
import { endWaiting } from './end-waiting.ts';

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
  const alone = eachAlone(deps.logger);
  let after = { expiresAt: 0, id: '' };
  let ended = 0;
  for (;;) {
    const due = await paymentsDue(deps.db, now, after, BATCH);
    const offered = await coinsOffered(
      deps.db,
      due.map(({ id }) => id),
    );
    for (const payment of due) {
      if (!everythingSeen(deps, payment, offered.get(payment.id) ?? [])) continue;
      const events = await alone(payment.id, async () =>
        inTransaction(deps.db, (tx) => applyFacts(tx, deps, payment.id, [{ type: 'clock' }])),
      );
      if (events !== null && events.length > 0) ended += 1;
    }
    const last = due.at(-1);
    if (last === undefined || due.length < BATCH) break;
    after = { expiresAt: last.expires_at, id: last.id };
    // During a long outage thousands are held back: others get their turn between the batches.
    await setImmediate();
  }
  const overdue = await endWaiting(deps);
  if (ended + overdue > 0) deps.wakeWebhooks();
  return ended;
}

function everythingSeen(
  deps: ExpirePaymentsDeps,
  payment: { mode: Mode; expires_at: number },
  coins: readonly Coin[],
): boolean {
  return coins.every((coin) => {
    // A coin that is configured no more can never be looked at: it must not hold the payment for ever.
    if (deps.chains.get(coin, payment.mode) === null) return true;
    const seen = deps.seenThrough(coin, payment.mode);
    return seen !== null && seen >= payment.expires_at;
  });
}
