import { UNCONFIRMED_GRACE_MS, type PaymentFact } from '../../domain/payment/types.ts';
import { listUnconfirmedMoney, type OpenMoney } from '../../store/payments/payments-with-money.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { isolateFailures } from './isolate-failures.ts';
import { findExpirablePayments, type ProvenUnpaidDeps } from './expirable-payments.ts';

export type UnconfirmedGraceDeps = ApplyFactsDeps & ProvenUnpaidDeps;

const PAGE = 100;
/** Bounds one run; the next one starts from the beginning. */
const MAX_PAGES = 100;

/**
 * Ends the wait for late blocks: money seen in time counts as late when its transaction is unconfirmed too
 * long after the expiry. Only once the chain was read after that moment, because a node that is down or
 * behind proves nothing.
 * @returns how many payments changed, and which were checked
 */
export async function endUnconfirmedGrace(
  deps: UnconfirmedGraceDeps,
): Promise<{ readonly changed: number; readonly checked: ReadonlySet<string> }> {
  const { unconfirmedGraceMs: graceMs = UNCONFIRMED_GRACE_MS } = deps;
  const alone = isolateFailures(deps.logger);
  const checked = new Set<string>();
  let [after, changed] = ['', 0];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const waiting = await listUnconfirmedMoney(deps.db, deps.clock.now() - graceMs, after, PAGE);
    for (const money of waiting) {
      if (!wasSeenAfter(deps, money, money.expiresAt + graceMs)) continue;
      const { paymentId, coin, mode, expiresAt } = money;
      checked.add(paymentId);
      const graceExpired: PaymentFact = { type: 'grace_expired', coin, currentDue: null };
      // More money may have been received in time on the other chains.
      const isOver = (await findExpirablePayments(deps, [{ id: paymentId, mode, expiresAt }])).length > 0;
      const facts: PaymentFact[] = isOver ? [graceExpired, { type: 'time_passed' }] : [graceExpired];
      const events = await alone(paymentId, async () =>
        deps.db.transaction((tx) => applyFacts(tx, deps, paymentId, facts)),
      );
      if (events !== null && events.length > 0) changed += 1;
    }
    const last = waiting.at(-1);
    if (last === undefined || waiting.length < PAGE) break;
    after = last.paymentId;
  }
  return { changed, checked };
}

function wasSeenAfter(deps: UnconfirmedGraceDeps, { coin, mode }: OpenMoney, deadline: number): boolean {
  const seen = deps.seenThrough(coin, mode);
  return seen !== null && seen >= deadline;
}
