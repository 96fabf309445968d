import { setImmediate } from 'node:timers/promises';
import { paymentsDue } from '../../store/payments/payments.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { isolateFailures } from './isolate-failures.ts';
import { endWaiting } from './end-waiting.ts';
import { provenUnpaid, type ProvenUnpaidDeps } from './proven-unpaid.ts';

export interface ExpirePaymentsDeps extends ApplyFactsDeps, ProvenUnpaidDeps {
  readonly wakeWebhooks: () => void;
}

/** Payments whose accounts are looked at in one request for each chain. */
const BATCH = 100;

/**
 * Ends the payments whose time is up. A payment is left alone until every chain it can be paid on
 * has been looked at after its deadline, and its own accounts with it: a node that is down or behind
 * must not make a paid order expire. Answers how many were ended.
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
    for (const id of await provenUnpaid(deps, due)) {
      const events = await alone(id, async () =>
        deps.db.transaction((tx) => applyFacts(tx, deps, id, [{ type: 'clock' }])),
      );
      if (events !== null && events.length > 0) ended += 1;
    }
    const last = due.at(-1);
    if (last === undefined || due.length < BATCH) break;
    after = { expiresAt: last.expires_at, id: last.id };
    // During a long outage thousands are held back: others get their turn between the batches.
    await setImmediate();
  }
  const waited = await endWaiting(deps);
  for (const id of waited.looked) all.add(id);
  deps.lastLook.keep(all);
  if (ended + waited.changed > 0) deps.wakeWebhooks();
  return ended;
}
