import { coinReadiness, type CoinReadiness, type FollowedChain } from '../../domain/coin-readiness.ts';
import { findUserPasskeys } from '../../store/accounts/passkeys.ts';
import { findSecondFactor } from '../../store/accounts/second-factors.ts';
import { hasPaidPayment, newestWebhookSuccess } from '../../store/merchants/setup-facts.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { listEndpoints } from '../webhooks/index.ts';

/** Age of the database backups; without their location. */
export interface BackupAge {
  /** Whether they are scheduled. */
  readonly isScheduled: boolean;
  /** Time of the newest one, ms; null when there is none. */
  readonly lastAt: number | null;
  /** Whether the newest is older than the operator allows. */
  readonly isTooOld: boolean;
}

export interface ReadSetupDeps {
  readonly db: Db;
  /** The current state of the chains. */
  readonly followedChains: () => readonly FollowedChain[];
  readonly backupAge: () => BackupAge;
}

/** Steps before real money, in the recommended order. */
export const SETUP_STEPS = ['test_payment', 'webhook', 'domain', 'second_factor', 'backup', 'node'] as const;
export type SetupStepName = (typeof SETUP_STEPS)[number];

/** Why a step is not done, where there is more than one reason. */
export const SETUP_REASONS = ['no_endpoint', 'no_answer', 'not_scheduled', 'none_made', 'too_old'] as const;
export type SetupReason = (typeof SETUP_REASONS)[number];

interface SetupStep {
  readonly name: SetupStepName;
  readonly done: boolean;
  /** Since when, or when last, ms; null where that is unknown or it is not done. */
  readonly at: number | null;
  readonly reason: SetupReason | null;
}

interface Setup {
  /** Whether a live payment was completed. */
  readonly hasLivePayment: boolean;
  readonly steps: readonly SetupStep[];
  readonly coins: readonly CoinReadiness[];
}

interface SetupInput {
  readonly merchant: MerchantRow;
  /** The user whose second factor counts. */
  readonly userId: string;
}

type Outcome = Omit<SetupStep, 'name'>;

/** The setup state of a shop, derived from what happened: no step can be ticked by hand. */
export async function readSetup(deps: ReadSetupDeps, input: SetupInput): Promise<Setup> {
  const { db } = deps;
  const { merchant, userId } = input;
  const coins = coinReadiness(deps.followedChains());
  const outcomes: Record<SetupStepName, Outcome> = {
    test_payment: outcome(await hasPaidPayment(db, merchant.id, 'sandbox')),
    webhook: await webhookOutcome(db, merchant),
    domain: outcome(merchant.domainVerifiedAt !== null, merchant.domainVerifiedAt),
    second_factor: await secondFactorOutcome(db, userId),
    backup: backupOutcome(deps.backupAge()),
    node: outcome(coins.some(({ state }) => state === 'ready')),
  };
  return {
    hasLivePayment: await hasPaidPayment(db, merchant.id, 'live'),
    steps: SETUP_STEPS.map((name) => ({ name, ...outcomes[name] })),
    coins,
  };
}

function outcome(done: boolean, at: number | null = null, reason: SetupReason | null = null): Outcome {
  return { done, at: done ? at : null, reason: done ? null : reason };
}

/**
 * An endpoint that answered since its URL was set; for shops that set a URL with each payment, any delivery.
 */
async function webhookOutcome(db: Db, merchant: MerchantRow): Promise<Outcome> {
  const endpoints = (await listEndpoints({ db }, merchant)).filter(({ active }) => active);
  if (endpoints.length === 0) {
    const at = await newestWebhookSuccess(db, merchant.id);
    return outcome(at !== null, at, 'no_endpoint');
  }
  const answered = endpoints.flatMap(({ health: { gone, lastSuccessAt } }) =>
    gone || lastSuccessAt === null ? [] : [Date.parse(lastSuccessAt)],
  );
  return outcome(answered.length > 0, Math.max(...answered), 'no_answer');
}

/** A factor besides the password: codes of an authenticator app, or a passkey. */
async function secondFactorOutcome(db: Db, userId: string): Promise<Outcome> {
  const [passkey] = await findUserPasskeys(db, userId);
  const enabledAt = (await findSecondFactor(db, userId))?.enabledAt ?? passkey?.createdAt ?? null;
  return outcome(enabledAt !== null, enabledAt);
}

function backupOutcome({ isScheduled, lastAt, isTooOld }: BackupAge): Outcome {
  if (!isScheduled) return outcome(false, null, 'not_scheduled');
  if (lastAt === null) return outcome(false, null, 'none_made');
  return outcome(!isTooOld, lastAt, 'too_old');
}
