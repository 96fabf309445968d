import { outputKey, type Spender } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { DISPLACED } from '../../../domain/send/send-status.ts';
import { isSpentUnconfirmed, reserveMade } from '../../../store/ledger/reservations.ts';
import { admitFee } from '../../../store/sends/fee-budgets.ts';
import {
  findPsbt,
  findPsbtByTxid,
  listExpiredPsbts,
  type StoredPsbt,
  updatePsbt,
} from '../../../store/sends/send-psbts.ts';
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
import { paysOutputs } from './pays-outputs.ts';
import { isPossiblyPaid } from './possibly-paid.ts';
import { readPlan, writePlan } from './stored-plan.ts';

/** Sends ended in one round. */
const ROUND_SIZE = 100;
const UNSIGNED = 'not signed in time';

interface ExpireUnsignedDeps extends ApplySendFactDeps {
  readonly db: Db;
  readonly policy: Pick<SendPolicy, 'approvalTtlMs' | 'retryMaxMs'>;
  readonly wakeWebhooks: () => void;
}

/** Ends the sends from watched accounts that were not signed in time: their outputs are free. */
export async function expireUnsigned(deps: ExpireUnsignedDeps, chain: ChainId): Promise<void> {
  const due = await listExpiredPsbts(deps.db, chain, deps.clock.now(), ROUND_SIZE);
  for (const sendId of due) {
    try {
      await deps.db.transaction(async (tx) => expire(tx, deps, sendId));
    } catch (error) {
      deps.logger.error(
        { sendId, err: error },
        'ending a send that was not signed in time failed; will retry',
      );
    }
  }
  if (due.length > 0) deps.wakeWebhooks();
}

async function expire(tx: Tx, deps: ExpireUnsignedDeps, sendId: string): Promise<void> {
  const [send, stored] = [await findSend(tx, sendId), await findPsbt(tx, sendId)];
  const now = deps.clock.now();
  if (send === undefined || stored === undefined || now < stored.expiresAt) return;
  if (await isPossiblyPaid(tx, send)) {
    const fields = { sendId, coin: send.coin, mode: send.mode, txid: stored.txid };
    deps.logger.warn(
      fields,
      'send that was not signed in time predates a restore or skipped blocks, and may have been signed since; its inputs stay reserved',
    );
    await updatePsbt(tx, sendId, { expiresAt: now + deps.policy.approvalTtlMs }, now);
    return;
  }
  // Perhaps by its own transaction, which its signer broadcast: a block decides.
  if (await isSpentUnconfirmed(tx, sendId)) {
    await updatePsbt(tx, sendId, { expiresAt: now + deps.policy.retryMaxMs }, now);
    return;
  }
  await applySendFact(tx, deps, sendId, { type: 'abandoned', reason: UNSIGNED });
  deps.logger.info(
    { sendId, coin: send.coin, mode: send.mode },
    'send not signed in time; its inputs are free',
  );
}

/**
 * The mined transaction of a send from a watched account that its signer broadcast without submitting it here, also
 * after the send ended; or a replacement with another fee that pays the same, of one that waits for its signatures.
 * Null: it is none.
 */
export async function adoptUnsigned(
  tx: Tx,
  deps: ApplySendFactDeps,
  chain: ChainId,
  spending: UnknownSpending,
): Promise<StoredSendVersion | null> {
  const { txid, spends } = spending;
  const spender = spends[0]?.spender;
  if (spender === undefined) return null;
  const own = await findPsbtByTxid(tx, chain, txid);
  const stored = own ?? (await findReplaced(tx, deps, spending, spender));
  if (stored === undefined) return null;
  const { sendId } = stored;
  const planned = readPlan(stored.planJson);
  const refs = spends.map(({ ref }) => ref);
  const fee = own === undefined ? ((await minedFee(tx, chain, refs, spender)) ?? planned.fee) : planned.fee;
  const now = deps.clock.now();
  const version: StoredSendVersion = {
    ...chain,
    sendId,
    version: ((await listVersions(tx, sendId)).at(-1)?.version ?? 0) + 1,
    txid,
    raw: spender.raw,
    fee: fee.toString(),
    feeRate: planned.feeRate.toString(),
    planJson: writePlan({ ...planned, fee }),
    createdAt: now,
    changeIndex: own?.changeIndex ?? null,
    cancels: false,
    balanceChange: null,
  };
  await disownFailedVersion(tx, chain, txid);
  await admitFee(tx, { id: sendId }, fee, now);
  await insertMinedVersion(tx, version);
  // A reorg returns them to this send alone; one that had ended has none reserved.
  for (const ref of refs) await reserveMade(tx, ref, { ...chain, id: sendId });
  deps.logger.info(
    { ...chain, sendId, txid },
    'block contains the transaction of a send that was signed elsewhere',
  );
  return version;
}

/** The PSBT of a send that waits for its signatures, if a transaction spends all its inputs and pays the same. */
async function findReplaced(
  tx: Tx,
  { chains }: Pick<ApplySendFactDeps, 'chains'>,
  { sendId, spends }: UnknownSpending,
  { pays }: Spender,
): Promise<StoredPsbt | undefined> {
  const send = sendId === null ? undefined : await findSend(tx, sendId);
  if (send === undefined || sendStatus(send) !== 'awaiting_signature') return undefined;
  const [stored, adapter] = [await findPsbt(tx, send.id), chains.get(send.coin, send.mode)];
  if (stored === undefined || adapter === null) return undefined;
  const { inputs, destination, amount, outputs = [{ destination, amount }] } = readPlan(stored.planJson);
  const spent = new Set(spends.map(({ ref }) => outputKey(ref)));
  const isExcluded = inputs.every(({ ref }) => spent.has(outputKey(ref)));
  return isExcluded && paysOutputs(pays, outputs, adapter) ? stored : undefined;
}

/** Ends a send whose signatures are missing when a block spends one of its inputs by another transaction. */
export async function abandonUnsigned(tx: Tx, deps: ApplySendFactDeps, send: StoredSend): Promise<void> {
  if (sendStatus(send) !== 'awaiting_signature') return;
  await applySendFact(tx, deps, send.id, { type: 'abandoned', reason: DISPLACED });
  const { id: sendId, coin, mode } = send;
  deps.logger.warn(
    { sendId, coin, mode },
    'inputs of an unsigned send spent by another transaction; the send failed',
  );
}
