import { AppError } from '../../../domain/errors.ts';
import { unauthorised } from '../../../domain/unauthorised.ts';
import { findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import { findSecondFactor } from '../../../store/accounts/second-factors.ts';
import { markSteppedUp } from '../../../store/accounts/sessions.ts';
import { findUser } from '../../../store/accounts/users.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import type { AccountDeps } from '../account-deps.ts';
import { confirmPassword } from '../passwords/confirm-password.ts';
import { requirePasskeySite } from '../passkeys/relying-party.ts';
import { renewSession, type CurrentSession, type RenewedSession } from '../sessions/renew-session.ts';
import { consumeSecondFactorCode } from './second-factor.ts';
import { verifyPasskey, type Assertion } from '../passkeys/verify-passkey.ts';

/** How long a proof is valid. */
const STEP_UP_MS = 5 * 60_000;

/** How a user proves their identity: by a code of the second factor where there is one. */
export type Proof = 'password' | 'code';

export interface StepUpInput {
  readonly userId: string;
  readonly session: CurrentSession;
  readonly password: string | undefined;
  readonly code: string | undefined;
}

/** The expiry of a proof, and the fresh token of the session. */
export interface SteppedUp {
  readonly until: number;
  readonly renewed: RenewedSession | null;
}

/** Whether a proof of that time is still valid. */
export function isSteppedUp(steppedUpAt: number | null, now: number): boolean {
  return steppedUpAt !== null && now >= steppedUpAt && now - steppedUpAt < STEP_UP_MS;
}

export async function findProof(db: Db, userId: string): Promise<Proof> {
  const factor = await findSecondFactor(db, userId);
  return factor === undefined || factor.enabledAt === null ? 'password' : 'code';
}

/**
 * When the newest second factor that may have proven a session just now was set up, ms: the authenticator app, or a
 * passkey that was used. Null without an authenticator app.
 */
export async function findSecondFactorSetUpAt(db: Db, userId: string, now: number): Promise<number | null> {
  const factor = await findSecondFactor(db, userId);
  if (factor === undefined || factor.enabledAt === null) return null;
  // Twice, because a use is stored before its step-up. Adding or removing a passkey ends the proofs.
  const usedSince = now - 2 * STEP_UP_MS;
  const used = (await findUserPasskeys(db, userId)).filter(({ lastUsedAt }) => (lastUsedAt ?? 0) > usedSince);
  return Math.max(factor.enabledAt, ...used.map(({ createdAt }) => createdAt));
}

/**
 * Permits a session of the dashboard to move money for a while. With a second factor its code is required: a
 * person at an open browser may know the password, but does not have the device.
 * @throws {AppError} INVALID_CREDENTIALS; SECOND_FACTOR_REQUIRED for a password where a code is needed;
 * RATE_LIMITED after several wrong ones.
 */
export async function stepUp(deps: AccountDeps, input: StepUpInput): Promise<SteppedUp> {
  if ((await findProof(deps.db, input.userId)) === 'code') await confirmCode(deps, input);
  else {
    const { attempt } = await confirmPassword(deps, input.userId, input.password ?? '');
    attempt.succeed();
  }
  return steppedUp(deps, input.session);
}

/**
 * Like `stepUp`, with a passkey of the user, whether or not there is an authenticator app.
 * @throws {AppError} like `verifyPasskey`; RATE_LIMITED after several wrong ones.
 */
export async function stepUpByPasskey(
  deps: AccountDeps,
  input: { userId: string; session: CurrentSession; assertion: Assertion },
): Promise<SteppedUp> {
  const { userId, session, assertion } = input;
  requirePasskeySite(deps.baseUrl);
  const attempt = deps.guard.beginConfirmation(userId);
  const use = { purpose: 'step-up', sessionId: session.id } as const;
  await verifyPasskey(deps, assertion, { use, userId }).catch((error: unknown) => {
    if (!(error instanceof AppError)) attempt.cancel();
    throw error;
  });
  attempt.succeed();
  return steppedUp(deps, session);
}

/** The token changes with the permissions of its session. */
async function steppedUp({ db, clock }: AccountDeps, session: CurrentSession): Promise<SteppedUp> {
  const now = clock.now();
  const renewed = await db.transaction(async (tx) => {
    await markSteppedUp(tx, session.id, now);
    return renewSession(tx, session);
  });
  return { until: now + STEP_UP_MS, renewed };
}

async function confirmCode(deps: AccountDeps, { userId, code }: StepUpInput): Promise<void> {
  if (code === undefined) {
    throw new AppError('SECOND_FACTOR_REQUIRED', 'A code from the authenticator app is needed');
  }
  const [user, factor] = await Promise.all([findUser(deps.db, userId), findSecondFactor(deps.db, userId)]);
  if (user === undefined || factor === undefined) {
    throw unauthorised('expired');
  }
  const attempt = deps.guard.beginCode(userId);
  if (!(await consumeSecondFactorCode(deps, user, factor, code))) {
    throw new AppError('INVALID_CREDENTIALS', 'The code is wrong, or was already used');
  }
  attempt.succeed();
}
