import { type BlockRef, type ChainAdapter, ChainError, type TransactionFate } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { RejectionEvidence, SendFact } from '../../../domain/send/types.ts';
import { findCursor, rememberedBlocks } from '../../../store/chain/chain-cursors.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import type { StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { conflictHeights } from '../../../store/ledger/raw-transactions.ts';
import { unminedInputs } from '../../../store/ledger/spendable.ts';
import { provenBlockHash } from './proven-block-hash.ts';
import { applySendFact } from './apply-send-fact.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import type { RecordBroadcastDeps } from './record-broadcast-result.ts';
import { resignExpiredSend, type Renewal, type RenewSendDeps } from './resign-expired-send.ts';
import { toStoredTransaction } from './stored-plan.ts';

/** The node's report on the versions of a send. */
export interface StatusReport {
  /** By txid; a version without an entry is unknown. */
  readonly fates: ReadonlyMap<string, TransactionFate>;
  /** The tip that the node's answer is based on; null when it gave none. */
  readonly tipHash: string | null;
  /** The newest final block; null when it named none, or no version is unfunded. */
  readonly final: BlockRef | null;
}

/** Queries the status of every version of a send. No answer means nothing is known. Waits for the network. */
export async function queryStatus(
  db: Db,
  adapter: ChainAdapter,
  { send, versions }: { readonly send: StoredSend; readonly versions: readonly StoredSendVersion[] },
): Promise<StatusReport> {
  const cursor = await findCursor(db, send);
  try {
    const isHeld = send.queued;
    const transactions = versions.map((version) => ({ ...toStoredTransaction(version), isHeld }));
    const fates = await adapter.recheck(transactions, cursor, 'final');
    const tipHash = await provenBlockHash(adapter, cursor);
    if (![...fates.values()].includes('unfunded')) return { fates, tipHash, final: null };
    // A balance is that of one block, and a newer block may have brought money.
    return { fates, tipHash: tipHash === cursor?.hash ? tipHash : null, final: await finalBlock(adapter) };
  } catch {
    return { fates: new Map(), tipHash: null, final: null };
  }
}

/** The newest final block; null where the node names none. */
async function finalBlock({ finality }: ChainAdapter): Promise<BlockRef | null> {
  try {
    return (await finality?.finalBlocks(['finalized']))?.get('finalized') ?? null;
  } catch (error) {
    if (error instanceof ChainError) return null;
    throw error;
  }
}

/**
 * Decides about a send whose bytes were rejected although an earlier broadcast may have reached the network,
 * by what node and ledger prove about each of its versions; re-signs it where possible. Without proof its
 * coins stay reserved and it is rebroadcast.
 */
export async function resolveRejection(
  tx: Tx,
  deps: RecordBroadcastDeps & RenewSendDeps,
  refused: {
    readonly sendId: string;
    readonly reason: string;
    readonly report: StatusReport;
    /** Terms for re-signing it, where transactions expire. */
    readonly terms: Renewal | null;
  },
): Promise<StoredSend> {
  const { sendId, report, reason, terms } = refused;
  const send = await findSend(tx, sendId);
  if (send === undefined) throw new Error(`send ${sendId} is missing`);
  const evidence = await readEvidence(tx, send, report);
  const apply = async (renewal: Extract<SendFact, { type: 'refused' }>['renewal']) =>
    applySendFact(tx, deps, sendId, { type: 'refused', reason, evidence, renewal, policy: deps.policy });
  const first = await apply(terms === null ? 'none' : 'untried');
  if (first.action === 'renew' && terms !== null) {
    const renewed = await resignExpiredSend(tx, deps, terms, send);
    return typeof renewed === 'string' ? (await apply(renewed)).send : renewed;
  }
  const fields = { sendId, coin: send.coin, mode: send.mode, txid: send.txid, reason };
  if (first.action === 'displace' && [...report.fates.values()].includes('unfunded')) {
    deps.logger.warn(
      fields,
      'sweep exceeds the on-chain balance of its address; fails once that balance is final',
    );
  } else if (first.action === 'displace') {
    deps.logger.warn(
      fields,
      'node rejects a send that can no longer be mined; fails once the conflicting block is final',
    );
  } else if (first.action === 'wait' && terms !== null) {
    // Where transactions expire, a send displaced by a fork is re-signed as soon as its expiry is proven.
    deps.logger.info(fields, 'node rejects a send; it is signed again once no version can be mined');
  } else if (first.action === 'wait' || first.action === 'retry') {
    deps.logger.error(
      fields,
      'node rejects a send that was accepted before; its inputs stay reserved because other nodes may hold it',
    );
  }
  return first.send;
}

/** What the ledger adds to the node's report on a send. */
export async function readEvidence(
  db: Db,
  send: StoredSend,
  { fates, tipHash, final }: StatusReport,
): Promise<RejectionEvidence> {
  const cursor = await findCursor(db, send);
  return {
    fates,
    height: cursor?.height ?? null,
    isOnLedgerTip: tipHash !== null && cursor?.hash === tipHash,
    isPossiblyPaid: await isPossiblyPaid(db, send),
    mayGetInputsBack: await mayGetInputsBack(db, send),
    isWithinWallet: send.purpose === 'sweep',
    finalHeight: final !== null && (await isOnLedger(db, send, final)) ? final.height : null,
  };
}

async function isOnLedger(db: Db, chain: ChainId, { height, hash }: BlockRef): Promise<boolean> {
  const [recorded] = await rememberedBlocks(db, chain, height, 1);
  return recorded?.height === height && recorded.hash === hash;
}

/**
 * Whether an input of a send is in no block now but may be mined again: then the send may be, too. Only a block that
 * holds a conflicting spend rules that out; a node that does not have it proves nothing.
 */
async function mayGetInputsBack(db: Db, send: StoredSend): Promise<boolean> {
  const { unconfirmed, gone } = await unminedInputs(db, send);
  if (unconfirmed.length > 0) return true;
  const conflicted = await conflictHeights(db, send, gone);
  return gone.some((txid) => !conflicted.has(txid));
}
