import { setImmediate } from 'node:timers/promises';
import { paymentsDue } from '../../store/payments/payments.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { isolateFailures } from './isolate-failures.ts';
import { endUnconfirmedGrace } from './end-unconfirmed-grace.ts';
import { findExpirablePayments, type ProvenUnpaidDeps } from './expirable-payments.ts';

export interface ExpirePaymentsDeps extends ApplyFactsDeps, ProvenUnpaidDeps {
  readonly wakeWebhooks: () => void;
}

/** Payments whose accounts are read in one request per chain. */
const BATCH = 100;

/**
 * Expires payments whose deadline has passed. A payment stays open until every chain on which it can be paid
 * was read past its deadline, including its own accounts: a node that is down or behind must not expire a
 * paid order. Returns how many expired.
 */
export async function expirePayments(deps: ExpirePaymentsDeps): Promise<number> {
  const now = deps.clock.now();
  const alone = isolateFailures(deps.logger);
  const all = new Set<string>();
  let after = { expiresAt: 0, id: '' };
  let ended = 0;
  for (;;) {
    const due = await paymentsDue(deps.db, now, after, BATCH);
    for (const { id } of due) all.add(id);
    for (const id of await findExpirablePayments(deps, due)) {
      const events = await alone(id, async () =>
        deps.db.transaction((tx) => applyFacts(tx, deps, id, [{ type: 'time_passed' }])),
      );
      if (events !== null && events.length > 0) ended += 1;
    }
    const last = due.at(-1);
    if (last === undefined || due.length < BATCH) break;
    after = { expiresAt: last.expiresAt, id: last.id };
    // A long outage holds back thousands: other work runs between the batches.
    await setImmediate();
  }
  const grace = await endUnconfirmedGrace(deps);
  for (const id of grace.checked) all.add(id);
  deps.finalCheck.keep(all);
  if (ended + grace.changed > 0) deps.wakeWebhooks();
  return ended;
}
