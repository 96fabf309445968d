import type { ChainAdapter, FeeQuote } from '../../domain/chain.ts';
import type { KeySource } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Tx } from '../../store/database.ts';
import { insertSendVersion, updateSend, type StoredSend, type StoredSendVersion } from '../../store/sends.ts';
import type { SendPolicy } from './send-policy.ts';
import { readPlan, writePlan } from './stored-plan.ts';

export interface RenewSendDeps {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keys: KeySource;
  readonly policy: SendPolicy;
}

/** The chain, and what it said about a new transaction's date after it was asked about the old ones. */
export interface Renewal {
  readonly adapter: Pick<ChainAdapter, 'planRenewal' | 'signSend'>;
  readonly quote: FeeQuote;
}

/**
 * Signs a send anew, for the same payment from the same money. Only for sends none of whose versions
 * can ever land, which the caller has proven. The new bytes are offered by the next round. Null when
 * the chain knows no such thing or the send had its share of versions.
 */
export async function renewSend(
  tx: Tx,
  deps: RenewSendDeps,
  renewal: Renewal,
  expired: { readonly send: StoredSend; readonly newest: StoredSendVersion },
): Promise<StoredSend | null> {
  const { send, newest } = expired;
  const { adapter, quote } = renewal;
  if (newest.version >= deps.policy.maxVersions) return null;
  const plan = adapter.planRenewal?.(readPlan(newest.plan_json), quote) ?? null;
  if (plan === null) return null;
  const { txid, raw } = adapter.signSend(plan, deps.keys);
  const version = newest.version + 1;
  const now = deps.clock.now();
  const fee = plan.fee.toString();
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
  deps.logger.info({ sendId: id, version, txid, expired: newest.txid }, 'an expired send was signed anew');
  return updateSend(tx, id, { version, txid, fee, broadcasts: 0, next_broadcast_at: now }, now);
}
