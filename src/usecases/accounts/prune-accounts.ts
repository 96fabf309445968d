import { deleteSpentChallenges } from '../../store/accounts/passkeys.ts';
import { deleteEndedSessions } from '../../store/accounts/sessions.ts';
import type { AccountDeps } from './account-deps.ts';
import { countingAt } from './sessions/dashboard-session.ts';

/** Rows of each kind that one run removes at most; the next one goes on. */
const LIMIT = 5_000;

/** Answered challenges are kept longer than they count: a clock that is set back must not make them new. */
const KEEP_CHALLENGES_MS = 24 * 3_600_000;

/** Deletes sessions that have ended and answered challenges that have expired; returns how many. */
export async function pruneAccounts({ db, clock }: Pick<AccountDeps, 'db' | 'clock'>): Promise<number> {
  const now = clock.now();
  const sessions = await deleteEndedSessions(db, countingAt(now), LIMIT);
  return sessions + (await deleteSpentChallenges(db, now - KEEP_CHALLENGES_MS, LIMIT));
}
