import type { Rates } from '../../../domain/ports.ts';
import type { SendPolicy } from '../../../domain/send/policy.ts';
import { requireWithin } from '../../../domain/send/fee-budget.ts';
import { reserveOutputs } from '../../../store/ledger/reservations.ts';
import { insertPsbt } from '../../../store/sends/send-psbts.ts';
import { disownFailedVersion } from '../../../store/sends/send-versions.ts';
import { findSend, insertSend, type StoredSend } from '../../../store/sends/sends.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import type { EmitEventDeps } from '../../events/index.ts';
import { writePlan } from '../lifecycle/stored-plan.ts';
import { emitSendEvent } from './emit-send-event.ts';
import { changeIndex, leavingTerms, type NewSend, newRow } from './store-send.ts';
import type { WatchedSource } from './watched-account.ts';

interface StoreUnsignedDeps extends EmitEventDeps {
  readonly policy: Pick<SendPolicy, 'approvalTtlMs' | 'maxFeeShareBps' | 'surplusDepth'>;
  readonly rates: Pick<Rates, 'quote'>;
}

/**
 * Stores a send from a watched account with its PSBT, and reserves its outputs: the wallet that has the keys signs it
 * until it expires. It passes the same rules as a send that is signed here.
 * @throws {AppError} FEE_ABOVE_LIMIT, WALLET_FROZEN, APPROVAL_REQUIRED
 */
export async function storeUnsigned(
  tx: Tx,
  deps: StoreUnsignedDeps,
  request: NewSend,
  { account, psbts }: WatchedSource,
): Promise<StoredSend> {
  const { sendId, order, adapter, plan } = request;
  const { coin, mode } = order;
  const now = deps.clock.now();
  requireWithin(request.maxFee, plan.fee, coin);
  const row = {
    ...newRow(request, now),
    byPsbt: true,
    status: 'preparing',
    version: 0,
    txid: null,
    nextBroadcastAt: null,
  } as const;
  await insertSend(tx, row, leavingTerms(deps, { order, adapter, ordered: BigInt(row.ordered), now }));
  const unsigned = psbts.build(toPsbt(request, account.nextChange));
  await disownFailedVersion(tx, order, unsigned.txid);
  const spends = plan.inputs.map(({ ref }) => ref);
  const expiresAt = now + deps.policy.approvalTtlMs;
  const stored = {
    sendId,
    coin,
    mode,
    txid: unsigned.txid,
    accountNumber: account.number,
    psbt: unsigned.psbt,
    ...psbts.countSignatures(unsigned.psbt),
    planJson: writePlan(plan),
    changeIndex: changeIndex({ ...unsigned, raw: '' }, plan, 'send'),
    createdAt: now,
    updatedAt: now,
    expiresAt,
    checkAt: expiresAt,
  };
  await insertPsbt(tx, stored, spends);
  await reserveOutputs(tx, order, spends, sendId);
  const send = await findSend(tx, sendId);
  if (send === undefined) throw new Error(`send ${sendId} is missing`);
  await emitSendEvent(tx, deps, 'send.awaiting_signature', send);
  return send;
}

/** @param nextChange the index of the change address that the plan was made with */
function toPsbt({ plan, adapter }: NewSend, nextChange: number) {
  const payees = plan.outputs ?? [{ destination: plan.destination, amount: plan.amount }];
  const paid = payees.map(({ destination: address, amount }) => ({
    address,
    amount,
    script: adapter.watchKey(address),
    changeIndex: null,
  }));
  const { change } = plan;
  const back =
    change === null ? [] : [{ ...change, script: adapter.watchKey(change.address), changeIndex: nextChange }];
  const inputs = plan.inputs.map(({ ref, amount, keyPath: { branch, index } }) => ({
    ref,
    amount,
    branch,
    index,
  }));
  return { inputs, outputs: [...paid, ...back] };
}
