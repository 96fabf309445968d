import { deleteSpentChallenges } from '../../store/accounts/passkeys.ts';
import { deleteEndedSessions } from '../../store/accounts/sessions.ts';
import type { AccountDeps } from './account-deps.ts';
import { countingAt } from './sessions/dashboard-session.ts';

/** Maximum rows of each kind per run; the next run continues. */
const LIMIT = 5_000;

/**
 * Answered challenges are stored longer than they are valid, because a clock that is set back must not make
 * them unused.
 */
const KEEP_CHALLENGES_MS = 24 * 3_600_000;

/** Deletes ended sessions and expired answered challenges; returns how many. */
export async function pruneAccounts({ db, clock }: Pick<AccountDeps, 'db' | 'clock'>): Promise<number> {
  const now = clock.now();
  const sessions = await deleteEndedSessions(db, countingAt(now), LIMIT);
  return sessions + (await deleteSpentChallenges(db, now - KEEP_CHALLENGES_MS, LIMIT));
}
