import { setImmediate } from 'node:timers/promises';
import { COINS, MODES, type Coin, type Mode } from '../../domain/coins.ts';
import { inTransaction, type Db } from '../../store/database.ts';
import { coinsOffered, paymentsDue } from '../../store/payments.ts';
import { applyFacts, type ApplyFactsDeps } from './apply-facts.ts';
import { eachAlone } from './each-alone.ts';
import { endWaiting } from './end-waiting.ts';
import type { LastLook } from './last-look.ts';

export interface ExpirePaymentsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly wakeWebhooks: () => void;
  /** Time up to which a chain has been looked at completely (blocks and mempool), ms; null: not yet. */
  readonly seenThrough: (coin: Coin, mode: Mode) => number | null;
  /** Kept from run to run. */
  readonly lastLook: Pick<LastLook, 'settled' | 'keep'>;
}

/** Payments whose accounts are looked at in one request for each chain. */
const BATCH = 100;

type DuePayment = Awaited<ReturnType<typeof paymentsDue>>[number];

/**
 * Ends the payments whose time is up. A payment is left alone until every chain it can be paid on
 * has been looked at after its deadline, and its own accounts with it: a node that is down or behind
 * must not make a paid order expire. Answers how many were ended.
 */
export async function expirePayments(deps: ExpirePaymentsDeps): Promise<number> {
  const now = deps.clock.now();
  const alone = eachAlone(deps.logger);
  const all = new Set<string>();
  let after = { expiresAt: 0, id: '' };
  let ended = 0;
  for (;;) {
    const due = await paymentsDue(deps.db, now, after, BATCH);
    for (const { id } of due) all.add(id);
    for (const id of await provenUnpaid(deps, due)) {
      const events = await alone(id, async () =>
        inTransaction(deps.db, (tx) => applyFacts(tx, deps, id, [{ type: 'clock' }])),
      );
      if (events !== null && events.length > 0) ended += 1;
    }
    const last = due.at(-1);
    if (last === undefined || due.length < BATCH) break;
    after = { expiresAt: last.expires_at, id: last.id };
    // During a long outage thousands are held back: others get their turn between the batches.
    await setImmediate();
  }
  deps.lastLook.keep(all);
  const overdue = await endWaiting(deps);
  if (ended + overdue > 0) deps.wakeWebhooks();
  return ended;
}

/** Of these payments, those of which every chain says that no more money came in time. */
async function provenUnpaid(
  deps: ExpirePaymentsDeps,
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
      const asked = onChain.map(({ id }) => id);
      const settled = await deps.lastLook.settled(coin, mode, asked);
      left = left.filter((each) => !onChain.includes(each) || settled.has(each.id));
    }
  }
  return left.map(({ id }) => id);
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
