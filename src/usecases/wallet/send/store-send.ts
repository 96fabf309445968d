import type { ChainAdapter, PlanSigner, SendPlan, SignedTransaction } from '../../../domain/chain.ts';
import type { Clock, Rates } from '../../../domain/ports.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import {
  type OutgoingValue,
  enforceSpendingLimits,
  WITHIN_WALLET,
} from '../../../store/sends/spending-limits.ts';
import { writeOutputs } from '../../../store/sends/send-outputs.ts';
import { boundMoveBudget, isOwnMove, type MoveValue } from '../../../store/sends/move-limits.ts';
import { insertSend, type StoredSend } from '../../../store/sends/sends.ts';
import { disownFailedVersion, insertSendVersion } from '../../../store/sends/send-versions.ts';
import { reserveOutputs } from '../../../store/ledger/reservations.ts';
import { placeInQueue } from './place-in-queue.ts';
import { listRecipients, type SendOrder } from './send-order.ts';
import { signPlan } from './sign-plan.ts';
import { feeShare } from '../../../domain/send/fee-budget.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { writePlan } from '../lifecycle/stored-plan.ts';

export interface StoreSendDeps {
  readonly clock: Clock;
  readonly sign: PlanSigner;
  readonly policy: Pick<SendPolicy, 'firstAnswerMs' | 'maxFeeShareBps' | 'surplusDepth'>;
  readonly rates: Pick<Rates, 'quote'>;
}

/** Index of the output that returns to the wallet: the change, or the only output of a move within the wallet. */
export function changeIndex(
  { outputs = [] }: SignedTransaction,
  plan: Pick<SendPlan, 'change' | 'destination'>,
  purpose: StoredSend['purpose'] | 'cancel',
): number | null {
  const back = plan.change?.address ?? (purpose === 'send' ? null : plan.destination);
  const index = back === null ? -1 : outputs.indexOf(back);
  return index === -1 ? null : index;
}

/** The amount of an order; for `max` it is known only after planning. */
export function orderedAmount(
  order: Pick<SendOrder, 'everything' | 'amount'>,
  plan: Pick<SendPlan, 'amount' | 'fee'>,
): bigint {
  return order.everything === true ? plan.amount + plan.fee : order.amount;
}

/** A planned send to store. */
export interface NewSend {
  /** See InFlightSends: the caller that stores a send also broadcasts it. */
  readonly sendId: string;
  readonly order: SendOrder;
  readonly adapter: ChainAdapter;
  readonly plan: SendPlan;
  readonly purpose: StoredSend['purpose'];
  readonly idempotencyKey: string | null;
  /** Its fee budget for its whole life, atoms. */
  readonly maxFee: bigint;
  /** The send whose budget this is part of. */
  readonly drawsOn?: string;
  /** The send that it gathers outputs for, and that has reserved them. */
  readonly wholeId?: string;
  /** A move without which sends can never be mined: no limit concerns it. */
  readonly unblocksSends?: boolean;
}

/**
 * The step of makeSend, sweeps, parts and CPFP children within a transaction: signs a plan, stores it with its bytes, and
 * reserves its coins or nonce: all or nothing. A send that
 * draws on the remainder of others in flight is stored as queued: its bytes must not be broadcast before
 * those have landed.
 * @throws {AppError} FEE_ABOVE_LIMIT when the plan costs more than the budget; WALLET_FROZEN; APPROVAL_REQUIRED.
 */
export async function storeSend(
  tx: Tx,
  deps: StoreSendDeps,
  request: NewSend,
): Promise<{ send: StoredSend; transaction: SignedTransaction }> {
  const { sendId, order, adapter, plan, purpose, wholeId = null } = request;
  const { coin, mode, merchantId } = order;
  const now = deps.clock.now();
  const move = moveTerms(deps, request, now);
  const maxFee =
    move === null
      ? request.maxFee
      : await boundMoveBudget(tx, { ...order, fee: plan.fee, maxFee: request.maxFee }, move);
  const row = newRow({ ...request, maxFee }, now);
  const leaving =
    purpose === 'send' ? leavingTerms(deps, { order, adapter, ordered: BigInt(row.ordered), now }) : null;
  // Nothing above a limit is signed; the rule itself is in insertSend.
  if (leaving !== null) await enforceSpendingLimits(tx, row, leaving);
  const transaction = await signPlan(tx, deps, { merchantId, adapter, plan });
  const place = await placeInQueue(tx, order, plan);
  const send: StoredSend = {
    ...row,
    txid: transaction.txid,
    nextBroadcastAt: place.send.queued ? now : now + deps.policy.firstAnswerMs,
    ...place.send,
  };
  await insertSend(tx, send, leaving, move);
  await disownFailedVersion(tx, order, transaction.txid);
  await insertSendVersion(tx, {
    sendId,
    version: 1,
    coin,
    mode,
    txid: transaction.txid,
    raw: transaction.raw,
    fee: send.fee,
    feeRate: plan.feeRate.toString(),
    planJson: writePlan(plan),
    createdAt: now,
    changeIndex: changeIndex(transaction, plan, purpose),
    ...place.version,
  });
  // An account's balance has no parts to reserve: its open sends count against the whole.
  if (plan.account === undefined) {
    await reserveOutputs(tx, order, place.refs, send.id, wholeId);
  }
  return { send, transaction };
}

/** What the limits need to know of an order that leaves the wallet. */
export function leavingTerms(
  deps: CountingDeps,
  of: Pick<NewSend, 'order' | 'adapter'> & { readonly ordered: bigint; readonly now: number },
): OutgoingValue {
  const { creator = null } = of.order;
  const terms = countingTerms(deps, of);
  const freeFee = of.order.freeFee ?? terms.freeFee;
  const watchKeys = listRecipients(of.order).map(({ destination }) => of.adapter.watchKey(destination));
  return { ...terms, freeFee, creator, watchKeys };
}

/** What the limits need to know of a move within the wallet on its own budget; null: it is none. */
function moveTerms(
  deps: CountingDeps,
  { purpose, drawsOn, wholeId, unblocksSends = false, order }: NewSend,
  now: number,
): MoveValue | null {
  const isOwn = isOwnMove({ purpose, drawsOn: drawsOn ?? null, partOf: wholeId ?? null });
  if (!isOwn || unblocksSends) return null;
  return { ...countingTerms(deps, { ordered: order.amount, now }), creator: order.creator ?? null };
}

interface CountingDeps {
  readonly rates: Pick<Rates, 'quote'>;
  readonly policy: Pick<SendPolicy, 'maxFeeShareBps' | 'surplusDepth'>;
}

/** How the limits count a send. @param ordered atoms */
export function countingTerms(
  { rates, policy }: CountingDeps,
  { ordered, now }: { readonly ordered: bigint; readonly now: number },
): Omit<OutgoingValue, 'creator' | 'watchKeys'> {
  const { maxFeeShareBps: feeShareBps, surplusDepth: provenDepth } = policy;
  return { rates, freeFee: feeShare(ordered, policy), feeShareBps, provenDepth, now };
}

type NewRow = Omit<StoredSend, 'txid' | 'nextBroadcastAt' | 'queueAccount' | 'queuePosition' | 'queued'>;

/** A signed send that no node has received, without its transaction and its queue position. */
export function newRow(request: NewSend, now: number): NewRow {
  const { sendId, order, plan, purpose, idempotencyKey, maxFee, drawsOn = null, wholeId = null } = request;
  return {
    id: sendId,
    merchantId: order.merchantId,
    coin: order.coin,
    mode: order.mode,
    purpose,
    lane: plan.account === undefined ? null : (plan.inputs[0]?.address ?? null),
    nonce: plan.account?.nonce ?? null,
    destination: plan.destination,
    subtractFee: order.subtractFee,
    ordered: orderedAmount(order, plan).toString(),
    amount: plan.amount.toString(),
    fee: plan.fee.toString(),
    status: 'signed',
    version: 1,
    height: null,
    error: null,
    idempotencyKey,
    createdAt: now,
    updatedAt: now,
    broadcasts: 0,
    announcedTxid: null,
    confirmedTxid: null,
    everything: order.everything === true,
    maxFee: maxFee.toString(),
    drawsOn,
    drawsOnVersion: null,
    feeLimitedAt: null,
    note: order.note ?? null,
    displacedHeight: null,
    partOf: wholeId,
    parts: 0,
    partsConfirmed: 0,
    partsFee: '0',
    orderedRate: null,
    unfundedSince: null,
    reason: order.reason ?? null,
    outputsJson: writeOutputs(order.outputs ?? null),
    coinControl: (order.inputs ?? null) !== null,
    feeTermsJson: order.feeTermsJson ?? null,
    byPsbt: order.watched !== undefined,
    watchId: order.watched?.account.id ?? null,
    ...WITHIN_WALLET,
  };
}
