import type { ChainAdapter, TransactionFate } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findSend, isReverted, updateSend, type StoredSend } from '../../store/sends/sends.ts';
import { versionsOf, type StoredSendVersion } from '../../store/sends/send-versions.ts';
import { conflictedOf } from '../../store/ledger/raw-transactions.ts';
import { unminedInputs } from '../../store/ledger/spendable.ts';
import { provenHash } from '../chain-sync/proven-hash.ts';
import { failSend } from './fail-send.ts';
import { recordAnswer, type RecordAnswerDeps } from './record-answer.ts';
import { renewSend, type Renewal, type RenewSendDeps } from './renew-send.ts';
import { mayBePaidUnseen } from './may-be-paid-unseen.ts';
import { transactionOf } from './stored-plan.ts';
import { revertCredits } from './take-back-outputs.ts';

/** The node's report on the versions of a send. */
export interface StatusReport {
  /** By txid; a version without an entry is unknown. */
  readonly fates: ReadonlyMap<string, TransactionFate>;
  /** The tip that the node's answer is based on; null when it gave none. */
  readonly tipHash: string | null;
}

/** Queries the status of every version of a send. No answer means nothing is known. Waits for the network. */
export async function queryStatus(
  db: Db,
  adapter: ChainAdapter,
  { send, versions }: { readonly send: StoredSend; readonly versions: readonly StoredSendVersion[] },
): Promise<StatusReport> {
  const cursor = await findCursor(db, send);
  try {
    const fates = await adapter.recheck(versions.map(transactionOf), cursor, 'final');
    return { fates, tipHash: await provenHash(adapter, cursor) };
  } catch {
    return { fates: new Map(), tipHash: null };
  }
}

/**
 * Decides about a send whose bytes were refused although an earlier broadcast may have reached the network: a version
 * that the network knows becomes the current one; the send fails only when every version is proven impossible. A
 * version mined long ago also looks impossible, as does any version to a node of another chain, so the ledger must
 * have read exactly the node's blocks; likewise one whose inputs a reorganisation unconfirmed, so no input may be in
 * that state. A fork can still revert the displacing transaction: the proof must hold for some blocks, except where
 * transactions expire, which is proven by final blocks. Without proof its coins stay reserved and it is broadcast
 * again.
 */
export async function resolveRefusal(
  tx: Tx,
  deps: RecordAnswerDeps & RenewSendDeps,
  refused: {
    readonly sendId: string;
    readonly version: number;
    readonly reason: string;
    readonly verdict: StatusReport;
    /** Terms for signing it anew, where transactions expire. */
    readonly renewal: Renewal | null;
  },
): Promise<StoredSend> {
  const { sendId, verdict, reason } = refused;
  const unclear = { kind: 'unknown', reason } as const;
  const send = await findSend(tx, sendId);
  if (send === undefined) throw new Error(`send ${sendId} is missing`);
  if (send.status === 'confirmed' || send.status === 'failed' || isReverted(send)) return send;
  const versions = await versionsOf(tx, sendId);
  const fateOf = (version: StoredSendVersion) => verdict.fates.get(version.txid) ?? 'unknown';
  const present = versions.filter((version) => fateOf(version) === 'present').at(-1);
  if (present !== undefined) {
    await noteDisplaced(tx, deps, send, null);
    await makeCurrent(tx, deps, send, present);
    const { version } = present;
    return recordAnswer(tx, deps, { sendId, version, result: { kind: 'accepted' }, neverOffered: false });
  }
  const isPossible = (version: StoredSendVersion) => fateOf(version) !== 'gone';
  const possible =
    versions.find((version) => version.version === send.version && isPossible(version)) ??
    versions.filter(isPossible).at(-1);
  if (possible === undefined && (await isProof(tx, send, verdict))) {
    await revertCredits(tx, deps, send, versions);
    const newest = versions.at(-1);
    if (refused.renewal !== null && newest !== undefined) {
      const renewed = await renewSend(tx, deps, refused.renewal, { send, newest });
      if (renewed === 'impossible') return failSend(tx, deps, send, reason);
      if (renewed !== 'later') return renewed;
    } else if (await isDisplacedForGood(tx, deps, send)) return failSend(tx, deps, send, reason);
    return recordAnswer(tx, deps, { sendId, version: send.version, result: unclear, neverOffered: false });
  }
  await noteDisplaced(tx, deps, send, null);
  const fields = { sendId, coin: send.coin, mode: send.mode, txid: send.txid, reason };
  // Where transactions expire, one that a fork displaced is signed anew as soon as its expiry is proven.
  if (refused.renewal !== null && possible === undefined) {
    deps.logger.info(fields, 'node refuses a send: it is signed anew once no version can land any more');
  } else {
    deps.logger.error(fields, 'node refuses a send that other nodes may know: its coins stay reserved');
  }
  if (possible !== undefined) await makeCurrent(tx, deps, send, possible);
  const version = possible?.version ?? send.version;
  return recordAnswer(tx, deps, { sendId, version, result: unclear, neverOffered: false });
}

async function isProof(tx: Tx, send: StoredSend, verdict: StatusReport): Promise<boolean> {
  if (await mayBePaidUnseen(tx, send)) return false;
  if (!(await isProvenOn(tx, send, verdict))) return false;
  return !(await mayGetInputsBack(tx, send));
}

/**
 * Whether an input of a send is in no block now but may be mined again: then the send may be, too. Only a block that
 * holds a conflicting spend rules that out; a node that does not have it proves nothing.
 */
export async function mayGetInputsBack(db: Db, send: StoredSend): Promise<boolean> {
  const { unconfirmed, gone } = await unminedInputs(db, send);
  if (unconfirmed.length > 0) return true;
  const conflicted = await conflictedOf(db, send, gone);
  return gone.some((txid) => !conflicted.has(txid));
}

/** Whether a send has been displaced (no version can be mined) for enough blocks; records the height otherwise. */
async function isDisplacedForGood(tx: Tx, deps: RecordAnswerDeps, send: StoredSend): Promise<boolean> {
  const cursor = await findCursor(tx, send);
  if (cursor === undefined) return false;
  const since = Math.min(send.displaced_height ?? cursor.height, cursor.height);
  if (cursor.height - since + 1 >= deps.policy.surplusDepth) return true;
  await noteDisplaced(tx, deps, send, since);
  return false;
}

/** Records the height since which no version of a send can be mined; null: one can. */
async function noteDisplaced(
  tx: Tx,
  { clock }: Pick<RecordAnswerDeps, 'clock'>,
  send: StoredSend,
  height: number | null,
): Promise<void> {
  if (send.displaced_height === height) return;
  await updateSend(tx, send.id, { displaced_height: height }, clock.now());
}

/** Whether the ledger's cursor is exactly the tip that the node's answer is based on. */
export async function isProvenOn(db: Db, chain: ChainId, { tipHash }: StatusReport): Promise<boolean> {
  const cursor = await findCursor(db, chain);
  return tipHash !== null && cursor?.hash === tipHash;
}

async function makeCurrent(
  tx: Tx,
  deps: RecordAnswerDeps,
  send: StoredSend,
  to: StoredSendVersion,
): Promise<void> {
  if (send.version === to.version) return;
  const { version, txid, fee } = to;
  await updateSend(tx, send.id, { version, txid, fee }, deps.clock.now());
}
