import { ChainError, type BlockRef, type ChainAdapter, type Fate } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { findCursor } from '../../store/chain-cursors.ts';
import type { Db, Tx } from '../../store/database.ts';
import {
  findSend,
  isReverted,
  updateSend,
  versionsOf,
  type StoredSend,
  type StoredSendVersion,
} from '../../store/sends.ts';
import { holdsUnconfirmed } from '../../store/spendable.ts';
import { provenHash } from '../chain/proven-hash.ts';
import { failSend } from './fail-send.ts';
import { areLostForGood } from './lost-for-good.ts';
import { recordAnswer, type RecordAnswerDeps } from './record-answer.ts';
import { renewSend, type Renewal, type RenewSendDeps } from './renew-send.ts';
import { mayBePaidUnseen } from './may-be-paid-unseen.ts';
import { sendsFromOneAddress, spendsAccounts } from './sender.ts';
import { transactionOf } from './stored-plan.ts';
import { takeBackOutputs } from './take-back-outputs.ts';

/** What the node said about the versions of a send. */
export interface Verdict {
  /** By txid; a version without an entry is unknown. */
  readonly fates: ReadonlyMap<string, Fate>;
  /** The block up to which the node's answer holds; null when it gave none. */
  readonly tipHash: string | null;
}

/**
 * Asks the chain about every version of a send; without an answer nothing is known. Where sends are ordered by a nonce,
 * one that another transaction used counts as used only in a block that is buried. Waits for the network.
 */
export async function askVerdict(
  adapter: ChainAdapter,
  versions: readonly StoredSendVersion[],
  { cursor, buriedDepth }: { readonly cursor: BlockRef | undefined; readonly buriedDepth: number },
): Promise<Verdict> {
  try {
    const at = sendsFromOneAddress(adapter) ? await buriedBlock(adapter, cursor, buriedDepth) : cursor;
    const fates = await adapter.recheck(versions.map(transactionOf), at);
    return { fates, tipHash: await provenHash(adapter, cursor) };
  } catch {
    return { fates: new Map(), tipHash: null };
  }
}

async function buriedBlock(
  adapter: ChainAdapter,
  cursor: BlockRef | undefined,
  depth: number,
): Promise<BlockRef | undefined> {
  if (cursor === undefined) return undefined;
  const height = Math.max(0, cursor.height - depth + 1);
  const hash = await adapter.hashAt(height);
  if (hash === null) throw new ChainError('unavailable', `the node does not show block ${height}`);
  return { height, hash };
}

/**
 * Decides about a send whose bytes were refused although an earlier offer may have reached the
 * network: a version the network knows is the send; only when every version is proven impossible
 * does it fail. Mined long ago looks impossible too, and to a node of another chain everything does,
 * so the ledger must have read exactly the blocks the node has; so does a version whose coins a reorg
 * took out of the chain, so none may be in that state. Without proof its coins stay reserved and it
 * is offered again.
 */
export async function resolveRefusal(
  tx: Tx,
  deps: RecordAnswerDeps & RenewSendDeps,
  refused: {
    readonly sendId: string;
    readonly version: number;
    readonly reason: string;
    readonly verdict: Verdict;
    /** How to sign it anew where transactions expire. */
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
    await makeCurrent(tx, deps, send, present);
    const { version } = present;
    return recordAnswer(tx, deps, { sendId, version, result: { kind: 'accepted' }, neverOffered: false });
  }
  const isPossible = (version: StoredSendVersion) => fateOf(version) !== 'gone';
  const possible =
    versions.find((version) => version.version === send.version && isPossible(version)) ??
    versions.filter(isPossible).at(-1);
  if (possible === undefined && (await isProof(tx, deps, { send, versions, verdict }))) {
    await takeBackOutputs(tx, deps, send, versions);
    const newest = versions.at(-1);
    const renewed =
      refused.renewal === null || newest === undefined
        ? 'impossible'
        : await renewSend(tx, deps, refused.renewal, { send, newest });
    if (renewed === 'impossible') return failSend(tx, deps, send, reason);
    if (renewed !== 'later') return renewed;
    return recordAnswer(tx, deps, { sendId, version: send.version, result: unclear, neverOffered: false });
  }
  const fields = { sendId, coin: send.coin, mode: send.mode, txid: send.txid, reason };
  // Where transactions expire, what a fork took is signed anew as soon as its end is proven.
  if (refused.renewal !== null && possible === undefined) {
    deps.logger.info(fields, 'the node refuses a send; it is signed anew once nothing can land any more');
  } else {
    deps.logger.error(fields, 'the node refuses a send that may be known elsewhere: its coins stay reserved');
  }
  if (possible !== undefined) await makeCurrent(tx, deps, send, possible);
  const version = possible?.version ?? send.version;
  return recordAnswer(tx, deps, { sendId, version, result: unclear, neverOffered: false });
}

async function isProof(
  tx: Tx,
  { policy }: Pick<RecordAnswerDeps, 'policy'>,
  { send, versions, verdict }: { send: StoredSend; versions: readonly StoredSendVersion[]; verdict: Verdict },
): Promise<boolean> {
  if (await mayBePaidUnseen(tx, send)) return false;
  if (!(await isProvenOn(tx, send, verdict)) || (await holdsUnconfirmed(tx, send))) return false;
  if (spendsAccounts(send)) return true;
  const cursor = await findCursor(tx, send);
  return cursor !== undefined && areLostForGood(tx, send, versions, cursor.height - policy.surplusDepth + 1);
}

/** Whether the ledger has read exactly the blocks on which the node's answer stands. */
export async function isProvenOn(db: Db, chain: ChainId, { tipHash }: Verdict): Promise<boolean> {
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
