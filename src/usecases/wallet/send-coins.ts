import type { BroadcastResult, ChainAdapter, FeeQuote, StoredTransaction } from '../../domain/chain.ts';
import type { Chains } from '../../domain/chains.ts';
import { AppError } from '../../domain/errors.ts';
import type { AddressDeriver, KeySource } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { inTransaction, type Db, type Tx } from '../../store/database.ts';
import { findSendByKey, insertSend, insertSendVersion, type StoredSend } from '../../store/sends.ts';
import { reserveOutputs } from '../../store/spendable.ts';
import { findCursor } from '../../store/chain-cursors.ts';
import { newId } from '../new-id.ts';
import { takeChangeAddress } from './change-address.ts';
import { handToNode } from './hand-to-node.ts';
import { recordAnswer } from './record-answer.ts';
import { repeatedSend } from './repeated-send.ts';
import { chainFor, planOrder, quoteFee, readOrder, type SendInput, type SendOrder } from './send-order.ts';
import type { SendPolicy } from './send-policy.ts';
import { viewSend, type SendView } from './send-view.ts';
import { writePlan } from './stored-plan.ts';

export interface SendCoinsDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly chains: Chains;
  readonly deriver: AddressDeriver;
  readonly keys: KeySource;
  readonly policy: SendPolicy;
  /** Wakes the webhook queue after events were committed. */
  readonly wakeWebhooks: () => void;
}

export interface SendCoinsInput extends SendInput {
  /** The same key of the same merchant is the same send for ever, also after a crash. */
  readonly idempotencyKey: string | null;
}

/**
 * Sends coins from the merchant's wallet. The signed bytes are stored and their coins reserved
 * before the node sees them. Answers with status `broadcast`, or `signed` when the node gave no clear
 * answer: then the same bytes are offered again until it does, never others.
 * @throws {AppError} VALIDATION_INVALID, COIN_UNAVAILABLE, NODE_UNAVAILABLE, INSUFFICIENT_BALANCE
 * (nothing stored), SEND_REJECTED (stored as failed, coins free again), IDEMPOTENCY_MISMATCH.
 */
export async function sendCoins(deps: SendCoinsDeps, input: SendCoinsInput): Promise<SendView> {
  const order = readOrder(input);
  const { idempotencyKey } = input;
  const earlier = idempotencyKey === null ? null : await findRepeat(deps.db, order, idempotencyKey);
  if (earlier !== null) return answer(deps.db, earlier);

  const adapter = chainFor(deps.chains, order);
  const quote = await quoteFee(adapter);
  const stored = await inTransaction(deps.db, async (tx) => {
    const repeat = idempotencyKey === null ? null : await findRepeat(tx, order, idempotencyKey);
    return repeat === null
      ? { fresh: true, ...(await storeSend(tx, deps, { order, adapter, quote, idempotencyKey })) }
      : { fresh: false, send: repeat, transaction: null };
  });
  if (stored.transaction === null) return answer(deps.db, stored.send);

  const { id } = stored.send;
  deps.logger.info({ sendId: id, coin: order.coin, mode: order.mode, txid: stored.send.txid }, 'send signed');
  const result = await handToNode(adapter, stored.transaction);
  return answer(deps.db, await settle(deps, stored.send, result));
}

async function findRepeat(db: Db, order: SendOrder, key: string): Promise<StoredSend | null> {
  const send = await findSendByKey(db, order.merchantId, key);
  return send === undefined ? null : repeatedSend(send, order);
}

/** Plans, signs, stores and reserves: all of it or nothing. */
async function storeSend(
  tx: Tx,
  deps: SendCoinsDeps,
  request: {
    readonly order: SendOrder;
    readonly adapter: ChainAdapter;
    readonly quote: FeeQuote;
    readonly idempotencyKey: string | null;
  },
): Promise<{ send: StoredSend; transaction: StoredTransaction }> {
  const { order, adapter, quote, idempotencyKey } = request;
  const { coin, mode } = order;
  const plan = await planOrder(tx, deps, order, { adapter, quote });
  if (plan.change !== null)
    await takeChangeAddress(tx, deps, { wallet: order, adapter, address: plan.change.address });
  const signed = adapter.signSend(plan, deps.keys);
  const now = deps.clock.now();
  const send: StoredSend = {
    id: newId('snd_'),
    merchant_id: order.merchantId,
    coin,
    mode,
    destination: plan.destination,
    subtract_fee: order.subtractFee ? 1 : 0,
    ordered: order.amount.toString(),
    amount: plan.amount.toString(),
    fee: plan.fee.toString(),
    status: 'signed',
    txid: signed.txid,
    version: 1,
    height: null,
    error: null,
    idempotency_key: idempotencyKey,
    created_at: now,
    updated_at: now,
    next_broadcast_at: now + deps.policy.firstAnswerMs,
    broadcasts: 0,
    announced_txid: null,
    confirmed_txid: null,
  };
  await insertSend(tx, send);
  await insertSendVersion(tx, {
    send_id: send.id,
    version: 1,
    coin,
    mode,
    txid: signed.txid,
    raw: signed.raw,
    fee: send.fee,
    fee_rate: plan.feeRate.toString(),
    plan_json: writePlan(plan),
    created_at: now,
  });
  const refs = plan.inputs.map(({ ref }) => ref);
  await reserveOutputs(tx, order, refs, send.id);
  return { send, transaction: signed };
}

async function settle(deps: SendCoinsDeps, send: StoredSend, result: BroadcastResult): Promise<StoredSend> {
  const settled = await inTransaction(deps.db, async (tx) =>
    recordAnswer(tx, deps, { sendId: send.id, version: send.version, result, neverOffered: true }),
  );
  deps.wakeWebhooks();
  return settled;
}

async function answer(db: Db, send: StoredSend): Promise<SendView> {
  if (send.status === 'failed') {
    throw new AppError('SEND_REJECTED', `the network refused this send: ${send.error ?? 'no reason given'}`);
  }
  return viewSend(send, await findCursor(db, send));
}
