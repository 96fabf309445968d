import { COIN_DEFINITIONS, type Mode } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import type { SubscriptionFact } from '../../domain/subscription/types.ts';
import type { SubscriptionRow } from '../../store/schema/subscriptions.ts';
import { newestBlockTimes } from '../../store/operations/counts.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import type { SubscriptionDeps } from './subscription-deps.ts';

/**
 * A pause moves the paid time by its length, so that a wrong clock at one of its ends would give time away, or take
 * it.
 * @throws {AppError} INVALID_STATE
 */
export async function verifyPauseClock(
  tx: Tx,
  deps: ClockDeps,
  { mode, status }: Pick<SubscriptionRow, 'mode' | 'status'>,
  action: SubscriptionFact['type'],
): Promise<void> {
  if (action === 'pause' || status === 'paused') await verifyClock(tx, deps, mode);
}

type ClockDeps = Pick<SubscriptionDeps, 'chains' | 'clock'>;

/**
 * The value of paid time needs a clock that the newest blocks do not contradict: one that is behind any of them, or
 * ahead of all of them, is wrong, or the nodes are cut off and nothing is known. Play money needs no proof.
 * @throws {AppError} INVALID_STATE
 */
export async function verifyClock(tx: Tx, { chains, clock }: ClockDeps, mode: Mode): Promise<void> {
  if (mode !== 'live') return;
  const now = clock.now();
  const ages: { readonly isFresh: boolean; readonly isPublic: boolean }[] = [];
  for (const { coin, mode: of, timeMs } of await newestBlockTimes(tx)) {
    const adapter = of === 'live' ? chains.get(coin, of) : null;
    if (adapter === null) continue;
    const { aheadMs, silenceMs } = COIN_DEFINITIONS[coin].blocks;
    if (timeMs - aheadMs > now) throw clockError('behind');
    // Private networks mine blocks at any time.
    ages.push({ isFresh: now - timeMs <= silenceMs, isPublic: adapter.network !== 'regtest' });
  }
  const known = ages.filter(({ isPublic }) => isPublic);
  if (known.length > 0 && !known.some(({ isFresh }) => isFresh)) throw clockError('ahead of');
}

function clockError(relation: string): AppError {
  return new AppError(
    'INVALID_STATE',
    `The clock of the server is ${relation} the newest blocks: pauses and prices of paid time stay unchanged until they agree`,
  );
}
