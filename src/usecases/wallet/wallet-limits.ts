import type { Chains } from '../../domain/chains.ts';
import type { Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { type Fiat, formatFiat } from '../../domain/fiat.ts';
import { isoTime } from '../../domain/iso-time.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { roleGrants } from '../../domain/roles.ts';
import {
  changeLimits,
  cancelLimitIncreases,
  isUnconfirmed,
  limitsAt,
  type Raise,
  RAISES,
  type StoredLimits,
} from '../../domain/send/limit-change.ts';
import { secondFactorCountsFrom } from '../../domain/send/approval.ts';
import type { AllowedDestination } from '../../domain/send/spending-limits.ts';
import type { SendPolicy } from '../../domain/send/policy.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { findLimits, putLimits } from '../../store/sends/wallet-limits.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findOwnMerchant, findReachable, merchantMode, readLimit } from '../access/index.ts';
import { findSecondFactorSetUpAt } from '../accounts/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';

export interface LimitsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chains: Chains;
  readonly policy: Pick<SendPolicy, 'limitDelayMs'>;
}

/** An amount of money as the API presents it. */
export interface AmountView {
  readonly amount: string;
  readonly currency: string;
}

interface DestinationView {
  readonly coin: Coin;
  readonly destination: string;
  readonly label: string;
}

/** The limits of a shop as the API presents them. */
export interface LimitsView {
  readonly perSend: AmountView | null;
  readonly perDay: AmountView | null;
  readonly allowList: DestinationView[] | null;
  readonly approvers: string[];
  /** False after a restore, until the owner confirms them: each send waits for an approval. */
  readonly confirmed: boolean;
  /** What takes effect later. */
  readonly pending: PendingView[];
}

/** A part of the limits after its change; the other values are null. */
export interface PendingView {
  readonly part: Raise;
  readonly takesEffectAt: string;
  /** Of `perSend` and `perDay`; null: no limit. */
  readonly amount: AmountView | null;
  /** Of `allowList`: the address that is added; null: every destination is allowed. */
  readonly destination: DestinationView | null;
  readonly approvers: string[] | null;
}

/** A change; omitted parts stay, null lifts one. */
export interface LimitsInput {
  readonly userId: string;
  /** The dashboard session, which has just proven itself; null for a user token, which has not. */
  readonly sessionId: string | null;
  readonly merchantId: string;
  readonly currency?: string | undefined;
  readonly perSend?: string | null | undefined;
  readonly perDay?: string | null | undefined;
  readonly allowList?: readonly DestinationView[] | null | undefined;
  readonly approvers?: readonly string[] | undefined;
}

export async function readLimits(
  { db, clock }: Pick<LimitsDeps, 'db' | 'clock'>,
  merchantId: string,
): Promise<LimitsView> {
  return viewLimits(await findLimits(db, merchantId), clock.now());
}

/**
 * Changes the limits of a shop, for its owner. What allows less takes effect at once, what allows more after a delay.
 * Limits of an older copy of the database are confirmed by each change: at once by an owner with a second factor, by
 * another one after the delay.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE, VALIDATION_INVALID
 */
export async function editLimits(
  deps: LimitsDeps,
  input: LimitsInput,
  storeResult: StoreResult<LimitsView> = storeNoResult,
): Promise<LimitsView> {
  const { userId, merchantId } = input;
  return change(deps, { userId, merchantId }, storeResult, async (tx, merchant, stored) => {
    const currency = input.currency ?? merchant.currency;
    if (input.approvers !== undefined) await requireApprovers(tx, deps, stored, input);
    const known = [...(stored.limits.allowList ?? []), ...stored.raises.added.map(({ value }) => value)];
    const allowList = input.allowList?.map((one) => readDestination(deps.chains, merchant, one, known));
    const next = {
      perSend: readLimit('perSend', input.perSend, currency),
      perDay: readLimit('perDay', input.perDay, currency),
      allowList: input.allowList === null ? null : allowList,
      approvers: input.approvers === undefined ? undefined : [...new Set(input.approvers)],
    };
    return changeLimits(stored, next, {
      now: deps.clock.now(),
      delayMs: deps.policy.limitDelayMs,
      hasSecondFactor: await hasSecondFactor(tx, deps, input),
    });
  });
}

/** Whether the session was proven with a second factor that was not set up just now. */
async function hasSecondFactor(
  db: Db,
  { clock, policy }: Pick<LimitsDeps, 'clock' | 'policy'>,
  { userId, sessionId }: Pick<LimitsInput, 'userId' | 'sessionId'>,
): Promise<boolean> {
  if (sessionId === null) return false;
  const now = clock.now();
  const setUpAt = await findSecondFactorSetUpAt(db, userId, now);
  return setUpAt !== null && now >= secondFactorCountsFrom(setUpAt, policy);
}

/** Drops raises before they take effect. @param part null: all. @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN */
export async function dropPendingLimits(
  deps: LimitsDeps,
  { part, ...at }: { readonly userId: string; readonly merchantId: string; readonly part: Raise | null },
): Promise<LimitsView> {
  return change(deps, at, storeNoResult, async (_tx, _merchant, stored) =>
    cancelLimitIncreases(stored, part === null ? RAISES : [part], deps.clock.now()),
  );
}

async function change(
  { db, clock, logger }: LimitsDeps,
  { userId, merchantId }: { readonly userId: string; readonly merchantId: string },
  storeResult: StoreResult<LimitsView>,
  next: (tx: Tx, merchant: MerchantRow, stored: StoredLimits) => Promise<StoredLimits>,
): Promise<LimitsView> {
  return db.transaction(async (tx) => {
    const merchant = await findOwnMerchant(tx, userId, merchantId);
    const limits = await next(tx, merchant, await findLimits(tx, merchant.id));
    const now = clock.now();
    await putLimits(tx, { merchantId: merchant.id, limits, now });
    const view = viewLimits(limits, now);
    await storeResult(tx, view);
    tx.afterCommit(() => logger.warn({ merchantId, userId, ...view }, 'limits of a wallet changed'));
    return view;
  });
}

/** @param known addresses that are listed already, also in the other mode */
function readDestination(
  chains: Chains,
  merchant: MerchantRow,
  { coin, destination: text, label }: DestinationView,
  known: readonly AllowedDestination[],
): AllowedDestination {
  const listed = known.find((one) => one.coin === coin && one.destination === text.trim());
  if (listed !== undefined) return { ...listed, label };
  const adapter = chains.get(coin, merchantMode(merchant));
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${coin} is not configured`);
  const destination = text.trim();
  const problem = adapter.validateAddress(destination);
  if (problem !== null) throw invalidField('allowList', `${destination}: ${problem}`);
  return { coin, destination, watchKey: adapter.watchKey(destination), label };
}

/**
 * An approver has to see what waits, and needs an authenticator app when added.
 * @throws {AppError} VALIDATION_INVALID
 */
async function requireApprovers(
  db: Db,
  { clock }: Pick<LimitsDeps, 'clock'>,
  stored: StoredLimits,
  { merchantId, approvers = [] }: Pick<LimitsInput, 'merchantId' | 'approvers'>,
): Promise<void> {
  const now = clock.now();
  const { limits, raises } = limitsAt(stored, now);
  const known = new Set([...limits.approvers, ...(raises.approvers?.value ?? [])]);
  for (const id of approvers) {
    const reached = await findReachable(db, id, merchantId);
    if (reached === null || !roleGrants(reached.role, 'wallet:read'))
      throw invalidField('approvers', 'must be the owner, or members whose role may read the wallet');
    if (known.has(id) || (await findSecondFactorSetUpAt(db, id, now)) !== null) continue;
    throw invalidField('approvers', 'need an authenticator app: set it up before you add them');
  }
}

function viewLimits(stored: StoredLimits, now: number): LimitsView {
  const { limits, raises, confirmedAt } = limitsAt(stored, now);
  const { perSend, perDay, added, listLiftedAt, approvers } = raises;
  return {
    perSend: viewAmount(limits.perSend),
    perDay: viewAmount(limits.perDay),
    allowList: limits.allowList?.map(viewDestination) ?? null,
    approvers: [...limits.approvers],
    confirmed: !isUnconfirmed(stored, now),
    pending: [
      ...(perSend === null ? [] : [pending('perSend', perSend.at, { amount: viewAmount(perSend.value) })]),
      ...(perDay === null ? [] : [pending('perDay', perDay.at, { amount: viewAmount(perDay.value) })]),
      ...added.map(({ value, at }) => pending('allowList', at, { destination: viewDestination(value) })),
      ...(listLiftedAt === null ? [] : [pending('allowList', listLiftedAt, {})]),
      ...(approvers === null
        ? []
        : [pending('approvers', approvers.at, { approvers: [...approvers.value] })]),
      ...(confirmedAt === null || confirmedAt <= now ? [] : [pending('confirmation', confirmedAt, {})]),
    ],
  };
}

function pending(
  part: Raise,
  at: number,
  value: Partial<Pick<PendingView, 'amount' | 'destination' | 'approvers'>>,
): PendingView {
  return { part, takesEffectAt: isoTime(at), amount: null, destination: null, approvers: null, ...value };
}

/** An amount as the API presents it. */
export function viewAmount(fiat: Fiat | null): AmountView | null {
  return fiat === null ? null : { amount: formatFiat(fiat), currency: fiat.currency };
}

function viewDestination({ coin, destination, label }: AllowedDestination): DestinationView {
  return { coin, destination, label };
}
