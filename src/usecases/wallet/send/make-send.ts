import type { Creator } from '../../../domain/actor.ts';
import type {
  BroadcastResult,
  ChainAdapter,
  FeeQuote,
  PlanSigner,
  SendPlan,
  StoredTransaction,
} from '../../../domain/chain.ts';
import { AppError } from '../../../domain/errors.ts';
import type { AddressDeriver, ReadWatchAccount } from '../../../domain/keys.ts';
import type { Logger, Rates } from '../../../domain/ports.ts';
import { orderBudget } from '../../../domain/send/fee-budget.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { findSendByKey, type StoredSend } from '../../../store/sends/sends.ts';
import { requireUnfrozen } from '../../../store/sends/wallet-freezes.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { reserveChangeAddress } from '../../addresses/index.ts';
import type { ApplyFactsDeps } from '../../payments/index.ts';
import { broadcastWithAncestors } from '../lifecycle/broadcast-with-ancestors.ts';
import type { InFlightSends } from '../lifecycle/in-flight-sends.ts';
import { recordBroadcastResult } from '../lifecycle/record-broadcast-result.ts';
import { ensureRates } from './ensure-rates.ts';
import type { HoldTerms } from './held-send.ts';
import { sendBusyError } from './open-send.ts';
import { isPreparation, planOrder } from './plan-order.ts';
import { quoteFee } from './quote-fee.ts';
import { chainFor, type SendOrder } from './send-order.ts';
import { storePreparation } from './store-preparation.ts';
import { storeUnsigned } from './store-unsigned.ts';
import { orderedAmount, storeSend } from './store-send.ts';

export interface SendCoinsDeps extends ApplyFactsDeps {
  readonly db: Db;
  readonly logger: Logger;
  readonly deriver: AddressDeriver;
  readonly readWatchAccount: ReadWatchAccount;
  readonly sign: PlanSigner;
  readonly policy: SendPolicy;
  readonly rates: Rates;
  /** One instance per process, shared by everything that broadcasts sends. */
  readonly inFlight: InFlightSends;
  /** Wakes the webhook queue after events were committed. */
  readonly wakeWebhooks: () => void;
}

/** Decides an approval; throws unless it may be approved now. Runs in the transaction that stores the send. */
export type Approve = (tx: Tx) => Promise<void>;

/** A send to make; its order is decided in the transaction that stores it. */
export interface SendRequest {
  readonly merchantId: string;
  /** Who orders it; null: unknown. */
  readonly creator: Creator | null;
  readonly idempotencyKey: string | null;
  /** What is stored if it needs an approval; null: it is then not made. */
  readonly hold: HoldTerms | null;
  /** The approval of this send, which it has the id of, and the fee budget that its approver saw, atoms. */
  readonly approval?: { readonly id: string; readonly maxFee: bigint; readonly approve: Approve };
  /** The earlier send under that key if it is the same request. @throws {AppError} IDEMPOTENCY_MISMATCH. */
  readonly repeated: (db: Db, earlier: StoredSend) => Promise<StoredSend>;
  /** Called twice: before the fee quote to learn the chain, and again in the transaction that stores the send. */
  readonly order: (db: Db) => Promise<SendOrder>;
  /** Writes rows that belong to the send, in the same transaction. */
  readonly stored?: (tx: Tx, send: StoredSend, order: SendOrder) => Promise<void>;
}

/**
 * Makes a send that nothing holds back: quotes the fee, plans it, has storeSend sign and store it, and broadcasts it
 * outside the transaction; or returns the existing one of this request. Callers whose sends may wait for an approval use
 * sendOrHold.
 * @throws {AppError} like sendCoins, and APPROVAL_REQUIRED
 */
export async function makeSend(deps: SendCoinsDeps, request: SendRequest): Promise<StoredSend> {
  const earlier = await findRepeat(deps.db, request);
  if (earlier !== null) return requireNotFailed(earlier);
  // Checked before any node request; enforced again in the transaction that signs.
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
      const ordered = await request.order(tx);
      const order =
        request.approval === undefined ? ordered : { ...ordered, maxFee: request.approval.maxFee };
      if (order.coin !== adapter.coin || order.mode !== adapter.mode)
        throw new Error('the chain of the order changed');
      const { idempotencyKey } = request;
      const fresh = await planAndStore(tx, deps, { sendId, order, adapter, quote, idempotencyKey });
      await request.stored?.(tx, fresh.send, order);
      return fresh;
    });
    const { send, transaction, plan } = stored;
    if (send.byPsbt)
      deps.logger.info({ sendId, coin: send.coin, mode: send.mode }, 'send waits for its signature');
    else if (send.status === 'preparing') {
      deps.logger.info(
        { sendId, coin: send.coin, mode: send.mode, parts: send.parts },
        'send accepted; wallet outputs are consolidated for it first',
      );
    }
    if (transaction === null) return requireNotFailed(send);
    if (send.queued) {
      const { coin, mode, txid } = send;
      deps.logger.info({ sendId, coin, mode, txid }, 'send signed and queued behind others of its wallet');
      return send;
    }
    deps.logger.info({ sendId, coin: send.coin, mode: send.mode, txid: send.txid }, 'send signed');
    return requireNotFailed(
      await recordBroadcastAnswer(
        deps,
        send,
        await broadcastWithAncestors(deps.db, adapter, transaction, plan.inputs),
      ),
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
  if (made === null) throw sendBusyError();
  return made.value;
}

/** The stored send of the same request. @throws {AppError} IDEMPOTENCY_MISMATCH */
export async function findRepeat(db: Db, request: SendRequest): Promise<StoredSend | null> {
  if (request.idempotencyKey === null) return null;
  const send = await findSendByKey(db, request.merchantId, request.idempotencyKey);
  return send === undefined ? null : request.repeated(db, send);
}

type Placed =
  | { readonly send: StoredSend; readonly transaction: StoredTransaction; readonly plan: SendPlan }
  /** It was placed before, gathers its outputs first, or another wallet signs it. */
  | { readonly send: StoredSend; readonly transaction: null; readonly plan: null };

/** Plans, signs, stores and reserves: all or nothing. */
async function planAndStore(
  tx: Tx,
  deps: SendCoinsDeps,
  input: {
    readonly sendId: string;
    readonly order: SendOrder;
    readonly adapter: ChainAdapter;
    readonly quote: FeeQuote;
    readonly idempotencyKey: string | null;
  },
): Promise<Placed> {
  const { sendId, order, adapter, quote, idempotencyKey } = input;
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
  const watched = order.watched?.account;
  if (plan.change !== null)
    await reserveChangeAddress(tx, deps, { wallet: order, adapter, address: plan.change.address, watched });
  const { maxFee } = order;
  const maxFeeOrShare = orderBudget({ amount: orderedAmount(order, plan), maxFee }, plan, { ...deps, quote });
  const request = {
    sendId,
    order,
    adapter,
    plan,
    purpose: 'send',
    idempotencyKey,
    maxFee: maxFeeOrShare,
  } as const;
  if (order.watched !== undefined)
    return { send: await storeUnsigned(tx, deps, request, order.watched), transaction: null, plan: null };
  return { ...(await storeSend(tx, deps, request)), plan };
}

/**
 * Records the node's answer. An error here must not suggest that nothing was sent, because the node may have
 * accepted it.
 */
async function recordBroadcastAnswer(
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

/** @throws {AppError} SEND_REJECTED */
export function requireNotFailed(send: StoredSend): StoredSend {
  if (send.status !== 'failed') return send;
  const reason = send.error ?? 'no reason given';
  // It expired, was cancelled, its coins were spent before it was signed, or its signer has the transaction as well.
  if (send.txid === null || send.byPsbt)
    throw new AppError('SEND_REJECTED', `this send failed: ${reason}; order it with another Idempotency-Key`);
  throw new AppError('SEND_REJECTED', `the network rejected this send: ${reason}`);
}
