import { isDeepStrictEqual } from 'node:util';
import { outputKey, type ChainAdapter, type FeeQuote, type SendPlan } from '../../../domain/chain.ts';
import { receivedOutputs } from '../../../domain/send/outputs.ts';
import { distinctAncestors, packageRate } from '../../../domain/send/package-fee.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import type { Clock } from '../../../domain/ports.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { findChangeOutput } from '../../../store/ledger/own-change.ts';
import { loadNonceSequence } from '../../../store/sends/nonce-sequences.ts';
import { findMerchant } from '../../../store/merchants/merchants.ts';
import { feeLimit } from '../../../store/sends/fee-budgets.ts';
import type { StoredSend } from '../../../store/sends/sends.ts';
import type { StoredSendVersion } from '../../../store/sends/send-versions.ts';
import { spendableFunds } from '../../../store/ledger/spendable.ts';
import { reserveOutputs, reservedFunds } from '../../../store/ledger/reservations.ts';
import { loadAncestry } from './ancestry.ts';
import { nextChangeAddress, reserveChangeAddress } from '../../addresses/index.ts';
import { readPlan } from './stored-plan.ts';

export interface PlanFeeBumpDeps {
  readonly deriver: AddressDeriver;
  readonly clock: Clock;
}

export interface FeeBumpRequest {
  readonly send: StoredSend;
  readonly newest: StoredSendVersion;
  readonly adapter: ChainAdapter;
  readonly quote: FeeQuote;
  /** Fee rates to try, best first. */
  readonly rates: readonly bigint[];
  /** Pays everything back to the wallet instead of the destination (cancellation). */
  readonly takeBack: boolean;
}

/** `over`: the fee that the budget forbids at the best rate; null: it forbids none. `plan` null: none is possible. */
export interface PlannedFeeBump {
  readonly plan: SendPlan | null;
  readonly over: bigint | null;
}

/** Fee rate of a version per 1,000 vB, including the unconfirmed ancestors that it needs. */
export async function paidRate(tx: Tx, send: StoredSend, version: StoredSendVersion): Promise<bigint> {
  const previous = readPlan(version.planJson);
  if (previous.account !== undefined) return previous.feeRate;
  const ancestors = distinctAncestors(previous.inputs, await loadAncestry(tx, send, previous.inputs));
  return packageRate(previous, ancestors);
}

/**
 * Plans a replacement at the first rate that the funds and the budget of the send allow, and reserves the coins and the
 * change address that it adds.
 */
export async function planFeeBump(
  tx: Tx,
  deps: PlanFeeBumpDeps,
  request: FeeBumpRequest,
): Promise<PlannedFeeBump> {
  const budget = await feeLimit(tx, request.send);
  const draft = await drafter(tx, deps, request);
  let over: bigint | null = null;
  for (const rate of request.rates) {
    const plan = draft.plan(rate);
    if (plan === null) continue;
    if (plan.fee <= budget) {
      await draft.take(plan);
      return { plan, over };
    }
    over ??= plan.fee;
  }
  return { plan: null, over };
}

interface ReplacementPlanner {
  readonly plan: (rate: bigint) => SendPlan | null;
  readonly take: (plan: SendPlan) => Promise<void>;
}

async function drafter(tx: Tx, deps: PlanFeeBumpDeps, request: FeeBumpRequest): Promise<ReplacementPlanner> {
  const { send, newest, takeBack } = request;
  const previous = readPlan(newest.planJson);
  if (previous.account !== undefined) return accountDrafter(tx, request, previous);
  const { id, coin, mode, merchantId } = send;
  const { adapter, quote } = request;
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} of send ${id} is missing`);
  const wallet = { coin, mode, merchantId, account: merchant.account };
  // A sweep or a cancellation pays only the wallet, so the higher fee comes out of its amount.
  const isOwn = send.purpose === 'sweep' || newest.cancels;
  const toSelf = takeBack || isOwn;
  const used = new Set(previous.inputs.map(({ ref }) => outputKey(ref)));
  const unused = (await reservedFunds(tx, id)).filter(({ ref }) => !used.has(outputKey(ref)));
  const funds = send.coinControl ? unused : [...unused, ...(await spendableFunds(tx, wallet))];
  const fresh = await nextChangeAddress(tx, deps, wallet);
  const changeAddress = isOwn ? previous.destination : (previous.change?.address ?? fresh);
  const ancestry = await loadAncestry(tx, wallet, previous.inputs);
  const reserved = await isChangeReserved(tx, send);
  return {
    plan: (rate) => {
      const quoteAtRate = { ...quote, rate };
      const plan = adapter.planReplacement({
        previous,
        funds,
        changeAddress,
        quote: quoteAtRate,
        ancestry,
        toSelf,
      });
      if (plan !== null && !toSelf) requireSamePayment(previous, plan, id);
      if (reserved && !toSelf && plan?.change === null) return null;
      if (plan !== null) requireRivals(previous, plan, id);
      return plan;
    },
    take: async (plan) => {
      const back = plan.change?.address ?? (toSelf ? plan.destination : null);
      if (back === fresh) await reserveChangeAddress(tx, deps, { wallet, adapter, address: fresh });
      const added = plan.inputs.map(({ ref }) => ref).filter((ref) => !used.has(outputKey(ref)));
      await reserveOutputs(tx, send, added, id);
    },
  };
}

/** Whether a send that gathers its outputs needs the change of this one: every version must leave some. */
async function isChangeReserved(tx: Tx, send: StoredSend): Promise<boolean> {
  const change = send.txid === null ? null : await findChangeOutput(tx, send, send.txid);
  return change !== null && change.heldBy !== null;
}

/** Account chains: versions conflict by nonce, and the fee is paid from the whole account balance. */
async function accountDrafter(
  tx: Tx,
  request: FeeBumpRequest,
  previous: SendPlan,
): Promise<ReplacementPlanner> {
  const { send, newest, adapter, quote, takeBack } = request;
  const { id, coin, mode, merchantId, lane: from } = send;
  if (from === null || previous.account === undefined) throw new Error(`send ${id} has no nonce sequence`);
  const wallet = { coin, mode, merchantId };
  const funds = await spendableFunds(tx, { ...wallet, from });
  const { nonce } = previous.account;
  const nonceSequence = await loadNonceSequence(tx, {
    ...wallet,
    address: from,
    fromNonce: nonce,
    exceptSendId: id,
  });
  const fromAmount = isDeposit(send, from);
  const toSelf = takeBack || newest.cancels;
  return {
    plan: (rate) => {
      const quoteAtRate = { ...quote, rate };
      const terms = {
        previous,
        funds,
        changeAddress: from,
        quote: quoteAtRate,
        nonceSequence,
        fromAmount,
        toSelf,
      };
      const plan = adapter.planReplacement(terms);
      if (plan === null) return null;
      const isSame = toSelf || fromAmount || plan.amount === previous.amount;
      if (plan.account?.nonce !== nonce || !isSame) throw notTheSame(id);
      return plan;
    },
    take: async () => {},
  };
}

/** Whether a sweep empties one account into another. One that only uses up a nonce pays its own account. */
function isDeposit({ purpose, destination }: StoredSend, from: string): boolean {
  return purpose === 'sweep' && destination !== from;
}

function requireSamePayment(previous: SendPlan, plan: SendPlan, sendId: string): void {
  if (!isDeepStrictEqual(receivedOutputs(plan), receivedOutputs(previous))) throw notTheSame(sendId);
}

/** Requires every previous input, so that all versions conflict: at most one of them can ever be mined. */
function requireRivals(previous: SendPlan, plan: SendPlan, sendId: string): void {
  const planned = new Set(plan.inputs.map(({ ref }) => outputKey(ref)));
  if (!previous.inputs.every(({ ref }) => planned.has(outputKey(ref)))) throw notTheSame(sendId);
}

function notTheSame(sendId: string): Error {
  return new Error(`the replacement of send ${sendId} differs from the original payment`);
}
