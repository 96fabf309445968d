import { UNCONFIRMED_GRACE_MS } from '../../domain/payment/types.ts';
import type { Coin, Mode } from '../../domain/coins.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { openMoneyOf, type OpenMoney } from '../../store/payments-with-money.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { eachAlone } from './each-alone.ts';

export interface EndWaitingDeps extends ApplyFactsDeps {
  readonly db: Db;
  /** Time up to which a chain has been looked at completely (blocks and mempool), ms; null: not yet. */
  readonly seenThrough: (coin: Coin, mode: Mode) => number | null;
}

const PAGE = 100;
/** Bounds one run; the next one starts over. */
const MAX_PAGES = 100;

/**
 * Ends the waiting for blocks that do not come: money seen in time counts as late when its transaction is
 * unconfirmed too long after the expiry. Only once the chain was looked at after that moment: a node that is
 * down or behind proves nothing. Answers how many payments changed.
 */
export async function endWaiting(deps: EndWaitingDeps): Promise<number> {
  const { unconfirmedGraceMs: graceMs = UNCONFIRMED_GRACE_MS } = deps;
  const alone = eachAlone(deps.logger);
  let [after, changed] = ['', 0];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const waiting = await openMoneyOf(deps.db, deps.clock.now() - graceMs, after, PAGE);
    for (const money of waiting) {
      if (!wasSeenAfter(deps, money, money.expiresAt + graceMs)) continue;
      const { paymentId } = money;
      const events = await alone(paymentId, async () =>
        inTransaction(deps.db, (tx) => applyFacts(tx, deps, paymentId, [{ type: 'clock' }])),
      );
      if (events !== null && events.length > 0) changed += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < PAGE) break;
    after = last.paymentId;
  }
  return changed;
}

function wasSeenAfter(deps: EndWaitingDeps, { coin, mode }: OpenMoney, deadline: number): boolean {
  const seen = deps.seenThrough(coin, mode);
  return seen !== null && seen >= deadline;
}
