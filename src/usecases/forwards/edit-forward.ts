import type { ChainAdapter } from '../../domain/chain.ts';
import type { ChainId, Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { AmountError, formatCoinAmount, parseCoinAmount } from '../../domain/money.ts';
import {
  changeDestination,
  forwardAt,
  type ForwardRule,
  type ForwardTerms,
} from '../../domain/send/forward.ts';
import { deleteForward, findForward, putForward } from '../../store/sends/wallet-forwards.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findOwnMerchant, merchantMode } from '../access/index.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { nextAddress, readDestination, type WantedDestination } from './forward-destination.ts';
import type { ForwardDeps } from './forward-deps.ts';
import { notifyOfForward } from './record-forward.ts';
import { type ForwardView, viewForward } from './view-forward.ts';

export type EditForwardDeps = Pick<
  ForwardDeps,
  'clock' | 'logger' | 'chains' | 'policy' | 'readReceiveBranch'
> & { readonly db: Db };

/** The rule that a user means. */
export interface ForwardRef {
  readonly userId: string;
  readonly merchantId: string;
  readonly coin: Coin;
}

/** A new rule, or a change of one; omitted parts stay. */
export interface ForwardInput extends ForwardRef, WantedDestination {
  readonly keep?: string | undefined;
  readonly threshold?: string | undefined;
  readonly intervalMinutes?: number | undefined;
  readonly active?: boolean | undefined;
}

const MINUTE_MS = 60_000;
const DEFAULT_INTERVAL_MS = 60 * MINUTE_MS;

/**
 * Makes or changes the rule of a coin, for the owner of the shop. Terms change at once; another destination takes
 * effect after a delay.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE, VALIDATION_INVALID
 */
export async function editForward(
  deps: EditForwardDeps,
  input: ForwardInput,
  storeResult: StoreResult<ForwardView> = storeNoResult,
): Promise<ForwardView> {
  const { userId, merchantId, coin } = input;
  return deps.db.transaction(async (tx) => {
    const { wallet, adapter } = await openWallet(tx, deps, input);
    const now = deps.clock.now();
    const stored = await findForward(tx, wallet);
    const before = stored === undefined ? newRule(wallet, input, now) : forwardAt(stored, now);
    const wanted = await readDestination(tx, deps, { adapter, merchantId }, input);
    if (wanted === null && stored === undefined)
      throw invalidField('destination', 'or descriptor is required for a new rule');
    const change = { id: newId('fwc_'), now, delayMs: deps.policy.forwardDelayMs };
    const rule: ForwardRule = {
      ...before,
      ...(wanted === null ? {} : changeDestination(before, wanted, change)),
      ...readTerms(adapter, input, before),
      problem: null,
      updatedAt: now,
    };
    await putForward(tx, rule);
    const isNewDestination = rule.pending !== null && rule.pending.id !== stored?.pending?.id;
    await notifyOfForward(tx, deps, rule, {
      reason: isNewDestination ? 'forward_pending' : 'forward_changed',
      address: await shownAddress(tx, deps, rule),
    });
    const view = await viewForward(tx, deps, rule);
    await storeResult(tx, view);
    const { keep, threshold, active, intervalMinutes, pending } = view;
    const fields = { merchantId, userId, coin, keep, threshold, active, intervalMinutes };
    tx.afterCommit(() =>
      deps.logger.warn(
        { ...fields, takesEffectAt: pending?.takesEffectAt },
        'forward to cold storage changed',
      ),
    );
    return view;
  });
}

/**
 * Ends the rule of a coin. @returns whether there was one
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE
 */
export async function endForward(
  deps: EditForwardDeps,
  ref: ForwardRef,
  storeResult: StoreResult<{ readonly deleted: boolean }> = storeNoResult,
): Promise<{ readonly deleted: boolean }> {
  return deps.db.transaction(async (tx) => {
    const { wallet } = await openWallet(tx, deps, ref);
    const rule = await findForward(tx, wallet);
    if (rule !== undefined) {
      await deleteForward(tx, rule.id);
      await notifyOfForward(tx, deps, { ...rule, pending: null }, { reason: 'forward_changed', address: '' });
      const { merchantId, userId, coin } = ref;
      tx.afterCommit(() => deps.logger.warn({ merchantId, userId, coin }, 'forward to cold storage deleted'));
    }
    const result = { deleted: rule !== undefined };
    await storeResult(tx, result);
    return result;
  });
}

/**
 * Drops a destination that has not taken effect. Repeating it changes nothing.
 * @throws {AppError} MERCHANT_NOT_FOUND, FORBIDDEN, COIN_UNAVAILABLE; INVALID_STATE without a rule
 */
export async function dropPendingForward(
  deps: EditForwardDeps,
  ref: ForwardRef,
  storeResult: StoreResult<ForwardView> = storeNoResult,
): Promise<ForwardView> {
  return deps.db.transaction(async (tx) => {
    const { wallet } = await openWallet(tx, deps, ref);
    const stored = await findForward(tx, wallet);
    if (stored === undefined) throw new AppError('INVALID_STATE', `${ref.coin} is not forwarded`);
    const rule = forwardAt(stored, deps.clock.now());
    const kept = rule.pending === null ? rule : await dropDestination(tx, deps, rule);
    const view = await viewForward(tx, deps, kept);
    await storeResult(tx, view);
    return view;
  });
}

/** Drops the pending destination of a rule and notifies the people of the shop. */
export async function dropDestination(
  tx: Tx,
  deps: Pick<EditForwardDeps, 'clock' | 'logger'>,
  rule: ForwardRule,
): Promise<ForwardRule> {
  const kept = { ...rule, pending: null, updatedAt: deps.clock.now() };
  await putForward(tx, kept);
  await notifyOfForward(tx, deps, kept, { reason: 'forward_undone', address: '' });
  const { merchantId, coin, mode } = rule;
  tx.afterCommit(() =>
    deps.logger.warn({ merchantId, coin, mode }, 'pending destination of a forward dropped'),
  );
  return kept;
}

interface Opened {
  readonly wallet: ChainId & { readonly merchantId: string };
  readonly adapter: ChainAdapter;
}

async function openWallet(
  tx: Tx,
  { chains }: Pick<EditForwardDeps, 'chains'>,
  { userId, merchantId, coin }: ForwardRef,
): Promise<Opened> {
  const merchant: MerchantRow = await findOwnMerchant(tx, userId, merchantId);
  const mode = merchantMode(merchant);
  const adapter = chains.get(coin, mode);
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${coin} is not configured in ${mode} mode`);
  return { wallet: { coin, mode, merchantId: merchant.id }, adapter };
}

function newRule(wallet: Opened['wallet'], { threshold }: ForwardInput, now: number): ForwardRule {
  if (threshold === undefined) throw invalidField('threshold', 'is required for a new rule');
  return {
    id: newId('fwd_'),
    ...wallet,
    destination: null,
    pending: null,
    keep: 0n,
    threshold: 0n,
    intervalMs: DEFAULT_INTERVAL_MS,
    isActive: true,
    runs: 0,
    lastRunAt: null,
    lastSendId: null,
    problem: null,
    createdAt: now,
    updatedAt: now,
  };
}

function readTerms(
  adapter: ChainAdapter,
  { keep, threshold, intervalMinutes, active }: ForwardInput,
  before: ForwardTerms,
): ForwardTerms {
  const least = adapter.minimumPayment;
  const from = threshold === undefined ? before.threshold : readAtoms('threshold', threshold, adapter.coin);
  if (from < least)
    throw invalidField(
      'threshold',
      `must be at least ${formatCoinAmount(least, adapter.coin)} ${adapter.coin}`,
    );
  return {
    keep: keep === undefined ? before.keep : readAtoms('keep', keep, adapter.coin),
    threshold: from,
    intervalMs: intervalMinutes === undefined ? before.intervalMs : intervalMinutes * MINUTE_MS,
    isActive: active ?? before.isActive,
  };
}

function readAtoms(field: string, text: string, coin: Coin): bigint {
  try {
    return parseCoinAmount(text.trim(), coin);
  } catch (error) {
    if (error instanceof AmountError) throw invalidField(field, error.message);
    throw error;
  }
}

/** The first address of the newest destination, which the mail shows. */
async function shownAddress(
  db: Db,
  deps: Pick<EditForwardDeps, 'chains' | 'readReceiveBranch'>,
  rule: ForwardRule,
): Promise<string> {
  const destination = rule.pending?.destination ?? rule.destination;
  return destination === null ? '' : (await nextAddress(db, deps, rule, destination)).address;
}
