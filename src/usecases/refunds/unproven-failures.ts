import { spendingModel } from '../../domain/accounts.ts';
import { outputKey } from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { isEndedByBlock } from '../../domain/send/send-status.ts';
import type { SendPolicy } from '../../domain/send/policy.ts';
import { findCursor } from '../../store/chain/chain-cursors.ts';
import { conflictHeights } from '../../store/ledger/raw-transactions.ts';
import { listRefunds } from '../../store/payments/refunds.ts';
import { isNonceUsedBelow } from '../../store/sends/nonce-sequences.ts';
import { listVersions, type StoredSendVersion } from '../../store/sends/send-versions.ts';
import { findSend, type StoredSend } from '../../store/sends/sends.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findConflicts, readPlan } from '../wallet/index.ts';

interface Terms {
  readonly policy: Pick<SendPolicy, 'surplusDepth'>;
}

/**
 * Failed refunds of a payment that could still be mined: the block that proved the failure has left the
 * chain, or is not deep enough yet. Another refund could then pay twice.
 */
async function unprovenFailures(db: Db, { policy }: Terms, paymentId: string): Promise<StoredSend[]> {
  const unproven: StoredSend[] = [];
  for (const { sendId: id, status } of await listRefunds(db, paymentId)) {
    const send = status === 'failed' ? await findSend(db, id) : undefined;
    if (send === undefined) continue;
    const tip = await findCursor(db, send);
    const upTo = (tip?.height ?? 0) - policy.surplusDepth + 1;
    if (!(await isProven(db, send, upTo))) unproven.push(send);
  }
  return unproven;
}

/**
 * The only outputs that another refund of a payment in a coin may spend, so that no failed one can be mined
 * as well. Undefined: any.
 */
export async function outputsForRefund(
  db: Db,
  terms: Terms,
  { coin, paymentId }: { readonly coin: Coin; readonly paymentId: string },
): Promise<ReadonlySet<string> | undefined> {
  const outputs = new Set<string>();
  for (const send of await unprovenFailures(db, terms, paymentId)) {
    if (send.coin !== coin || spendingModel(send) !== 'outputs') continue;
    for (const version of await listVersions(db, send.id)) {
      for (const key of contestedOutputs(version)) outputs.add(key);
    }
  }
  return outputs.size === 0 ? undefined : outputs;
}

/**
 * Rejects a refund that was just stored if an earlier one of its payment could also be mined: one that failed
 * without a lasting proof, and shares neither an input nor the nonce with it. Runs in the transaction that
 * stored it.
 * @throws {AppError} INVALID_STATE
 */
export async function requireNoSecondPayment(
  tx: Tx,
  terms: Terms,
  { send, paymentId }: { readonly send: StoredSend; readonly paymentId: string },
): Promise<void> {
  for (const earlier of await unprovenFailures(tx, terms, paymentId)) {
    if (await areRivals(tx, send, earlier)) continue;
    throw new AppError(
      'INVALID_STATE',
      `The refund ${earlier.id} of this payment failed, but its transaction ${earlier.txid} could still be mined: ` +
        `wait until the block that ended it is ${terms.policy.surplusDepth} blocks deep`,
    );
  }
}

async function isProven(db: Db, send: StoredSend, upTo: number): Promise<boolean> {
  const isByBlock = isEndedByBlock(send);
  // Rejected at its first broadcast, so no node has relayed it.
  if (!isByBlock && send.broadcasts === 0) return true;
  if (spendingModel(send) === 'outputs') return areAllLost(db, send, upTo);
  // Otherwise it has expired for good, or another transaction has used its nonce.
  if (!isByBlock || (send.height !== null && send.height <= upTo)) return true;
  const { lane, nonce } = send;
  return (
    lane !== null && nonce !== null && isNonceUsedBelow(db, { ...send, senderAddress: lane, nonce }, upTo)
  );
}

/** Whether blocks up to a height spend an input of each version that pays. */
async function areAllLost(db: Db, send: StoredSend, upTo: number): Promise<boolean> {
  const versions = (await listVersions(db, send.id)).filter(({ cancels }) => !cancels);
  const conflicts = await findConflicts(db, send, versions);
  for (const version of versions) {
    const parents = readPlan(version.planJson).inputs.map(({ ref }) => ref.txid);
    const heights = [...(await conflictHeights(db, send, parents)).values()];
    if (Math.min(conflicts.get(version.version) ?? Infinity, ...heights) > upTo) return false;
  }
  return true;
}

/** Whether a chain can hold only one of the two. All versions of the new send keep the inputs or the nonce of its first. */
async function areRivals(db: Db, send: StoredSend, earlier: StoredSend): Promise<boolean> {
  if (send.coin !== earlier.coin || send.mode !== earlier.mode) return false;
  if (spendingModel(send) !== 'outputs') {
    return send.nonce !== null && send.nonce === earlier.nonce && send.lane === earlier.lane;
  }
  const [first] = await listVersions(db, send.id);
  const spent = first === undefined ? [] : inputKeys(first);
  const versions = await listVersions(db, earlier.id);
  const cancelledOutputs = versions.filter(({ cancels }) => cancels).flatMap(contestedOutputs);
  // The output of a cancellation exists only on a chain without the versions that it replaced.
  if (spent.some((key) => cancelledOutputs.includes(key))) return true;
  const paying = versions.filter(({ cancels }) => !cancels);
  return paying.every((version) => inputKeys(version).some((key) => spent.includes(key)));
}

/** Outputs that only one of a version and a new transaction can spend; for a cancellation, its own output. */
function contestedOutputs(version: StoredSendVersion): string[] {
  if (!version.cancels) return inputKeys(version);
  const { txid, changeIndex: index } = version;
  return index === null ? [] : [outputKey({ txid, index })];
}

function inputKeys({ planJson: plan }: StoredSendVersion): string[] {
  return readPlan(plan).inputs.map(({ ref }) => outputKey(ref));
}
