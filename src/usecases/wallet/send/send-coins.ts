import { z } from 'zod';
import { outputKey } from '../../../domain/chain.ts';
import { COINS } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { findCursor } from '../../../store/chain/chain-cursors.ts';
import { toCreator } from '../../../store/creators.ts';
import type { StoredApproval } from '../../../store/sends/send-approvals.ts';
import { findWatchAccount } from '../../../store/ledger/watch-accounts.ts';
import { findPsbt } from '../../../store/sends/send-psbts.ts';
import { listVersions } from '../../../store/sends/send-versions.ts';
import { writeOutputs } from '../../../store/sends/send-outputs.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { readPlan } from '../lifecycle/stored-plan.ts';
import { viewHeldSend } from './held-send.ts';
import type { Approve, SendCoinsDeps, SendRequest } from './make-send.ts';
import { type PlacedSend, sendOrHold } from './send-or-hold.ts';
import {
  EVERYTHING,
  readOrder,
  requireCurrentMode,
  type SendInput,
  type SendOrder,
  type WalletOwner,
} from './send-order.ts';
import { viewSend, type SendView } from './send-view.ts';
import { findUnsignedPsbt } from './get-send.ts';
import { addPreviousTransactions } from './previous-transactions.ts';
import { OWN_WALLET } from './watched-account.ts';
import { withSource } from './watched-source.ts';

export interface SendCoinsInput extends SendInput {
  /** A merchant's key always names the same send, also after a crash. */
  readonly idempotencyKey: string | null;
}

/**
 * Sends coins from the merchant's wallet: the use case behind the API, which reads and checks the request; sendOrHold
 * holds it or has makeSend make it, and storeSend stores it. The signed bytes are stored and their coins reserved before the
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
  const placed = await sendOrHold(deps, toRequest(deps, input));
  if (placed.send?.byPsbt === true) await addPreviousTransactions(deps, placed.send);
  return viewPlaced(deps.db, placed);
}

function toRequest(deps: SendCoinsDeps, input: SendCoinsInput): SendRequest {
  const order = readOrder(input);
  const { destination, amount, outputs, inputs, coin, from, subtractFee, maxFee, feeRate, note } = input;
  return {
    merchantId: order.merchantId,
    creator: order.creator ?? null,
    idempotencyKey: input.idempotencyKey,
    repeated: async (db, earlier) => requireSameOrder(db, earlier, { ...order, from }),
    order: async (db) => withSource(db, deps, order, from),
    hold: {
      kind: 'send',
      note,
      request: { destination, amount, outputs, inputs, coin, from, subtractFee, maxFee, feeRate, note },
    },
  };
}

async function viewPlaced(db: Db, { send, held }: PlacedSend): Promise<SendView> {
  if (send === null) return viewHeldSend(held);
  return viewSend(send, await findCursor(db, send), { unsigned: await findUnsignedPsbt(db, send) });
}

const storedRequest = z.object({
  destination: z.string().optional(),
  amount: z.string().optional(),
  outputs: z.array(z.object({ destination: z.string(), amount: z.string() })).optional(),
  inputs: z.array(z.object({ txHash: z.string(), index: z.int() })).optional(),
  coin: z.enum(COINS),
  from: z.string().optional(),
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
  const { id, mode, idempotencyKey, maxFee, watchId } = held;
  const request = storedRequest.parse(JSON.parse(held.requestJson));
  const isEverything = request.amount?.trim() === EVERYTHING;
  const fixed = isEverything
    ? { amount: formatCoinAmount(BigInt(held.ordered), held.coin), subtractFee: true }
    : {};
  // From where its approver saw it come, also where new orders are paid elsewhere since.
  const from = watchId ?? OWN_WALLET;
  const input = { ...request, ...fixed, from, merchant, mode, creator: toCreator(held), idempotencyKey };
  requireCurrentMode(input);
  const approval = { id, maxFee: BigInt(maxFee), approve };
  const placed = await sendOrHold(deps, { ...toRequest(deps, input), approval });
  if (placed.send?.byPsbt === true) await addPreviousTransactions(deps, placed.send);
  return viewPlaced(deps.db, placed);
}

/**
 * The stored send when an order repeats it under the same idempotency key.
 * @throws {AppError} IDEMPOTENCY_MISMATCH when the order differs.
 */
async function requireSameOrder(
  db: Db,
  send: StoredSend,
  order: SendOrder & Pick<SendInput, 'from'>,
): Promise<StoredSend> {
  const same =
    send.coin === order.coin &&
    send.mode === order.mode &&
    send.destination === order.destination &&
    send.outputsJson === writeOutputs(order.outputs ?? null) &&
    send.subtractFee === order.subtractFee &&
    send.everything === (order.everything === true) &&
    send.note === (order.note ?? null) &&
    (send.feeTermsJson === null || send.feeTermsJson === order.feeTermsJson) &&
    (order.everything === true || BigInt(send.ordered) === order.amount);
  if (same && (await hasSameInputs(db, send, order)) && (await hasSameSource(db, send, order))) return send;
  throw new AppError('IDEMPOTENCY_MISMATCH', 'this Idempotency-Key was used for a different send');
}

/** Whether it took its money from where an order says; an order that names no source does not. */
async function hasSameSource(
  db: Db,
  { id, byPsbt }: StoredSend,
  { from }: Pick<SendInput, 'from'>,
): Promise<boolean> {
  if (from === undefined) return true;
  if (from === OWN_WALLET) return !byPsbt;
  const [stored, account] = [await findPsbt(db, id), await findWatchAccount(db, from)];
  return account !== undefined && stored?.accountNumber === account.number;
}

/** Whether both leave the choice of their inputs to the wallet, or chose the same. */
async function hasSameInputs(
  db: Db,
  send: StoredSend,
  { inputs = null }: Pick<SendOrder, 'inputs'>,
): Promise<boolean> {
  if (inputs === null || !send.coinControl) return (inputs !== null) === send.coinControl;
  const [first] = await listVersions(db, send.id);
  if (first === undefined) return false;
  const spent = new Set(readPlan(first.planJson).inputs.map(({ ref }) => outputKey(ref)));
  return spent.size === inputs.length && inputs.every((ref) => spent.has(outputKey(ref)));
}
