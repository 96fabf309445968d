import type { ChainAdapter, FeeQuote, SendPlan, StoredTransaction } from '../../domain/chain.ts';
import { outputKey } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { AddressDeriver, KeySource } from '../../domain/keys.ts';
import { inTransaction, type Tx } from '../../store/database.ts';
import { laneOf } from '../../store/lanes.ts';
import { findMerchant } from '../../store/merchants.ts';
import {
  findSend,
  insertSendVersion,
  isReverted,
  stuckSends,
  updateSend,
  versionsOf,
  type SendPlace,
  type StoredSend,
  type StoredSendVersion,
} from '../../store/sends.ts';
import { reservedFunds, reserveOutputs, spendableFunds, type WalletRef } from '../../store/spendable.ts';
import type { AdvanceSendsDeps } from './advance-sends.ts';
import { nextChangeAddress, takeChangeAddress } from './change-address.ts';
import { handToNode } from './hand-to-node.ts';
import { recordAnswer } from './record-answer.ts';
import type { SendPolicy } from './send-policy.ts';
import { readPlan, writePlan } from './stored-plan.ts';
import { isWorthItsFee } from './sweep-worth.ts';

export interface BumpSendsDeps extends AdvanceSendsDeps {
  readonly deriver: AddressDeriver;
  readonly keys: KeySource;
}

/** Sends looked at in one round. */
const ROUND_SIZE = 100;
/** Most of them that are raised: each waits for the node. */
const ROUND_RAISES = 20;

/**
 * Raises the fee of sends that no block took for long while the node now asks clearly more than
 * they pay. The replacement pays the same destination the same amount, is stored before the node
 * sees it, and any version may be the one that confirms.
 * @param after where the round before ended: those that cannot be raised keep nobody from their turn
 * @returns where the next round goes on; null: with the oldest
 * @throws {ChainError} when the node does not say what fees are asked.
 */
export async function bumpSends(
  deps: BumpSendsDeps,
  chain: ChainId,
  after: SendPlace | null = null,
): Promise<SendPlace | null> {
  const adapter = deps.chains.get(chain.coin, chain.mode);
  if (adapter === null) return null;
  const now = deps.clock.now();
  const signedBefore = now - deps.policy.bumpAfterMs;
  const stuck = await stuckSends(deps.db, chain, { signedBefore, now, after }, ROUND_SIZE);
  if (stuck.length === 0) return null;
  const quote = await adapter.feeQuote();
  let raised = 0;
  for (const send of stuck) {
    const { id } = send;
    try {
      if ((await deps.inHand.take(id, async () => bumpSend(deps, id, { adapter, quote }))) === true)
        raised += 1;
    } catch (error) {
      deps.logger.error({ sendId: id, err: error }, 'could not raise the fee of a send; trying again');
    }
    if (raised >= ROUND_RAISES) return send;
  }
  return stuck.length < ROUND_SIZE ? null : (stuck.at(-1) ?? null);
}

type Using = { readonly adapter: ChainAdapter; readonly quote: FeeQuote };

/** Whether there was something to gain, and money to pay it with. */
async function bumpSend(deps: BumpSendsDeps, sendId: string, using: Using): Promise<boolean> {
  const bumped = await inTransaction(deps.db, async (tx) => storeBump(tx, deps, sendId, using));
  if (bumped === null) return false;
  const { version, transaction } = bumped;
  deps.logger.info({ sendId, version, txid: transaction.txid }, 'raising the fee of a stuck send');
  const result = await handToNode(using.adapter, transaction);
  await inTransaction(deps.db, async (tx) =>
    recordAnswer(tx, deps, { sendId, version, result, neverOffered: true }),
  );
  deps.wakeWebhooks();
  return true;
}

/** Null when there is nothing to gain or nothing to pay it with. */
async function storeBump(
  tx: Tx,
  deps: BumpSendsDeps,
  sendId: string,
  using: Using,
): Promise<{ version: number; transaction: StoredTransaction } | null> {
  const send = await findSend(tx, sendId);
  if (send === undefined || (send.status !== 'signed' && send.status !== 'broadcast')) return null;
  if (isReverted(send)) return null;
  const newest = (await versionsOf(tx, sendId)).at(-1);
  if (newest === undefined || !worthRaising(deps.policy, newest, using.quote)) return null;
  const plan = await planReplacement(tx, deps, { send, previous: readPlan(newest.plan_json), using });
  if (plan === null) return null;
  const transaction = using.adapter.signSend(plan, deps.keys);
  const version = newest.version + 1;
  const now = deps.clock.now();
  const fee = plan.fee.toString();
  await insertSendVersion(tx, {
    send_id: sendId,
    version,
    coin: send.coin,
    mode: send.mode,
    txid: transaction.txid,
    raw: transaction.raw,
    fee,
    fee_rate: plan.feeRate.toString(),
    plan_json: writePlan(plan),
    created_at: now,
  });
  const next_broadcast_at = now + deps.policy.firstAnswerMs;
  const { txid } = transaction;
  await updateSend(tx, sendId, { version, txid, fee, broadcasts: 0, next_broadcast_at }, now);
  return { version, transaction };
}

async function planReplacement(
  tx: Tx,
  deps: BumpSendsDeps,
  request: { readonly send: StoredSend; readonly previous: SendPlan; readonly using: Using },
): Promise<SendPlan | null> {
  const { send, previous, using } = request;
  const { id, coin, mode, merchant_id: merchantId } = send;
  const { adapter, quote } = using;
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} of send ${id} is missing`);
  const wallet = { coin, mode, merchantId, account: merchant.account };
  if (previous.account !== undefined) return planNextPrice(tx, wallet, request);
  const used = new Set(previous.inputs.map(({ ref }) => outputKey(ref)));
  const held = (await reservedFunds(tx, id)).filter(({ ref }) => !used.has(outputKey(ref)));
  const funds = [...held, ...(await spendableFunds(tx, wallet))];
  const fresh = await nextChangeAddress(tx, deps, wallet);
  const changeAddress = previous.change?.address ?? fresh;
  const plan = adapter.planBump({ previous, funds, changeAddress, quote });
  if (plan === null) return null;
  requireSamePayment(previous, plan, id);
  if (plan.change?.address === fresh) {
    await takeChangeAddress(tx, deps, { wallet, adapter, address: fresh });
  }
  const added = plan.inputs.map(({ ref }) => ref).filter((ref) => !used.has(outputKey(ref)));
  await reserveOutputs(tx, send, added, id);
  return plan;
}

/** On chains of accounts the nonce makes the versions rivals, and the account pays from all it holds. */
async function planNextPrice(
  tx: Tx,
  wallet: WalletRef,
  request: { readonly send: StoredSend; readonly previous: SendPlan; readonly using: Using },
): Promise<SendPlan | null> {
  const { send, previous, using } = request;
  const { adapter, quote } = using;
  const { id, lane: from } = send;
  if (from === null || previous.account === undefined) throw new Error(`send ${id} has no lane`);
  const funds = await spendableFunds(tx, { ...wallet, from });
  const { nonce } = previous.account;
  const lane = await laneOf(tx, { ...wallet, address: from, fromNonce: nonce, exceptSendId: id });
  const fromAmount = isSweep(send, from);
  const plan = adapter.planBump({ previous, funds, changeAddress: from, quote, lane, fromAmount });
  if (plan === null || (fromAmount && !isWorthItsFee(plan.amount + plan.fee, plan.fee))) return null;
  if (plan.account?.nonce !== nonce || (!fromAmount && plan.amount !== previous.amount)) {
    throw new Error(`a replacement of send ${id} would not be the same payment`);
  }
  return plan;
}

/** Empties an account into another. What only uses up a nonce pays an account's fee to itself. */
function isSweep({ purpose, destination }: StoredSend, from: string): boolean {
  return purpose === 'sweep' && destination !== from;
}

/** Keeping every input makes all versions rivals: at most one of them can ever be mined. */
function requireSamePayment(previous: SendPlan, plan: SendPlan, sendId: string): void {
  const kept = new Set(plan.inputs.map(({ ref }) => outputKey(ref)));
  const keepsInputs = previous.inputs.every(({ ref }) => kept.has(outputKey(ref)));
  if (keepsInputs && plan.destination === previous.destination && plan.amount === previous.amount) return;
  throw new Error(`a replacement of send ${sendId} would not be the same payment`);
}

function worthRaising(policy: SendPolicy, newest: StoredSendVersion, quote: FeeQuote): boolean {
  return (
    newest.version < policy.maxVersions &&
    quote.rate * 100n >= BigInt(newest.fee_rate) * BigInt(policy.bumpFromPercent)
  );
}
