import type { ChainAdapter, PlanSigner, SendPlan, SignedTransaction } from '../../../domain/chain.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { updateSend, type StoredSend } from '../../../store/sends/sends.ts';
import { insertSendVersion, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { changeIndex } from '../send/store-send.ts';
import { signPlan } from '../send/sign-plan.ts';
import { writePlan } from './stored-plan.ts';

export interface StoreVersionDeps {
  readonly clock: Clock;
  readonly sign: PlanSigner;
  readonly policy: SendPolicy;
}

/** A version that is signed and stored, and has to be broadcast. */
export interface NewVersion {
  readonly sendId: string;
  readonly version: number;
  readonly transaction: SignedTransaction;
  readonly plan: SendPlan;
}

/**
 * Signs and stores one more version of a send. The send refers to it only once a node has accepted it: until
 * then the network knows the older one. @throws {AppError} WALLET_FROZEN, except for a cancellation
 */
export async function storeVersion(
  tx: Tx,
  deps: StoreVersionDeps,
  next: {
    readonly send: StoredSend;
    /** Null: it has no version yet. */
    readonly newest: StoredSendVersion | null;
    readonly adapter: ChainAdapter;
    readonly plan: SendPlan;
    readonly cancels: boolean;
  },
): Promise<NewVersion> {
  const { send, newest, adapter, plan, cancels } = next;
  const transaction = await signPlan(tx, deps, { merchantId: send.merchantId, adapter, plan, cancels });
  const version = (newest?.version ?? 0) + 1;
  const now = deps.clock.now();
  await insertSendVersion(tx, {
    sendId: send.id,
    version,
    coin: send.coin,
    mode: send.mode,
    txid: transaction.txid,
    raw: transaction.raw,
    fee: plan.fee.toString(),
    feeRate: plan.feeRate.toString(),
    planJson: writePlan(plan),
    createdAt: now,
    changeIndex: changeIndex(transaction, plan, cancels ? 'cancel' : send.purpose),
    cancels,
  });
  // If this process ends before the node answers, the next one broadcasts it soon.
  const soon = now + deps.policy.firstAnswerMs;
  await updateSend(tx, send.id, { nextBroadcastAt: soon }, now);
  return { sendId: send.id, version, transaction, plan };
}
