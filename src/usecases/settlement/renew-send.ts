import type { ChainAdapter, FeeQuote, OutputRef, PlanSigner, SendPlan } from '../../domain/chain.ts';
import { AppError } from '../../domain/errors.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  insertSendVersion,
  updateSend,
  type StoredSend,
  type StoredSendVersion,
} from '../../store/sends/sends.ts';
import { releaseOutputs, reserveOutputs } from '../../store/ledger/spendable.ts';
import { fitsHeld } from '../sends/drawable-funds.ts';
import { feeLimitOf } from '../sends/fee-limits.ts';
import { planOrder, type PlanOrderDeps } from '../sends/plan-order.ts';
import type { SendPolicy } from '../sends/send-policy.ts';
import { readPlan, writePlan } from './stored-plan.ts';

export interface RenewSendDeps extends PlanOrderDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly sign: PlanSigner;
  readonly policy: SendPolicy;
}

/** The chain, and what it said about a new transaction's date after it was asked about the old ones. */
export interface Renewal {
  readonly adapter: ChainAdapter;
  readonly quote: FeeQuote;
}

/** How long money that an account's ledger does not know yet is waited for: it may only have come this moment. */
const PATIENCE_MS = 10 * 60_000;

/**
 * Signs a send anew, for the same payment from the same money; from other money where the accounts no
 * longer hold what it was planned with, for it would fail again. Only for sends none of whose versions
 * can ever land, which the caller has proven. The new bytes are offered by the next round.
 * `impossible`: the chain knows no such thing, the send had its share of versions, or nothing can pay
 * for it; `later`: nothing was changed, and it may be possible soon.
 */
export async function renewSend(
  tx: Tx,
  deps: RenewSendDeps,
  renewal: Renewal,
  expired: { readonly send: StoredSend; readonly newest: StoredSendVersion },
): Promise<StoredSend | 'impossible' | 'later'> {
  const { send, newest } = expired;
  const { adapter, quote } = renewal;
  if (adapter.expiry === undefined || newest.version >= deps.policy.maxVersions) return 'impossible';
  const previous = readPlan(newest.plan_json);
  const feeLimit = feeLimitOf(send, deps.policy);
  const same = adapter.expiry.planRenewal(previous, quote, {
    subtractFee: send.subtract_fee === 1,
    feeLimit,
  });
  // The node that dates new ones is not as far as the one that proved the old one's end.
  if (same === null) return 'later';
  const isSame = fitsHeld(same, quote.held);
  const plan = isSame ? same : await planAround(tx, deps, renewal, { send, same });
  if (plan === null) {
    const ageMs = deps.clock.now() - newest.created_at;
    if (send.purpose !== 'send' || ageMs < 0 || ageMs >= PATIENCE_MS) return 'impossible';
    await reserveOutputs(tx, send, refsOf(previous), send.id);
    return 'later';
  }
  const { txid, raw } = deps.sign(adapter, plan);
  const version = newest.version + 1;
  const now = deps.clock.now();
  const fee = plan.fee.toString();
  const amount = plan.amount.toString();
  const { id, coin, mode } = send;
  await insertSendVersion(tx, {
    send_id: id,
    version,
    coin,
    mode,
    txid,
    raw,
    fee,
    fee_rate: plan.feeRate.toString(),
    plan_json: writePlan(plan),
    created_at: now,
  });
  const told = { sendId: id, coin, mode, version, txid, expired: newest.txid };
  if (isSame) deps.logger.info(told, 'an expired send was signed anew');
  else {
    // Two transactions that draw on different accounts could both land, so this rests on the proof alone.
    deps.logger.error(
      { ...told, before: accountsOf(previous), now: accountsOf(plan) },
      'an expired send was signed anew from other accounts: those it was planned with hold something else than the ledger says',
    );
  }
  return updateSend(tx, id, { version, txid, amount, fee, broadcasts: 0, next_broadcast_at: now }, now);
}

/** The same order from what can be drawn on now, its old money included, taken for it; null when that does not do. */
async function planAround(
  tx: Tx,
  deps: RenewSendDeps,
  { adapter, quote }: Renewal,
  { send, same }: { readonly send: StoredSend; readonly same: SendPlan },
): Promise<SendPlan | null> {
  const account = same.inputs[0]?.keyPath.account;
  // Deposits that are gathered are chosen anew by the next gathering.
  if (account === undefined || send.purpose !== 'send') return null;
  await releaseOutputs(tx, send.id);
  const order = {
    coin: send.coin,
    mode: send.mode,
    merchantId: send.merchant_id,
    account,
    destination: send.destination,
    amount: BigInt(send.ordered),
    subtractFee: send.subtract_fee === 1,
    maxFee: send.max_fee === null ? null : BigInt(send.max_fee),
  };
  try {
    const plan = await planOrder(tx, deps, order, { adapter, quote });
    await reserveOutputs(tx, send, refsOf(plan), send.id);
    return plan;
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    deps.logger.warn({ sendId: send.id, reason: error.message }, 'no other money can pay for this send');
    return null;
  }
}

function accountsOf({ inputs }: SendPlan): string[] {
  return [...new Set(inputs.map(({ address }) => address))];
}

function refsOf({ inputs }: SendPlan): OutputRef[] {
  return inputs.map(({ ref }) => ref);
}
