import type { BroadcastResult } from '../../../domain/chain.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { applySendFact, type ApplySendFactDeps } from './apply-send-fact.ts';

export interface RecordBroadcastDeps extends ApplySendFactDeps {
  readonly policy: SendPolicy;
}

export interface Answer {
  readonly sendId: string;
  /** The version that was broadcast. */
  readonly version: number;
  readonly result: BroadcastResult;
  /**
   * No earlier broadcast of these bytes can have reached a node: only then does a refusal prove that they will never
   * confirm. After a crash or an unclear answer it does not.
   */
  readonly neverOffered: boolean;
}

/** Records the node's answer to a broadcast, in a transaction of its own. Returns the send as it is now. */
export async function recordBroadcastResult(
  tx: Tx,
  deps: RecordBroadcastDeps,
  { sendId, ...answer }: Answer,
): Promise<StoredSend> {
  const { policy, logger } = deps;
  const { before, send } = await applySendFact(tx, deps, sendId, { type: 'answered', ...answer, policy });
  const { coin, mode, txid, status } = before;
  const { result } = answer;
  if (result.kind !== 'accepted') {
    const message =
      result.kind === 'rejected'
        ? 'node rejected the broadcast of a send'
        : 'broadcast of a send without a clear answer; it may be in the network, and is rebroadcast';
    logger.warn({ sendId, coin, mode, txid, status, reason: result.reason }, message);
  } else if (status === 'failed') {
    logger.error({ sendId, txid }, 'node accepted a send recorded as failed');
  }
  return send;
}
