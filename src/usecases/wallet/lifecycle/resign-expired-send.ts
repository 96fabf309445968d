import type { ChainAdapter, FeeQuote, PlanSigner, SendPlan } from '../../../domain/chain.ts';
import { AppError } from '../../../domain/errors.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { accountBalanceChange } from '../../../domain/send/queue.ts';
import { updateSend, type StoredSend } from '../../../store/sends/sends.ts';
import { insertSendVersion, listVersions } from '../../../store/sends/send-versions.ts';
import { findFreezes } from '../../../store/sends/wallet-freezes.ts';
import { releaseOutputs, reserveOutputs, reservedFunds } from '../../../store/ledger/reservations.ts';
import { matchesChainBalances } from '../send/drawable-funds.ts';
import { planOneTransaction, type PlanOrderDeps } from '../send/plan-order.ts';
import { requireWithin } from '../../../domain/send/fee-budget.ts';
import { placeInQueue, findQueueAccount } from '../send/place-in-queue.ts';
import type { SendOrder } from '../send/send-order.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { signPlan } from '../send/sign-plan.ts';
import { applySendFact, type ApplySendFactDeps } from './apply-send-fact.ts';
import { readPlan, writePlan } from './stored-plan.ts';

export interface RenewSendDeps extends PlanOrderDeps, ApplySendFactDeps {
  readonly sign: PlanSigner;
  readonly policy: SendPolicy;
}

/** The chain, and its terms for a new transaction (expiry date), read after the status of the old ones. */
export interface Renewal {
  readonly adapter: ChainAdapter;
  readonly quote: FeeQuote;
}

/**
 * How long to wait for money that the ledger of an account does not know yet, because it may have just
 * arrived.
 */
const PATIENCE_MS = 10 * 60_000;

/**
 * Re-signs an expired send: the same payment from the same accounts, or from others when those no longer hold
 * what the plan needs, since it would fail again. Only for sends none of whose versions can ever land, which
 * the caller has proven. The next round broadcasts the new bytes. `impossible`: the chain has no renewals,
 * the send has reached its maximum of versions, or no funds can pay for it. `later`: nothing was changed, and
 * it may be possible soon, or once the wallet is unfrozen.
 */
export async function resignExpiredSend(
  tx: Tx,
  deps: RenewSendDeps,
  renewal: Renewal,
  send: StoredSend,
): Promise<StoredSend | 'impossible' | 'later'> {
  const { adapter, quote } = renewal;
  if ((await findFreezes(tx, send.merchantId)).length > 0) return 'later';
  const newest = (await listVersions(tx, send.id)).at(-1);
  if (newest === undefined || adapter.expiry === undefined) return 'impossible';
  if (newest.version >= deps.policy.maxVersions) return 'impossible';
  const previous = readPlan(newest.planJson);
  const feeLimit = BigInt(send.maxFee);
  const same = adapter.expiry.planRenewal(previous, quote, {
    subtractFee: send.subtractFee,
    feeLimit,
  });
  // The node that quoted the new lifetime is behind the one that proved the expiry.
  if (same === null) return 'later';
  const at = { least: adapter.minimumPayment, keeper: send.queueAccount };
  const isSame = matchesChainBalances(same, quote.balances, at);
  const plan = isSame ? same : await planAround(tx, deps, renewal, { send, same });
  if (plan === null) return send.purpose === 'send' ? waitForMoney(tx, deps, send) : 'impossible';
  if (send.unfundedSince !== null) await updateSend(tx, send.id, { unfundedSince: null }, deps.clock.now());
  const { id, coin, mode, merchantId } = send;
  const { txid, raw } = await signPlan(tx, deps, { merchantId, adapter, plan });
  const version = newest.version + 1;
  await insertSendVersion(tx, {
    sendId: id,
    version,
    coin,
    mode,
    txid,
    raw,
    fee: plan.fee.toString(),
    feeRate: plan.feeRate.toString(),
    planJson: writePlan(plan),
    createdAt: deps.clock.now(),
    balanceChange: await balanceChange(tx, send, plan),
  });
  const logFields = { sendId: id, coin, mode, version, txid, expired: newest.txid };
  if (isSame) deps.logger.info(logFields, 'expired send signed again');
  else {
    // Transactions from different accounts could both land: only the proof of expiry excludes it.
    deps.logger.error(
      { ...logFields, before: planAccounts(previous), now: planAccounts(plan) },
      'expired send signed again from other accounts: the balances of its accounts differ from the ledger',
    );
  }
  return (await applySendFact(tx, deps, id, { type: 'renewed' })).send;
}

/** Waits from the moment at which the money was first found missing: how old the transaction is says nothing about it. */
async function waitForMoney(
  tx: Tx,
  { clock }: RenewSendDeps,
  { id, unfundedSince: since }: StoredSend,
): Promise<'impossible' | 'later'> {
  const now = clock.now();
  // A future time was written before the clock was set back.
  if (since !== null && since <= now) return now - since >= PATIENCE_MS ? 'impossible' : 'later';
  await updateSend(tx, id, { unfundedSince: now }, now);
  return 'later';
}

/** Plans the same order from all available funds, its own included, and reserves them; null: not enough. */
async function planAround(
  tx: Tx,
  deps: RenewSendDeps,
  { adapter, quote }: Renewal,
  { send, same }: { readonly send: StoredSend; readonly same: SendPlan },
): Promise<SendPlan | null> {
  const account = same.inputs[0]?.keyPath.account;
  // Sweeps are not planned again: the next gathering chooses its deposits.
  if (account === undefined || send.purpose !== 'send') return null;
  const reserved = (await reservedFunds(tx, send.id)).map(({ ref }) => ref);
  await releaseOutputs(tx, send.id);
  const order = {
    coin: send.coin,
    mode: send.mode,
    merchantId: send.merchantId,
    account,
    destination: send.destination,
    amount: BigInt(send.ordered),
    subtractFee: send.subtractFee,
    replans: send.id,
  };
  try {
    const plan = await planRenewal(tx, deps, { order, everything: send.everything }, { adapter, quote });
    requireWithin(BigInt(send.maxFee), plan.fee, send.coin);
    await reserveInputs(tx, deps, send, plan);
    return plan;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    await reserveOutputs(tx, send, reserved, send.id);
    deps.logger.warn(
      { sendId: send.id, reason: error.message },
      'expired send not signed again: no other funds can pay for it; will retry',
    );
    return null;
  }
}

/** The recorded amount, if the money still covers it; else, where everything was ordered, the remainder. */
async function planRenewal(
  tx: Tx,
  deps: RenewSendDeps,
  { order, everything }: { readonly order: SendOrder; readonly everything: boolean },
  renewal: Renewal,
): Promise<SendPlan> {
  try {
    return await planOneTransaction(tx, deps, order, renewal);
  } catch (error) {
    if (!(error instanceof AppError) || !everything) throw error;
    return planOneTransaction(tx, deps, { ...order, everything }, renewal);
  }
}

/**
 * Reserves the inputs of the new plan; a queued send reserves the merchant address once it leaves the queue.
 */
async function reserveInputs(
  tx: Tx,
  { clock }: RenewSendDeps,
  send: StoredSend,
  plan: SendPlan,
): Promise<void> {
  const later = send.queued ? send.queueAccount : null;
  const refs = plan.inputs.filter(({ address }) => address !== later).map(({ ref }) => ref);
  if (send.queueAccount === null) {
    const place = await placeInQueue(tx, { ...send, merchantId: send.merchantId }, plan);
    await updateSend(tx, send.id, place.send, clock.now());
  }
  await reserveOutputs(tx, send, refs, send.id);
}

async function balanceChange(tx: Tx, send: StoredSend, plan: SendPlan): Promise<string | null> {
  const account = await findQueueAccount(tx, { ...send, merchantId: send.merchantId });
  return account === null ? null : (accountBalanceChange(plan, account)?.toString() ?? null);
}

function planAccounts({ inputs }: SendPlan): string[] {
  return [...new Set(inputs.map(({ address }) => address))];
}
