import { AppError, invalidField } from '../../../domain/errors.ts';
import { isoTime } from '../../../domain/iso-time.ts';
import { type PsbtAccount, PsbtProblem, type PsbtSignature } from '../../../domain/psbt.ts';
import { toCreator } from '../../../store/creators.ts';
import { findWatchAccountByNumber } from '../../../store/ledger/watch-accounts.ts';
import { findPsbt, type StoredPsbt, updatePsbt } from '../../../store/sends/send-psbts.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import { disownFailedVersion, insertSendVersion } from '../../../store/sends/send-versions.ts';
import { findSend, type StoredSend, updateSend } from '../../../store/sends/sends.ts';
import { enforceLimitsAgain } from '../../../store/sends/spending-limits.ts';
import { requireUnfrozen } from '../../../store/sends/wallet-freezes.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { applySendFact } from '../lifecycle/apply-send-fact.ts';
import { broadcastReplacement } from '../lifecycle/bump-sends.ts';
import type { NewVersion } from '../lifecycle/store-version.ts';
import { readPlan } from '../lifecycle/stored-plan.ts';
import { ensureRates } from './ensure-rates.ts';
import { getSend } from './get-send.ts';
import { requireNotFailed, type SendCoinsDeps } from './make-send.ts';
import { sendBusyError } from './open-send.ts';
import type { SendView } from './send-view.ts';
import { countingTerms } from './store-send.ts';

export interface SubmitPsbtInput {
  readonly merchantId: string;
  readonly sendId: string;
  /** Base64 (BIP-174). */
  readonly psbt: string;
}

/**
 * Adds the signatures of a PSBT to a send that waits for them. Once all are there, the signed bytes are stored, with
 * the rules for sends applied again, and broadcast like those of any send. A send that waits for no signature is shown as it is.
 * @throws {AppError} SEND_NOT_FOUND, VALIDATION_INVALID, INVALID_STATE, WALLET_FROZEN, APPROVAL_REQUIRED (the limits were
 * lowered since), SEND_REJECTED
 */
export async function submitPsbt(deps: SendCoinsDeps, input: SubmitPsbtInput): Promise<SendView> {
  const { merchantId, sendId } = input;
  const open = await findUnsigned(deps.db, input);
  if (open === null) return getSend(deps, { merchantId, sendId });
  const { send, stored } = open;
  const psbts = await openPsbts(deps, stored);
  // Verified outside the transaction, because it takes a while: they are valid for this transaction alone.
  const signatures = readSubmitted(psbts, stored, input.psbt);
  const adapter = deps.chains.get(send.coin, send.mode);
  if (adapter === null) throw new AppError('COIN_UNAVAILABLE', `${send.coin} is not configured`);
  const watchKeys = listDestinations(stored).map((address) => adapter.watchKey(address));
  await ensureRates(deps, { merchantId, creator: toCreator(send) });
  const done = await deps.inFlight.take(sendId, async () => {
    const version = await deps.db.transaction(async (tx) =>
      addSignatures(tx, deps, { input, psbts, signatures, watchKeys }),
    );
    if (version === null) return true;
    deps.logger.info(
      { sendId, txid: version.transaction.txid },
      'send signed by the wallet of a watched account',
    );
    requireNotFailed(await broadcastReplacement(deps, adapter, version, true));
    return true;
  });
  if (done === null) throw sendBusyError();
  return getSend(deps, { merchantId, sendId });
}

interface Unsigned {
  readonly send: StoredSend;
  readonly stored: StoredPsbt & { readonly psbt: string };
}

/** Null: it waits for no signature. @throws {AppError} SEND_NOT_FOUND, INVALID_STATE */
async function findUnsigned(db: Db, { merchantId, sendId }: SubmitPsbtInput): Promise<Unsigned | null> {
  const send = await findSend(db, sendId);
  if (send === undefined || send.merchantId !== merchantId)
    throw new AppError('SEND_NOT_FOUND', 'no such send');
  const stored = await findPsbt(db, sendId);
  const psbt = stored?.psbt ?? null;
  if (stored !== undefined && psbt !== null && sendStatus(send) === 'awaiting_signature')
    return { send, stored: { ...stored, psbt } };
  if (send.status === 'failed')
    throw new AppError('INVALID_STATE', `this send failed: ${send.error ?? 'no reason given'}`);
  return null;
}

async function openPsbts(
  { db, readWatchAccount }: Pick<SendCoinsDeps, 'db' | 'readWatchAccount'>,
  { coin, mode, accountNumber }: StoredPsbt,
): Promise<PsbtAccount> {
  const account = await findWatchAccountByNumber(db, accountNumber);
  const keys = account === undefined ? null : readWatchAccount({ coin, mode }, account.descriptor);
  if (keys === null || 'problem' in keys || keys.psbts === null)
    throw new Error(`watched account ${accountNumber} has no PSBTs`);
  return keys.psbts;
}

/** @throws {AppError} VALIDATION_INVALID */
function readSubmitted(
  psbts: PsbtAccount,
  { psbt }: Unsigned['stored'],
  submitted: string,
): readonly PsbtSignature[] {
  try {
    return psbts.readSignatures(psbt, submitted);
  } catch (error) {
    if (error instanceof PsbtProblem) throw invalidField('psbt', error.message);
    throw error;
  }
}

function listDestinations({ planJson }: StoredPsbt): string[] {
  const { outputs, destination } = readPlan(planJson);
  return outputs?.map((one) => one.destination) ?? [destination];
}

/** Null while signatures are missing, or when another submission was faster. @throws {AppError} like submitPsbt */
async function addSignatures(
  tx: Tx,
  deps: SendCoinsDeps,
  of: {
    readonly input: SubmitPsbtInput;
    readonly psbts: PsbtAccount;
    readonly signatures: readonly PsbtSignature[];
    readonly watchKeys: readonly string[];
  },
): Promise<NewVersion | null> {
  const { input, psbts, signatures, watchKeys } = of;
  const open = await findUnsigned(tx, input);
  if (open === null) return null;
  const { send, stored } = open;
  const now = deps.clock.now();
  if (now >= stored.expiresAt)
    throw new AppError('INVALID_STATE', `this send expired at ${isoTime(stored.expiresAt)}: order it again`);
  await requireUnfrozen(tx, send.merchantId);
  const terms = countingTerms(deps, { ordered: BigInt(send.ordered), now });
  await enforceLimitsAgain(tx, send, { ...terms, creator: toCreator(send), watchKeys });
  const psbt = psbts.addSignatures(stored.psbt, signatures);
  const { required, collected } = psbts.countSignatures(psbt);
  await updatePsbt(tx, send.id, { psbt, collected }, now);
  return collected < required ? null : storeSigned(tx, deps, { send, stored, psbts, psbt });
}

/** Stores the signed bytes: from here on it is a send like those signed here. */
async function storeSigned(
  tx: Tx,
  deps: SendCoinsDeps,
  { send, stored, psbts, psbt }: Unsigned & { readonly psbts: PsbtAccount; readonly psbt: string },
): Promise<NewVersion> {
  const transaction = psbts.finalize(psbt);
  const { id: sendId, coin, mode } = send;
  if (transaction.txid !== stored.txid)
    throw new Error(`the signatures changed the transaction of send ${sendId}`);
  const plan = readPlan(stored.planJson);
  const now = deps.clock.now();
  await disownFailedVersion(tx, send, transaction.txid);
  await insertSendVersion(tx, {
    sendId,
    version: 1,
    coin,
    mode,
    ...transaction,
    fee: plan.fee.toString(),
    feeRate: plan.feeRate.toString(),
    planJson: stored.planJson,
    createdAt: now,
    changeIndex: stored.changeIndex,
    cancels: false,
  });
  await applySendFact(tx, deps, sendId, { type: 'prepared', policy: deps.policy });
  await updateSend(tx, sendId, { nextBroadcastAt: now + deps.policy.firstAnswerMs }, now);
  return { sendId, version: 1, transaction, plan };
}
