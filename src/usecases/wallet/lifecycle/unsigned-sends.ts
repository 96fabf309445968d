import { type BlockRef, ChainError, type Debit, type SendPlan } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import { MAX_PSBT_INPUTS } from '../../../domain/psbt.ts';
import { receivedOutputs } from '../../../domain/send/outputs.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { DISPLACED } from '../../../domain/send/send-status.ts';
import { cursorTime, findCursor } from '../../../store/chain/chain-cursors.ts';
import { isSpentUnconfirmed } from '../../../store/ledger/reservations.ts';
import { admitFee } from '../../../store/sends/fee-budgets.ts';
import {
  findPsbt,
  findPsbtByTxid,
  listExpiredPsbts,
  listPsbtsSpending,
  type StoredPsbt,
  updatePsbt,
} from '../../../store/sends/send-psbts.ts';
import { readOutputs } from '../../../store/sends/send-outputs.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import {
  disownFailedVersion,
  insertMinedVersion,
  listVersions,
  type StoredSendVersion,
} from '../../../store/sends/send-versions.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { minedFee, type UnknownSpending } from './adopt-version.ts';
import { applySendFact, type ApplySendFactDeps } from './apply-send-fact.ts';
import { paysOutputs, splitOutputs } from './pays-outputs.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import { readPlan, writePlan } from './stored-plan.ts';

/** Sends ended in one round. */
const ROUND_SIZE = 100;
/** Orders whose PSBTs spend an output of one transaction, read for it: many may have ended without a signature. */
const MAX_CANDIDATES = 1_000;
const UNSIGNED = 'not signed in time';

interface ExpireUnsignedDeps extends ApplySendFactDeps {
  readonly db: Db;
  readonly policy: Pick<SendPolicy, 'retryMaxMs'>;
  readonly wakeWebhooks: () => void;
}

/**
 * Ends the sends from watched accounts that were not signed in time: their outputs are free. One that may have been
 * signed without a trace here, because it predates a restore or skipped blocks, ends only by what the node shows.
 */
export async function expireUnsigned(deps: ExpireUnsignedDeps, chain: ChainId): Promise<void> {
  const due = await listExpiredPsbts(deps.db, chain, deps.clock.now(), ROUND_SIZE);
  for (const sendId of due) {
    try {
      const shown = await readUnspent(deps, sendId);
      await deps.db.transaction(async (tx) => expire(tx, deps, sendId, shown));
    } catch (error) {
      deps.logger.error(
        { sendId, err: error },
        'ending a send that was not signed in time failed; will retry',
      );
    }
  }
  if (due.length > 0) deps.wakeWebhooks();
}

/** The block at which the node shows all inputs unspent, asked only where that decides; null: it does not. */
async function readUnspent(
  { db, chains, logger }: ExpireUnsignedDeps,
  sendId: string,
): Promise<BlockRef | null> {
  const [send, stored] = [await findSend(db, sendId), await findPsbt(db, sendId)];
  if (send === undefined || stored === undefined || !(await isPossiblyPaid(db, send))) return null;
  const inputs = readPlan(stored.planJson).inputs.map(({ ref }) => ref);
  try {
    return (await chains.get(send.coin, send.mode)?.psbt?.unspentAt(stored.txid, inputs)) ?? null;
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    logger.warn(
      { sendId, coin: send.coin, err: error },
      'node did not show the inputs of an expired send; will retry',
    );
    return null;
  }
}

async function expire(
  tx: Tx,
  deps: ExpireUnsignedDeps,
  sendId: string,
  shown: BlockRef | null,
): Promise<void> {
  const [send, stored] = [await findSend(tx, sendId), await findPsbt(tx, sendId)];
  const now = deps.clock.now();
  if (send === undefined || stored === undefined || now < stored.expiresAt) return;
  const fields = { sendId, coin: send.coin, mode: send.mode, txid: stored.txid };
  const isUnproven = (await isPossiblyPaid(tx, send)) && !(await isAfterExpiry(tx, stored, shown));
  // A transaction in the mempool may be its own, which its signer broadcast: a block decides.
  if (isUnproven || (await isSpentUnconfirmed(tx, sendId))) {
    if (isUnproven && stored.checkAt === stored.expiresAt)
      deps.logger.warn(
        fields,
        'expired send predates a restore or skipped blocks, and may have been signed since; its inputs stay ' +
          'reserved until a later block shows them unspent',
      );
    await updatePsbt(tx, sendId, { checkAt: now + deps.policy.retryMaxMs }, now);
    return;
  }
  await applySendFact(tx, deps, sendId, { type: 'abandoned', reason: UNSIGNED });
  deps.logger.info(fields, 'send not signed in time; its inputs are free');
}

/** Whether what the node showed is as of the ledger's last block, and that block is younger than the expiry. */
async function isAfterExpiry(tx: Tx, stored: StoredPsbt, shown: BlockRef | null): Promise<boolean> {
  if (shown === null || (await findCursor(tx, stored))?.hash !== shown.hash) return false;
  return ((await cursorTime(tx, stored)) ?? 0) > stored.expiresAt;
}

/**
 * The mined transaction of a send from a watched account that this database did not sign: its own, which its signer
 * broadcast without submitting it here, or a replacement with another fee that pays the same. Also after the send ended.
 * Null: it is none.
 */
export async function adoptUnsigned(
  tx: Tx,
  deps: ApplySendFactDeps,
  chain: ChainId,
  spending: UnknownSpending,
): Promise<StoredSendVersion | null> {
  const { txid, spends } = spending;
  const own = await findPsbtByTxid(tx, chain, txid);
  const match = own === undefined ? await findReplaced(tx, deps, chain, spending) : toMatch(own);
  if (match === null) return null;
  const { sendId, changeIndex, plan } = match;
  const now = deps.clock.now();
  const version: StoredSendVersion = {
    ...chain,
    sendId,
    version: ((await listVersions(tx, sendId)).at(-1)?.version ?? 0) + 1,
    txid,
    raw: spends[0]?.spender?.raw ?? '',
    fee: plan.fee.toString(),
    feeRate: plan.feeRate.toString(),
    planJson: writePlan(plan),
    createdAt: now,
    changeIndex,
    cancels: false,
    balanceChange: null,
  };
  await disownFailedVersion(tx, chain, txid);
  await admitFee(tx, { id: sendId }, plan.fee, now);
  await insertMinedVersion(tx, version);
  deps.logger.info(
    { ...chain, sendId, txid },
    'block contains the transaction of a send that was signed elsewhere',
  );
  return version;
}

/** The send that a transaction pays, and what that costs. */
interface Match {
  readonly sendId: string;
  readonly changeIndex: number | null;
  readonly plan: SendPlan;
}

function toMatch({ sendId, changeIndex, planJson }: StoredPsbt): Match {
  return { sendId, changeIndex, plan: readPlan(planJson) };
}

/**
 * The send whose PSBT a transaction excludes, because both spend an output, and whose recipients it pays the same; where
 * they pay the fee, also what another fee leaves of the ordered amount. Of several, the one that holds the output, then
 * the newest: earlier orders of the same payment had ended.
 */
async function findReplaced(
  tx: Tx,
  { chains }: Pick<ApplySendFactDeps, 'chains'>,
  chain: ChainId,
  { sendId: holder, spends }: UnknownSpending,
): Promise<Match | null> {
  const [spender, adapter] = [spends[0]?.spender, chains.get(chain.coin, chain.mode)];
  if (spender === undefined || adapter === null) return null;
  const refs = spends.map(({ ref }) => ref);
  const candidates = new Map<string, number>();
  for (const ref of refs.slice(0, MAX_PSBT_INPUTS))
    for (const { sendId, createdAt } of await listPsbtsSpending(tx, chain, ref, MAX_CANDIDATES))
      candidates.set(sendId, sendId === holder ? Infinity : createdAt);
  const fee = candidates.size === 0 ? null : await minedFee(tx, chain, refs, spender);
  const ranked = [...candidates].toSorted(([, a], [, b]) => b - a);
  for (const [sendId] of ranked.slice(0, MAX_CANDIDATES)) {
    const [send, stored] = [await findSend(tx, sendId), await findPsbt(tx, sendId)];
    if (send === undefined || stored === undefined || send.status === 'confirmed') continue;
    const planned = readPlan(stored.planJson);
    const plans = [planned, fee === null ? null : withOtherFee(send, planned, fee)];
    const paid = plans.find(
      (plan) =>
        plan !== null &&
        paysOutputs(spender.pays, receivedOutputs({ ...plan, outputs: readOutputs(send) }), adapter),
    );
    if (paid === undefined || paid === null) continue;
    return { sendId: send.id, changeIndex: null, plan: { ...paid, fee: fee ?? planned.fee } };
  }
  return null;
}

/**
 * The plan at another fee where the recipients pay the fee; null where they do not, or where less is left for them than
 * the fee takes: that is no payment.
 */
function withOtherFee(send: StoredSend, { outputs, ...planned }: SendPlan, fee: bigint): SendPlan | null {
  const amount = BigInt(send.ordered) - fee;
  if ((!send.subtractFee && !send.everything) || amount <= fee) return null;
  if (outputs === undefined) return { ...planned, amount };
  return { ...planned, amount, outputs: splitOutputs(send, amount) };
}

/**
 * Ends a send whose signatures are missing when a block spends one of its inputs by another transaction.
 * @param spends those of its inputs
 * @param isWhollyRead whether all payments of that transaction were read, and none is this payment
 */
export async function abandonUnsigned(
  tx: Tx,
  deps: ApplySendFactDeps,
  send: StoredSend,
  { spends, isWhollyRead }: { readonly spends: readonly Debit[]; readonly isWhollyRead: boolean },
): Promise<void> {
  if (sendStatus(send) !== 'awaiting_signature') return;
  if (!isWhollyRead && (await isPossiblyPaid(tx, send))) return;
  const reason = `${DISPLACED}${warnOfPayment(deps, send, spends)}`;
  await applySendFact(tx, deps, send.id, { type: 'abandoned', reason });
  const { id: sendId, coin, mode } = send;
  deps.logger.warn(
    { sendId, coin, mode },
    'inputs of an unsigned send spent by another transaction; the send failed',
  );
}

/** What to check before the order is repeated, if a transaction that displaced the send pays one of its recipients. */
function warnOfPayment(
  { chains }: Pick<ApplySendFactDeps, 'chains'>,
  send: StoredSend,
  spends: readonly Debit[],
): string {
  const adapter = chains.get(send.coin, send.mode);
  const recipients = readOutputs(send) ?? [send];
  const keys = new Set(recipients.map(({ destination }) => adapter?.watchKey(destination)));
  const paying = spends.find(({ spender }) => spender?.pays.some(({ watchKey }) => keys.has(watchKey ?? '')));
  if (paying === undefined) return '';
  return `; ${paying.byTxid} pays a recipient of it, but not as ordered or for another send as well: check it before you order again`;
}
