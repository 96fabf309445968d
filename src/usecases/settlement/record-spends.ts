import { outputKey, type Debit } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Logger } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import {
  findOpenByNonce,
  findSend,
  forgetDisplacedAbove,
  updateSend,
  type StoredSend,
} from '../../store/sends/sends.ts';
import { findVersionByTxid, versionsOf, type StoredSendVersion } from '../../store/sends/send-versions.ts';
import {
  markSpent,
  minedSpendsOf,
  setUnconfirmedSpender,
  unconfirmedSpends,
  unmarkSpentAbove,
} from '../../store/ledger/spends.ts';
import type { ApplyFactsDeps } from '../payments/apply-facts.ts';
import { recordRefund } from '../refunds/record-refund.ts';
import { adoptVersion } from './adopt-version.ts';
import { emitSendEvent } from '../sends/emit-send-event.ts';
import { isOpen } from './send-chain.ts';
import { mayBePaidUnseen, noteExamined } from './may-be-paid-unseen.ts';
import { spendsAccounts } from '../sends/sender.ts';
import { readPlan } from './stored-plan.ts';
import { revertCredits } from './take-back-outputs.ts';

export interface RecordSpendsDeps extends ApplyFactsDeps {
  readonly logger: Logger;
}

/**
 * Records the spends of our outputs in one block, inside that block's transaction and after its credits. A send of
 * ours among them is confirmed by whichever of its versions was mined; a send whose coins a foreign transaction
 * spent, so that no version can confirm any more, waits for that to be final. Idempotent.
 */
export async function confirmSends(
  tx: Tx,
  deps: RecordSpendsDeps,
  chain: ChainId,
  block: { readonly spends: readonly Debit[]; readonly height: number },
): Promise<void> {
  if (!tx.isTransaction) throw new Error('confirmSends must run in the transaction of its block');
  const spenders = new Map<string, Spending>();
  const holders = new Set<string>();
  for (const spend of block.spends) {
    const owned = await markSpent(tx, chain, spend, { height: block.height, now: deps.clock.now() });
    if (owned === undefined) continue;
    const { byTxid, outcome } = spend;
    const known = spenders.get(byTxid) ?? { outcome, spends: [], heldBy: null };
    spenders.set(byTxid, {
      outcome,
      spends: [...known.spends, spend],
      heldBy: owned.heldBy ?? known.heldBy,
    });
    if (owned.heldBy !== null) holders.add(owned.heldBy);
  }
  for (const [txid, { outcome, spends, heldBy }] of spenders) {
    const known = await findVersionByTxid(tx, chain, txid);
    const rival = known === undefined ? await rivalOf(tx, chain, spends) : undefined;
    const sendId = rival?.id ?? heldBy;
    const version =
      known ??
      (sendId === null ? null : await adoptVersion(tx, deps, chain, { txid, sendId, spends, outcome }));
    if (version === null && rival !== undefined) await noteRival(tx, deps, rival, spends);
    if (version !== null) await confirmVersion(tx, deps, version, { height: block.height, outcome });
    else
      deps.logger.warn(
        { ...chain, txid, height: block.height },
        'coins were spent by a transaction not signed here',
      );
  }
  const isWhollyRead = block.spends.every(({ spender }) => spender !== undefined);
  const { height } = block;
  for (const sendId of holders) await judge(tx, deps, sendId, { isWhollyRead, height });
}

/** The open send with the same account and nonce as a transaction: a block can hold only one of the two. */
async function rivalOf(tx: Tx, chain: ChainId, [spend]: readonly Debit[]): Promise<StoredSend | undefined> {
  const account = spend?.spender?.account;
  return account === undefined ? undefined : findOpenByNonce(tx, chain, account);
}

/**
 * Records that a transaction which pays the send's destination nothing used its nonce: so no unseen version or
 * skipped block paid it either, and it fails once that is final. If the transaction pays the destination another
 * amount, the operator has to decide.
 */
async function noteRival(
  tx: Tx,
  deps: RecordSpendsDeps,
  send: StoredSend,
  [spend]: readonly Debit[],
): Promise<void> {
  const destination = deps.chains.get(send.coin, send.mode)?.watchKey(send.destination);
  const pays = spend?.spender?.pays ?? [];
  if (destination === undefined || pays.some(({ watchKey }) => watchKey === destination)) return;
  await noteExamined(tx, deps, send);
}

/** One transaction of a block that spends our outputs. */
interface Spending {
  readonly outcome: Debit['outcome'];
  readonly spends: readonly Debit[];
  /** The send that had reserved one of them. */
  readonly heldBy: string | null;
}

/**
 * Reverts what blocks above a height had confirmed, inside the rollback's transaction: the outputs are unspent again
 * and their sends wait for a block once more.
 */
export async function unconfirmSends(
  tx: Tx,
  deps: RecordSpendsDeps,
  chain: ChainId,
  aboveHeight: number,
): Promise<void> {
  if (!tx.isTransaction) throw new Error('unconfirmSends must run in the transaction of the rollback');
  const now = deps.clock.now();
  await forgetDisplacedAbove(tx, chain, aboveHeight);
  for (const txid of await unmarkSpentAbove(tx, chain, aboveHeight, now)) {
    const version = await findVersionByTxid(tx, chain, txid);
    const send = version === undefined ? undefined : await findSend(tx, version.send_id);
    if (send === undefined || send.height === null) continue;
    const open = send.status === 'failed' ? {} : { status: 'broadcast' as const, next_broadcast_at: now };
    await updateSend(tx, send.id, { ...open, height: null }, now);
    deps.logger.warn({ ...chain, sendId: send.id, txid }, 'send lost its block in a reorganisation');
  }
}

/**
 * Records which of our outputs unconfirmed transactions spend, from a complete mempool view: coins that a third party
 * holding the seed is spending are not offered to sends, and are free again when that transaction disappears.
 */
export async function recordUnconfirmedSpends(
  tx: Tx,
  deps: Pick<RecordSpendsDeps, 'clock'>,
  chain: ChainId,
  debits: readonly Debit[],
): Promise<void> {
  if (!tx.isTransaction) throw new Error('recordUnconfirmedSpends must run in a transaction');
  const now = deps.clock.now();
  const known = new Map<string, Debit>();
  for (const debit of await unconfirmedSpends(tx, chain)) known.set(outputKey(debit.ref), debit);
  for (const { ref, byTxid } of debits) {
    const key = outputKey(ref);
    if (known.get(key)?.byTxid !== byTxid) await setUnconfirmedSpender(tx, chain, ref, byTxid, now);
    known.delete(key);
  }
  for (const { ref } of known.values()) await setUnconfirmedSpender(tx, chain, ref, null, now);
}

async function confirmVersion(
  tx: Tx,
  deps: RecordSpendsDeps,
  version: StoredSendVersion,
  block: { readonly height: number; readonly outcome: Debit['outcome'] },
): Promise<void> {
  const { height, outcome } = block;
  const before = await findSend(tx, version.send_id);
  if (before === undefined) throw new Error(`send ${version.send_id} of ${version.txid} is missing`);
  if (before.status === 'failed' && outcome?.succeeded !== false) {
    deps.logger.error({ sendId: before.id, txid: version.txid }, 'send recorded as failed was mined');
  }
  const now = deps.clock.now();
  const { txid, version: number } = version;
  const mined = {
    txid,
    version: number,
    height,
    displaced_height: null,
    fee: outcome?.fee.toString() ?? version.fee,
  };
  const others = (await versionsOf(tx, before.id)).filter((each) => each.version !== number);
  await revertCredits(tx, deps, before, others);
  if (outcome?.succeeded === false || version.cancels === 1) {
    if (before.status === 'failed') return;
    // A fork may still bring the payment: the failure is reported once its block stays (see failReverted).
    await updateSend(tx, before.id, { ...mined, status: 'broadcast', next_broadcast_at: null }, now);
    const what =
      version.cancels === 1 ? 'send was cancelled by its replacement' : 'send was executed and reverted';
    deps.logger.warn({ sendId: before.id, txid, height }, what);
    return;
  }
  const told = before.confirmed_txid === version.txid;
  const send = await updateSend(
    tx,
    before.id,
    {
      ...mined,
      status: 'confirmed',
      error: null,
      next_broadcast_at: null,
      confirmed_txid: version.txid,
    },
    now,
  );
  if (!told) await emitSendEvent(tx, deps, 'send.confirmed', send);
  await recordRefund(tx, deps, send);
}

/**
 * Updates a send after a version was displaced: a block spends one of its inputs by another transaction. When all are
 * displaced, the send stays open until that block is deep (see failOrphans), or until the chain proves that the send
 * can never land: a reorganisation could restore it, and pay it after the merchant was told that it had failed.
 * @param isWhollyRead whether all payments of that transaction were read, and none is this payment
 */
async function judge(
  tx: Tx,
  deps: RecordSpendsDeps,
  sendId: string,
  { isWhollyRead, height }: { readonly isWhollyRead: boolean; readonly height: number },
): Promise<void> {
  const send = await findSend(tx, sendId);
  if (send === undefined || !isOpen(send)) return;
  const alive = await aliveVersions(tx, send, await versionsOf(tx, send.id));
  const newest = alive.at(-1);
  if (newest === undefined) {
    await revertCredits(tx, deps, send, await versionsOf(tx, send.id));
    if (!isWhollyRead && (await mayBePaidUnseen(tx, send))) {
      deps.logger.error(
        { sendId, coin: send.coin, mode: send.mode, txid: send.txid },
        'a send from before a restore or skipped blocks lost its coins to a transaction that this database did not sign, perhaps its own later version: see whether it was paid; its coins stay reserved (scripts/sends says what to do)',
      );
      return;
    }
    if (isWhollyRead) await noteExamined(tx, deps, send);
    // Where sends draw on accounts, only a used nonce or an expiry proves displacement.
    if (!spendsAccounts(send)) await updateSend(tx, send.id, { displaced_height: height }, deps.clock.now());
    deps.logger.warn(
      { sendId, coin: send.coin, mode: send.mode, txid: send.txid },
      'coins of a send were spent by another transaction: it fails once that is final',
    );
    return;
  }
  if (alive.some((version) => version.version === send.version)) return;
  const now = deps.clock.now();
  const { version, txid, fee } = newest;
  await updateSend(tx, send.id, { version, txid, fee, next_broadcast_at: now }, now);
}

async function aliveVersions(
  tx: Tx,
  send: StoredSend,
  versions: readonly StoredSendVersion[],
): Promise<StoredSendVersion[]> {
  const inputs = new Map(
    versions.map((version) => [version.version, readPlan(version.plan_json).inputs.map(({ ref }) => ref)]),
  );
  const spends = await minedSpendsOf(tx, send, [...inputs.values()].flat());
  const spentBy = new Map(spends.map((spend) => [outputKey(spend.ref), spend.byTxid]));
  return versions.filter((version) =>
    (inputs.get(version.version) ?? []).every(
      (ref) => (spentBy.get(outputKey(ref)) ?? version.txid) === version.txid,
    ),
  );
}
