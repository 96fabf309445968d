import type { Chains } from '../../../domain/chains.ts';
import { decide } from '../../../domain/send/send-machine.ts';
import { isOpen } from '../../../domain/send/send-status.ts';
import type { SendAction, SendFact, SendState } from '../../../domain/send/types.ts';
import { outputsOfTransactions } from '../../../store/ledger/outputs.ts';
import { reserveAccount } from '../../../store/ledger/queued-account.ts';
import { releaseOutputs } from '../../../store/ledger/reservations.ts';
import { sendStatus } from '../../../store/sends/send-status.ts';
import { updatePsbt } from '../../../store/sends/send-psbts.ts';
import { listVersions, type StoredSendVersion } from '../../../store/sends/send-versions.ts';
import {
  findSend,
  releaseSendKey,
  updateSend,
  type SendPatch,
  type StoredSend,
} from '../../../store/sends/sends.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { type ApplyFactsDeps, recordObservations, recordRefund } from '../../payments/index.ts';
import { emitSendEvent } from '../send/emit-send-event.ts';
import { recordChangeOutput } from './record-change-output.ts';
import { readPlan } from './stored-plan.ts';

export interface ApplySendFactDeps extends ApplyFactsDeps {
  readonly chains: Chains;
}

/** The result of a fact. */
export interface AppliedSendFact {
  readonly action: SendAction;
  readonly before: StoredSend;
  /** The updated send. */
  readonly send: StoredSend;
}

/**
 * Applies a fact to a send and stores everything that follows: its state, its coins, its event and the effect
 * on the payment that it refunds. Must run in the transaction that read the fact.
 */
export async function applySendFact(
  tx: Tx,
  deps: ApplySendFactDeps,
  sendId: string,
  fact: SendFact,
): Promise<AppliedSendFact> {
  if (!tx.isTransaction) throw new Error('applySendFact must run in a transaction');
  const before = await findSend(tx, sendId);
  if (before === undefined) throw new Error(`send ${sendId} is missing`);
  const versions = await listVersions(tx, sendId);
  const state = sendState(before, versions);
  const now = deps.clock.now();
  const { action, send: after, event, dead } = decide(state, fact, now);
  const isDead = new Set(dead);
  await revertCredits(
    tx,
    deps,
    before,
    versions.filter(({ version }) => isDead.has(version)),
  );
  if (action === 'fail') await releaseOutputs(tx, sendId);
  if (action === 'release') await releaseOutputs(tx, sendId, { unspentOnly: true });
  if (after === state) return { action, before, send: before };
  // The signer of a PSBT has its transaction as well.
  if (action === 'fail' && !before.byPsbt && isNeverPaid(fact, after)) await releaseSendKey(tx, sendId);
  if (before.byPsbt && after.status !== 'awaiting_signature')
    await updatePsbt(tx, sendId, { psbt: null }, now);
  const current = versions.find(({ version }) => version === after.version);
  const isOther = after.version !== before.version;
  const hasNewVersion =
    action === 'sign' || action === 'accept' || action === 'switch' || (action === 'confirm' && isOther);
  const amount = hasNewVersion ? destinationAmount(current) : {};
  const txid = current?.txid ?? before.txid;
  const send = await updateSend(tx, sendId, { ...toColumns(after), txid, ...amount }, now);
  if (state.status === 'queued' && after.status !== 'queued' && isOpen(after) && send.queueAccount !== null) {
    await reserveAccount(tx, send, send.queueAccount, sendId);
  }
  const adapter = deps.chains.get(send.coin, send.mode);
  if (action === 'accept' && adapter !== null && current !== undefined) {
    await recordChangeOutput(tx, deps, { adapter, send, version: current });
  }
  if (event !== null) await emitSendEvent(tx, deps, event, send);
  if (action === 'accept' || action === 'confirm' || action === 'fail')
    await recordRefund(tx, deps, send, sendStatus(before));
  return { action, before, send };
}

/**
 * Whether a failed send never reached the network and never can: its first broadcast was rejected, or it
 * expired. Then its Idempotency-Key is released, so that a retry signs a new transaction.
 */
function isNeverPaid(fact: SendFact, { announcedTxid }: SendState): boolean {
  if (announcedTxid !== null) return false;
  return fact.type === 'answered' || (fact.type === 'refused' && fact.renewal === 'impossible');
}

/** A stored send as the machine knows it. */
export function sendState(send: StoredSend, versions: readonly StoredSendVersion[]): SendState {
  const { coin, mode, version, height, error, broadcasts } = send;
  return {
    coin,
    mode,
    status: sendStatus(send),
    version,
    height,
    error,
    broadcasts,
    fee: BigInt(send.fee),
    versions: versions.map(({ version, txid, fee, cancels }) => ({
      version,
      txid,
      fee: BigInt(fee),
      cancels: cancels,
    })),
    displacedHeight: send.displacedHeight,
    nextBroadcastAt: send.nextBroadcastAt,
    announcedTxid: send.announcedTxid,
    confirmedTxid: send.confirmedTxid,
  };
}

function toStoredStatus(status: SendState['status']): StoredSend['status'] {
  if (status === 'queued') return 'signed';
  return status === 'awaiting_signature' ? 'preparing' : status;
}

function toColumns({ status, version, height, error, broadcasts, ...after }: SendState): SendPatch {
  return {
    status: toStoredStatus(status),
    queued: status === 'queued',
    version,
    height,
    error,
    broadcasts,
    fee: after.fee.toString(),
    displacedHeight: after.displacedHeight,
    nextBroadcastAt: after.nextBroadcastAt,
    announcedTxid: after.announcedTxid,
    confirmedTxid: after.confirmedTxid,
  };
}

/** The amount that the destination receives differs between the versions of a sweep and of a renewal. */
function destinationAmount(current: StoredSendVersion | undefined): Pick<SendPatch, 'amount'> {
  return current === undefined || current.cancels
    ? {}
    : { amount: readPlan(current.planJson).amount.toString() };
}

/**
 * Reverts the change outputs of versions that can never land, after a fork or another version displaced them: nothing
 * else checks those outputs, and sends that spend them would wait for ever.
 */
async function revertCredits(
  tx: Tx,
  deps: ApplyFactsDeps,
  send: StoredSend,
  versions: readonly StoredSendVersion[],
): Promise<void> {
  const { coin, mode } = send;
  const txids = versions.map(({ txid }) => txid);
  const outputs = await outputsOfTransactions(tx, { coin, mode }, txids);
  const gone = outputs.filter(({ state }) => state === 'unconfirmed');
  if (gone.length === 0) return;
  await recordObservations(tx, deps, { coin, mode }, { seen: [], gone }, { kind: 'unconfirmed' });
}
