import type { BroadcastResult } from '../../domain/chain.ts';
import { assertNever } from '../../domain/errors.ts';
import type { Logger } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { findSend, isReverted, updateSend, type StoredSend } from '../../store/sends/sends.ts';
import { versionsOf } from '../../store/sends/send-versions.ts';
import type { ApplyFactsDeps } from '../payments/apply-facts.ts';
import { recordRefund } from '../refunds/record-refund.ts';
import { emitSendEvent } from '../sends/emit-send-event.ts';
import { failSend } from './fail-send.ts';
import { noteChange } from './note-change.ts';
import { readPlan } from './stored-plan.ts';
import { rebroadcastGapMs, retryDelayMs, type SendPolicy } from '../sends/send-policy.ts';

export interface RecordAnswerDeps extends ApplyFactsDeps {
  readonly logger: Logger;
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
export async function recordAnswer(tx: Tx, deps: RecordAnswerDeps, answer: Answer): Promise<StoredSend> {
  const send = await findSend(tx, answer.sendId);
  if (send === undefined) throw new Error(`send ${answer.sendId} is missing`);
  const { result } = answer;
  if (result.kind !== 'accepted') {
    const { id, coin, mode, txid, status } = send;
    deps.logger.warn(
      { sendId: id, coin, mode, txid, status, reason: result.reason },
      `broadcast ${result.kind}`,
    );
  }
  if (send.status === 'failed' && result.kind === 'accepted') {
    deps.logger.error({ sendId: send.id, txid: send.txid }, 'node accepted a send recorded as failed');
  }
  if (send.status === 'confirmed' || send.status === 'failed' || isReverted(send)) return send;
  // A refused replacement changes nothing: the network still knows the older version.
  if (result.kind !== 'accepted' && answer.version > send.version) {
    return updateSend(tx, send.id, { next_broadcast_at: deps.clock.now() }, deps.clock.now());
  }
  switch (result.kind) {
    case 'accepted':
      return recordAccepted(tx, deps, send, answer.version);
    case 'rejected':
      // An expired one is not refused for good: it pays once it is signed anew.
      return answer.neverOffered && send.broadcasts === 0 && result.isExpired !== true
        ? recordRefused(tx, deps, send, { version: answer.version, reason: result.reason })
        : recordUnclear(tx, deps, send);
    case 'unknown':
      return recordUnclear(tx, deps, send);
    default:
      return assertNever(result);
  }
}

/** Makes the version that a node accepted the current one of the send, whichever that is. */
async function recordAccepted(
  tx: Tx,
  deps: RecordAnswerDeps,
  send: StoredSend,
  number: number,
): Promise<StoredSend> {
  const now = deps.clock.now();
  const version = (await versionsOf(tx, send.id)).find((each) => each.version === number);
  if (version === undefined) throw new Error(`send ${send.id} has no version ${number}`);
  const { txid, fee, cancels } = version;
  const isNews = cancels === 0 && send.announced_txid !== txid;
  const updated = await updateSend(
    tx,
    send.id,
    {
      status: 'broadcast',
      version: number,
      txid,
      fee,
      broadcasts: number === send.version ? send.broadcasts + 1 : 1,
      next_broadcast_at: now + rebroadcastGapMs(deps.policy, send.coin),
      ...(send.purpose === 'sweep' ? { amount: readPlan(version.plan_json).amount.toString() } : {}),
      ...(isNews ? { announced_txid: txid } : {}),
      displaced_height: null,
    },
    now,
  );
  const adapter = deps.chains.get(send.coin, send.mode);
  if (adapter !== null) await noteChange(tx, deps, { adapter, send: updated, version });
  if (isNews) await emitSendEvent(tx, deps, 'send.broadcast', updated);
  await recordRefund(tx, deps, updated);
  return updated;
}

/** No node has relayed these bytes. An older version may still be in the network. */
async function recordRefused(
  tx: Tx,
  deps: RecordAnswerDeps,
  send: StoredSend,
  refused: { readonly version: number; readonly reason: string },
): Promise<StoredSend> {
  const older = (await versionsOf(tx, send.id)).filter(({ version }) => version < refused.version).at(-1);
  if (older === undefined) return failSend(tx, deps, send, refused.reason);
  const now = deps.clock.now();
  const { version, txid, fee } = older;
  return updateSend(tx, send.id, { version, txid, fee, next_broadcast_at: now }, now);
}

async function recordUnclear(tx: Tx, deps: RecordAnswerDeps, send: StoredSend): Promise<StoredSend> {
  const now = deps.clock.now();
  const broadcasts = send.broadcasts + 1;
  const next = now + retryDelayMs(deps.policy, broadcasts);
  return updateSend(tx, send.id, { broadcasts, next_broadcast_at: next }, now);
}
