import { spendingModel } from '../../../domain/accounts.ts';
import { outputKey, type Debit } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { watchNumber } from '../../../domain/keys.ts';
import { awaitsBlock } from '../../../domain/send/send-status.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { displacedAbove, findOpenByNonce, findSend, type StoredSend } from '../../../store/sends/sends.ts';
import {
  findVersionByTxid,
  listVersions,
  type StoredSendVersion,
} from '../../../store/sends/send-versions.ts';
import { findFunds } from '../../../store/ledger/funds.ts';
import {
  markSpent,
  filterMinedSpends,
  setUnconfirmedSpender,
  unconfirmedSpends,
  unmarkSpentAbove,
} from '../../../store/ledger/spends.ts';
import { reserveMade } from '../../../store/ledger/reservations.ts';
import { adoptVersion } from './adopt-version.ts';
import { applySendFact, type ApplySendFactDeps } from './apply-send-fact.ts';
import { isPossiblyPaid, recordExamined } from './possibly-paid.ts';
import { readPlan } from './stored-plan.ts';
import { abandonUnsigned, adoptUnsigned } from './unsigned-sends.ts';

/**
 * Records the spends of our outputs in one block, inside that block's transaction and after its credits. A send of
 * ours among them is confirmed by whichever of its versions was mined; a send whose coins a foreign transaction
 * spent, so that no version can confirm any more, waits for that to be final. Idempotent.
 */
export async function confirmSends(
  tx: Tx,
  deps: ApplySendFactDeps,
  chain: ChainId,
  block: { readonly spends: readonly Debit[]; readonly height: number },
): Promise<void> {
  if (!tx.isTransaction) throw new Error('confirmSends must run in the transaction of its block');
  const spenders = new Map<string, Spending>();
  const holders = new Map<string, Debit[]>();
  for (const spend of block.spends) {
    const owned = await markSpent(tx, chain, spend, { height: block.height, now: deps.clock.now() });
    if (owned === undefined) continue;
    const { byTxid, outcome } = spend;
    const known = spenders.get(byTxid) ?? { outcome, spends: [], heldBy: null };
    const { merchantId } = owned;
    spenders.set(byTxid, {
      outcome,
      merchantId,
      spends: [...known.spends, spend],
      heldBy: owned.heldBy ?? known.heldBy,
    });
    if (owned.heldBy !== null) holders.set(owned.heldBy, [...(holders.get(owned.heldBy) ?? []), spend]);
  }
  for (const [txid, { outcome, spends, heldBy, merchantId }] of spenders) {
    const known = await findVersionByTxid(tx, chain, txid);
    const rival = known === undefined ? await findNonceConflict(tx, chain, spends) : undefined;
    const sendId =
      rival?.id ?? heldBy ?? (known === undefined ? await findReservingSend(tx, chain, spends) : null);
    const unknown = { txid, merchantId, sendId, spends, outcome };
    const adopted = known ?? (await adoptUnsigned(tx, deps, chain, unknown));
    const version = adopted ?? (await adoptVersion(tx, deps, chain, unknown));
    if (version === null && rival !== undefined) await noteRival(tx, deps, rival, spends);
    if (version !== null) await confirmVersion(tx, deps, version, { height: block.height, outcome });
    else if (await hasOwnFunds(tx, chain, spends))
      deps.logger.warn(
        { ...chain, txid, height: block.height },
        'wallet outputs spent by a transaction that was not signed here',
      );
    else
      deps.logger.info(
        { ...chain, txid, height: block.height },
        'money of a watched account spent by its wallet',
      );
  }
  // Where money lies on accounts, another transaction than the one that displaced a send may have paid it.
  const isWhollyRead =
    spendingModel(chain) === 'outputs' && block.spends.every(({ spender }) => spender !== undefined);
  const { height } = block;
  for (const [sendId, spends] of holders)
    await recordDisplacement(tx, deps, sendId, { spends, isWhollyRead, height });
  await reserveForPaid(tx, chain, [...spenders]);
}

/**
 * A reorg returns the inputs of a send from a watched account to it alone, also where it had ended and they were free, or
 * reserved by another send that they ended.
 */
async function reserveForPaid(
  tx: Tx,
  chain: ChainId,
  spenders: readonly (readonly [string, Spending])[],
): Promise<void> {
  for (const [txid, { spends }] of spenders) {
    const version = await findVersionByTxid(tx, chain, txid);
    const send = version === undefined ? undefined : await findSend(tx, version.sendId);
    if (send?.byPsbt !== true) continue;
    for (const { ref } of spends) await reserveMade(tx, ref, send);
  }
}

/** Whether one of these is on an address whose key the till has; the rest is spent by other wallets. */
async function hasOwnFunds(tx: Tx, chain: ChainId, spends: readonly Debit[]): Promise<boolean> {
  const refs = spends.map(({ ref }) => ref);
  return (await findFunds(tx, chain, refs)).some(({ fund }) => watchNumber(fund.keyPath) === null);
}

/** The send that currently reserves one of these: a part adopted from the same block may have created it. */
async function findReservingSend(tx: Tx, chain: ChainId, spends: readonly Debit[]): Promise<string | null> {
  const refs = spends.map(({ ref }) => ref);
  return (await findFunds(tx, chain, refs)).find(({ heldBy }) => heldBy !== null)?.heldBy ?? null;
}

/** The open send with the same account and nonce as a transaction: a block can hold only one of the two. */
async function findNonceConflict(
  tx: Tx,
  chain: ChainId,
  [spend]: readonly Debit[],
): Promise<StoredSend | undefined> {
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
  deps: ApplySendFactDeps,
  send: StoredSend,
  [spend]: readonly Debit[],
): Promise<void> {
  const destination = deps.chains.get(send.coin, send.mode)?.watchKey(send.destination);
  const pays = spend?.spender?.pays ?? [];
  if (destination === undefined || pays.some(({ watchKey }) => watchKey === destination)) return;
  await recordExamined(tx, deps, send);
}

/** One transaction of a block that spends our outputs. */
interface Spending {
  readonly outcome: Debit['outcome'];
  readonly spends: readonly Debit[];
  readonly merchantId: string;
  /** The send that had reserved one of them. */
  readonly heldBy: string | null;
}

/**
 * Reverts what blocks above a height had confirmed, inside the rollback's transaction: the outputs are unspent again
 * and their sends wait for a block once more.
 * @returns the transactions that had spent them
 */
export async function unconfirmSends(
  tx: Tx,
  deps: ApplySendFactDeps,
  chain: ChainId,
  aboveHeight: number,
): Promise<readonly string[]> {
  if (!tx.isTransaction) throw new Error('unconfirmSends must run in the transaction of the rollback');
  const now = deps.clock.now();
  const sendIds = new Set(await displacedAbove(tx, chain, aboveHeight));
  const spenders = await unmarkSpentAbove(tx, chain, aboveHeight, now);
  for (const txid of spenders) {
    const version = await findVersionByTxid(tx, chain, txid);
    if (version !== undefined) sendIds.add(version.sendId);
  }
  for (const sendId of sendIds) {
    const { before, send } = await applySendFact(tx, deps, sendId, { type: 'rolled_back', to: aboveHeight });
    if (before.height === send.height) continue;
    deps.logger.warn({ ...chain, sendId, txid: send.txid }, 'send is unconfirmed again after a reorg');
  }
  return spenders;
}

/**
 * Records which of our outputs unconfirmed transactions spend, from a complete mempool view: coins that a third party
 * holding the seed is spending are not offered to sends, and are free again when that transaction disappears.
 */
export async function recordUnconfirmedSpends(
  tx: Tx,
  deps: Pick<ApplySendFactDeps, 'clock'>,
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
  deps: ApplySendFactDeps,
  { sendId, version, txid, cancels }: StoredSendVersion,
  { height, outcome }: { readonly height: number; readonly outcome: Debit['outcome'] },
): Promise<void> {
  const { action, before } = await applySendFact(tx, deps, sendId, {
    type: 'mined',
    version,
    height,
    succeeded: outcome?.succeeded !== false,
    fee: outcome?.fee ?? null,
  });
  if (action === 'confirm' && before.status === 'failed') {
    deps.logger.error({ sendId, txid }, 'send recorded as failed was mined');
  }
  if (action !== 'revert') return;
  const what = cancels
    ? 'send was cancelled by its replacement'
    : 'send was reverted by the contract; only its fee was paid';
  deps.logger.warn({ sendId, txid, height }, what);
}

/**
 * Updates a send after a block spent one of its inputs by another transaction.
 * @param isWhollyRead whether all payments of that transaction were read, and none is this payment
 */
async function recordDisplacement(
  tx: Tx,
  deps: ApplySendFactDeps,
  sendId: string,
  displaced: {
    readonly spends: readonly Debit[];
    readonly isWhollyRead: boolean;
    readonly height: number;
  },
): Promise<void> {
  const { isWhollyRead, height } = displaced;
  const read = await findSend(tx, sendId);
  if (read?.byPsbt === true) await abandonUnsigned(tx, deps, read, displaced);
  if (read === undefined || !awaitsBlock(read)) return;
  const versions = await displacedVersions(tx, read, await listVersions(tx, sendId));
  const isExamined = isWhollyRead || !(await isPossiblyPaid(tx, read));
  const fact = { type: 'displaced', versions, height, isExamined } as const;
  const { action, send } = await applySendFact(tx, deps, sendId, fact);
  const fields = { sendId, coin: send.coin, mode: send.mode, txid: send.txid };
  if (action === 'hold') {
    deps.logger.error(
      fields,
      'send predates a restore or skipped blocks, and its inputs were spent by a transaction unknown to this ' +
        'database, perhaps its own later version: check its destination on the chain; its inputs stay reserved ' +
        '(tillctl sends says what to do)',
    );
  }
  if (action !== 'displace') return;
  if (isWhollyRead) await recordExamined(tx, deps, send);
  deps.logger.warn(
    fields,
    'inputs of a send spent by another transaction; the send fails once that transaction is final',
  );
}

/** The versions one of whose inputs a block spends by another transaction. */
async function displacedVersions(
  tx: Tx,
  send: StoredSend,
  versions: readonly StoredSendVersion[],
): Promise<ReadonlySet<number>> {
  const inputs = new Map(
    versions.map(({ version, planJson }) => [version, readPlan(planJson).inputs.map(({ ref }) => ref)]),
  );
  const spends = await filterMinedSpends(tx, send, [...inputs.values()].flat());
  const spentBy = new Map(spends.map((spend) => [outputKey(spend.ref), spend.byTxid]));
  const lost = versions.filter(({ version, txid }) =>
    (inputs.get(version) ?? []).some((ref) => (spentBy.get(outputKey(ref)) ?? txid) !== txid),
  );
  return new Set(lost.map(({ version }) => version));
}
