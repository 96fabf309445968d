import type { ChainAdapter, FeeQuote } from '../../../domain/chain.ts';
import { orderBudget, requireWithin } from '../../../domain/send/fee-budget.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import type { Preparation } from '../../../domain/send/plan-preparation.ts';
import type { Clock, Rates } from '../../../domain/ports.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { writeOutputs } from '../../../store/sends/send-outputs.ts';
import { findSend, insertSend, type StoredSend } from '../../../store/sends/sends.ts';
import { reserveOutputs } from '../../../store/ledger/reservations.ts';
import { leavingTerms, orderedAmount } from './store-send.ts';
import type { SendOrder } from './send-order.ts';

/**
 * Stores a send that needs more outputs than one transaction spends, and reserves them: parts gather them,
 * then it is signed. Until then its fee and, where the fee is taken from it, its amount are those of the
 * plan.
 * @throws {AppError} FEE_ABOVE_LIMIT, APPROVAL_REQUIRED
 */
export async function storePreparation(
  tx: Tx,
  deps: {
    readonly clock: Clock;
    readonly rates: Pick<Rates, 'quote'>;
    readonly policy: Pick<SendPolicy, 'maxFeeShareBps' | 'surplusDepth'>;
  },
  request: {
    readonly sendId: string;
    readonly order: SendOrder;
    readonly adapter: ChainAdapter;
    readonly preparation: Preparation;
    readonly quote: FeeQuote;
    readonly idempotencyKey: string | null;
  },
): Promise<StoredSend> {
  const { clock, policy } = deps;
  const { sendId, order, adapter, preparation, quote, idempotencyKey } = request;
  const { coin, mode } = order;
  const { funds, parts, last, fee } = preparation;
  const now = clock.now();
  const totals = { fee, amount: last.amount, feeRate: last.feeRate };
  const ordered = orderedAmount(order, totals);
  const budget = orderBudget({ amount: ordered, maxFee: order.maxFee }, totals, { policy, quote });
  requireWithin(budget, fee, coin);
  const row = {
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
    reason: order.reason ?? null,
    outputsJson: writeOutputs(order.outputs ?? null),
  } as const;
  await insertSend(tx, row, leavingTerms(deps, { order, adapter, ordered, now }));
  const refs = funds.map(({ ref }) => ref);
  await reserveOutputs(tx, order, refs, sendId);
  const send = await findSend(tx, sendId);
  if (send === undefined) throw new Error(`send ${sendId} is missing`);
  return send;
}
