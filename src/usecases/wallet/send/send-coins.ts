import { z } from 'zod';
import type { Creator } from '../../../domain/actor.ts';
import type {
  BroadcastResult,
  ChainAdapter,
  FeeQuote,
  PlanSigner,
  SendPlan,
  StoredTransaction,
} from '../../../domain/chain.ts';
import { COINS } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { ApprovalRequired } from '../../../domain/send/spending-limits.ts';
import type { Logger, Rates } from '../../../domain/ports.ts';
import { listLimitCurrencies } from '../../../store/sends/spending-limits.ts';
import {
  findApprovalByKey,
  findApprovalOfClaim,
  type StoredApproval,
} from '../../../store/sends/send-approvals.ts';
import { toCreator } from '../../../store/creators.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { findSendByKey, type StoredSend } from '../../../store/sends/sends.ts';
import { requireUnfrozen } from '../../../store/sends/wallet-freezes.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { newId } from '../../events/index.ts';
import type { ApplyFactsDeps } from '../../payments/index.ts';
import { reserveChangeAddress } from '../../addresses/index.ts';
import { broadcastSend } from '../lifecycle/broadcast-send.ts';
import { recordBroadcastResult } from '../lifecycle/record-broadcast-result.ts';
import { storeHeldSend, viewHeldSend, type HoldTerms } from './held-send.ts';
import { sendIsBusy } from './open-send.ts';
import { isPreparation, planOrder } from './plan-order.ts';
import { quoteFee } from './quote-fee.ts';
import {
  chainFor,
  EVERYTHING,
  readOrder,
  requireCurrentMode,
  type SendInput,
  type SendOrder,
  type WalletOwner,
} from './send-order.ts';
import { orderBudget } from '../../../domain/send/fee-budget.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { viewSend, type SendView } from './send-view.ts';
import type { InFlightSends } from '../lifecycle/in-flight-sends.ts';
import { storePreparation } from './store-preparation.ts';
import { orderedAmount, storeSend } from './store-send.ts';

export interface SendCoinsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly deriver: AddressDeriver;
  readonly sign: PlanSigner;
  readonly policy: SendPolicy;
  readonly rates: Rates;
  /** One instance per process, shared by everything that broadcasts sends. */
  readonly inFlight: InFlightSends;
  /** Wakes the webhook queue after events were committed. */
  readonly wakeWebhooks: () => void;
}

export interface SendCoinsInput extends SendInput {
  /** A merchant's key always names the same send, also after a crash. */
  readonly idempotencyKey: string | null;
}

/**
 * Sends coins from the merchant's wallet. The signed bytes are stored and their coins reserved before the
 * node sees them. Returns status `broadcast`, or `signed` when the node gave no clear answer: the same bytes,
 * never others, are then broadcast again until it does; or `queued` where it draws on the remainder of other
 * sends in flight, and is broadcast once these have landed; or `preparing` when parts gather its outputs
 * first (see prepareSends).
 * @throws {AppError} INVALID_STATE (for the other mode), VALIDATION_INVALID, COIN_UNAVAILABLE,
 * NODE_UNAVAILABLE, INSUFFICIENT_BALANCE, FEE_ABOVE_LIMIT, WALLET_FROZEN (nothing stored), SEND_REJECTED (stored as failed,
 * coins and key released), IDEMPOTENCY_MISMATCH.
 */
export async function sendCoins(deps: SendCoinsDeps, input: SendCoinsInput): Promise<SendView> {
  requireCurrentMode(input);
  const placed = await placeSend(deps, toRequest(input));
  return viewPlaced(deps.db, placed);
}

function toRequest(input: SendCoinsInput): SendRequest {
  const order = readOrder(input);
  const { destination, amount, coin, subtractFee, maxFee, feeRate, note } = input;
  return {
    merchantId: order.merchantId,
    creator: order.creator ?? null,
    idempotencyKey: input.idempotencyKey,
    repeated: async (_db, earlier) => requireSameOrder(earlier, order),
    order: async () => order,
    hold: { kind: 'send', note, request: { destination, amount, coin, subtractFee, maxFee, feeRate, note } },
  };
}

async function viewPlaced(db: Db, { send, held }: PlacedSend): Promise<SendView> {
  return send === null ? viewHeldSend(held) : viewSend(send, await findCursor(db, send));
}

const storedRequest = z.object({
  destination: z.string(),
  amount: z.string(),
  coin: z.enum(COINS),
  subtractFee: z.boolean().optional(),
  maxFee: z.string().optional(),
  feeRate: z.string().optional(),
  note: z.string().optional(),
});

/**
 * Makes a send that was approved. The amount is the one that was shown, also where everything was ordered.
 * @throws {AppError} like sendCoins
 */
export async function sendApproved(
  deps: SendCoinsDeps,
  {
    merchant,
    held,
    approve,
  }: { readonly merchant: WalletOwner; readonly held: StoredApproval; readonly approve: Approve },
): Promise<SendView> {
  const { id, mode, idempotencyKey } = held;
  const request = storedRequest.parse(JSON.parse(held.requestJson));
  const isEverything = request.amount.trim() === EVERYTHING;
  const fixed = isEverything
    ? { amount: formatCoinAmount(BigInt(held.ordered), held.coin), subtractFee: true }
    : {};
  const input = { ...request, ...fixed, merchant, mode, creator: toCreator(held), idempotencyKey };
  requireCurrentMode(input);
  return viewPlaced(deps.db, await placeSend(deps, { ...toRequest(input), approval: { id, approve } }));
}

/** Decides an approval; throws unless it may be approved now. Runs in the transaction that stores the send. */
export type Approve = (tx: Tx) => Promise<void>;

/** A send, or one that waits for an approval. */
export type PlacedSend =
  { readonly send: StoredSend; readonly held: null } | { readonly send: null; readonly held: StoredApproval };

/** A send to make; its order is decided in the transaction that stores it. */
export interface SendRequest {
  readonly merchantId: string;
  /** Who orders it; null: unknown. */
  readonly creator: Creator | null;
  readonly idempotencyKey: string | null;
  /** What is stored if it needs an approval. */
  readonly hold: HoldTerms;
  /** The approval of this send, which it has the id of. */
  readonly approval?: { readonly id: string; readonly approve: Approve };
  /** The earlier send under that key if it is the same request. @throws {AppError} IDEMPOTENCY_MISMATCH. */
  readonly repeated: (db: Db, earlier: StoredSend) => Promise<StoredSend>;
  /** Called twice: before the fee quote to learn the chain, and again in the transaction that stores the send. */
  readonly order: (db: Db) => Promise<SendOrder>;
  /** Writes rows that belong to the send, in the same transaction. */
  readonly stored?: (tx: Tx, send: StoredSend, order: SendOrder) => Promise<void>;
}

/**
 * Makes a send, or returns the existing one of this request. One above a limit is stored as an order that waits for an
 * approval. @throws {AppError} like sendCoins.
 */
export async function placeSend(deps: SendCoinsDeps, request: SendRequest): Promise<PlacedSend> {
  const waiting = await findHeldRepeat(deps.db, request);
  if (waiting !== null) return { send: null, held: waiting };
  try {
    return { send: await makeSend(deps, request), held: null };
  } catch (error) {
    if (!(error instanceof ApprovalRequired) || request.approval !== undefined) throw error;
    return await holdSend(deps, request, error);
  }
}

async function holdSend(
  deps: SendCoinsDeps,
  request: SendRequest,
  required: ApprovalRequired,
): Promise<PlacedSend> {
  const { creator, idempotencyKey, hold: terms } = request;
  const ttlMs = deps.policy.approvalTtlMs;
  const placed = await deps.db.transaction(async (tx): Promise<PlacedSend> => {
    // Another request with the same key may have been faster.
    const send = await findRepeat(tx, request);
    if (send !== null) return { send: unlessFailed(send), held: null };
    const waiting = await findHeldRepeat(tx, request);
    if (waiting !== null) return { send: null, held: waiting };
    const id = newId('snd_');
    const held = await storeHeldSend(tx, deps, { id, required, terms, creator, idempotencyKey, ttlMs });
    return { send: null, held };
  });
  if (placed.held !== null) {
    const { id: sendId, coin, mode, reasons } = placed.held;
    deps.logger.warn({ sendId, coin, mode, reasons }, 'send waits for an approval');
  }
  deps.wakeWebhooks();
  return placed;
}

/** The same request while it waits, or after it was not approved. @throws {AppError} IDEMPOTENCY_MISMATCH */
async function findHeldRepeat(db: Db, request: SendRequest): Promise<StoredApproval | null> {
  const { merchantId, idempotencyKey, approval, hold } = request;
  if (approval !== undefined) return null;
  if (hold.linkId !== undefined) {
    const { linkId, claimId = null } = hold;
    return (await findApprovalOfClaim(db, { linkId, claimId })) ?? null;
  }
  if (idempotencyKey === null) return null;
  const held = await findApprovalByKey(db, merchantId, idempotencyKey);
  if (held === undefined || held.status === 'approved') return null;
  if (held.requestJson === JSON.stringify(hold.request)) return held;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for a different send');
}

async function makeSend(deps: SendCoinsDeps, request: SendRequest): Promise<StoredSend> {
  const earlier = await findRepeat(deps.db, request);
  if (earlier !== null) return unlessFailed(earlier);
  // Before anything is asked of a node; the rule itself is in the transaction that signs.
  await requireUnfrozen(deps.db, request.merchantId);
  const firstOrder = await request.order(deps.db);
  const adapter = chainFor(deps.chains, firstOrder);
  const quote = await quoteFee(deps, adapter, firstOrder);
  await ensureRates(deps, request);
  return begin(deps, request, async (sendId) => {
    const stored = await deps.db.transaction(async (tx): Promise<Placed> => {
      const repeat = await findRepeat(tx, request);
      if (repeat !== null) return { send: repeat, transaction: null, plan: null };
      await request.approval?.approve(tx);
      const order = await request.order(tx);
      if (order.coin !== adapter.coin || order.mode !== adapter.mode)
        throw new Error('the chain of the order changed');
      const { idempotencyKey } = request;
      const fresh = await planAndStore(tx, deps, { sendId, order, adapter, quote, idempotencyKey });
      await request.stored?.(tx, fresh.send, order);
      return fresh;
    });
    const { send, transaction, plan } = stored;
    if (send.status === 'preparing') {
      deps.logger.info(
        { sendId, coin: send.coin, mode: send.mode, parts: send.parts },
        'send accepted; wallet outputs are consolidated for it first',
      );
    }
    if (transaction === null) return unlessFailed(send);
    if (send.queued) {
      const { coin, mode, txid } = send;
      deps.logger.info({ sendId, coin, mode, txid }, 'send signed and queued behind others of its wallet');
      return send;
    }
    deps.logger.info({ sendId, coin: send.coin, mode: send.mode, txid: send.txid }, 'send signed');
    return unlessFailed(
      await recordSubmitAnswer(deps, send, await broadcastSend(deps.db, adapter, transaction, plan.inputs)),
    );
  });
}

/** Under a new id, or that of its approval. */
async function begin<T>(
  { inFlight }: SendCoinsDeps,
  { approval }: SendRequest,
  work: (sendId: string) => Promise<T>,
): Promise<T> {
  if (approval === undefined) return inFlight.begin(work);
  const made = await inFlight.take(approval.id, async () => ({ value: await work(approval.id) }));
  if (made === null) throw sendIsBusy();
  return made.value;
}

/** The limits compare the value of the send, for which its rate must be known. */
async function ensureRates({ db, clock, rates }: SendCoinsDeps, request: SendRequest): Promise<void> {
  for (const currency of await listLimitCurrencies(db, request, clock.now())) await rates.ensure(currency);
}

async function findRepeat(db: Db, request: SendRequest): Promise<StoredSend | null> {
  if (request.idempotencyKey === null) return null;
  const send = await findSendByKey(db, request.merchantId, request.idempotencyKey);
  return send === undefined ? null : request.repeated(db, send);
}

type Placed =
  | { readonly send: StoredSend; readonly transaction: StoredTransaction; readonly plan: SendPlan }
  /** It was placed before, or gathers its outputs first. */
  | { readonly send: StoredSend; readonly transaction: null; readonly plan: null };

/** Plans, signs, stores and reserves: all or nothing. */
async function planAndStore(
  tx: Tx,
  deps: SendCoinsDeps,
  request: {
    readonly sendId: string;
    readonly order: SendOrder;
    readonly adapter: ChainAdapter;
    readonly quote: FeeQuote;
    readonly idempotencyKey: string | null;
  },
): Promise<Placed> {
  const { sendId, order, adapter, quote, idempotencyKey } = request;
  const plan = await planOrder(tx, deps, order, { adapter, quote });
  if (isPreparation(plan)) {
    const send = await storePreparation(tx, deps, {
      sendId,
      order,
      adapter,
      preparation: plan,
      quote,
      idempotencyKey,
    });
    return { send, transaction: null, plan: null };
  }
  if (plan.change !== null)
    await reserveChangeAddress(tx, deps, { wallet: order, adapter, address: plan.change.address });
  const { maxFee } = order;
  const maxFeeOrShare = orderBudget({ amount: orderedAmount(order, plan), maxFee }, plan, { ...deps, quote });
  const stored = await storeSend(tx, deps, {
    sendId,
    order,
    adapter,
    plan,
    purpose: 'send',
    idempotencyKey,
    maxFee: maxFeeOrShare,
  });
  return { ...stored, plan };
}

/**
 * Records the node's answer. An error here must not suggest that nothing was sent, because the node may have
 * accepted it.
 */
async function recordSubmitAnswer(
  deps: SendCoinsDeps,
  send: StoredSend,
  result: BroadcastResult,
): Promise<StoredSend> {
  try {
    return await deps.db.transaction(async (tx) => {
      const { id: sendId, version } = send;
      return recordBroadcastResult(tx, deps, { sendId, version, result, neverOffered: true });
    });
  } catch (error) {
    deps.logger.error(
      { err: error, sendId: send.id },
      'recording the answer to the broadcast of a send failed; the send is rebroadcast',
    );
    return send;
  } finally {
    deps.wakeWebhooks();
  }
}

function unlessFailed(send: StoredSend): StoredSend {
  if (send.status !== 'failed') return send;
  throw new AppError('SEND_REJECTED', `the network rejected this send: ${send.error ?? 'no reason given'}`);
}

/**
 * The stored send when an order repeats it under the same idempotency key.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when the order differs.
 */
function requireSameOrder(send: StoredSend, order: SendOrder): StoredSend {
  const same =
    send.coin === order.coin &&
    send.mode === order.mode &&
    send.destination === order.destination &&
    send.subtractFee === order.subtractFee &&
    send.everything === (order.everything === true) &&
    (order.everything === true || BigInt(send.ordered) === order.amount);
  if (same) return send;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for a different send');
}
