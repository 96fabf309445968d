import { z } from 'zod';
import { COINS } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { toCreator } from '../../../store/creators.ts';
import type { StoredApproval } from '../../../store/sends/send-approvals.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { viewHeldSend } from './held-send.ts';
import type { Approve, SendCoinsDeps, SendRequest } from './make-send.ts';
import { type PlacedSend, placeSend } from './place-send.ts';
import {
  EVERYTHING,
  readOrder,
  requireCurrentMode,
  type SendInput,
  type SendOrder,
  type WalletOwner,
} from './send-order.ts';
import { viewSend, type SendView } from './send-view.ts';

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
