import type { FeeQuote } from '../../../domain/chain.ts';
import { orderBudget, requireWithin } from '../../../domain/send/fee-budget.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import type { Preparation } from '../../../domain/send/parts.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { findSend, insertSend, type StoredSend } from '../../../store/sends/sends.ts';
import { reserveOutputs } from '../../../store/ledger/spendable.ts';
import { orderedAmount } from './store-send.ts';
import type { SendOrder } from './send-order.ts';

/**
 * Stores a send that needs more outputs than one transaction spends, and reserves them: parts gather them,
 * then it is signed. Until then its fee and, where the fee is taken from it, its amount are those of the
 * plan.
 * @throws {AppError} FEE_ABOVE_LIMIT
 */
export async function storePreparation(
  tx: Tx,
  { clock, policy }: { readonly clock: Clock; readonly policy: Pick<SendPolicy, 'maxFeeShareBps'> },
  request: {
    readonly sendId: string;
    readonly order: SendOrder;
    readonly preparation: Preparation;
    readonly quote: FeeQuote;
    readonly idempotencyKey: string | null;
  },
): Promise<StoredSend> {
  const { sendId, order, preparation, quote, idempotencyKey } = request;
  const { coin, mode } = order;
  const { funds, parts, last, fee } = preparation;
  const now = clock.now();
  const totals = { fee, amount: last.amount, feeRate: last.feeRate };
  const ordered = orderedAmount(order, totals);
  const budget = orderBudget({ amount: ordered, maxFee: order.maxFee }, totals, { policy, quote });
  requireWithin(budget, fee, coin);
  await insertSend(tx, {
    id: sendId,
    merchantId: order.merchantId,
    coin,
    mode,
    purpose: 'send',
    lane: null,
    nonce: null,
    destination: order.destination,
    subtractFee: order.subtractFee,
    ordered: ordered.toString(),
    amount: last.amount.toString(),
    fee: fee.toString(),
    status: 'preparing',
    txid: null,
    version: 0,
    height: null,
    error: null,
    idempotencyKey,
    createdAt: now,
    updatedAt: now,
    nextBroadcastAt: now,
    broadcasts: 0,
    announcedTxid: null,
    confirmedTxid: null,
    everything: order.everything === true,
    maxFee: budget.toString(),
    note: order.note ?? null,
    displacedHeight: null,
    partOf: null,
    parts: parts.length,
    orderedRate: order.feeRate?.toString() ?? null,
  });
  const refs = funds.map(({ ref }) => ref);
  await reserveOutputs(tx, order, refs, sendId);
  const send = await findSend(tx, sendId);
  if (send === undefined) throw new Error(`send ${sendId} is missing`);
  return send;
}
