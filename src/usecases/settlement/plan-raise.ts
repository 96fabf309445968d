import { outputKey, type ChainAdapter, type FeeQuote, type SendPlan } from '../../domain/chain.ts';
import { ancestorsOf, packageRate, sizeOf } from '../../domain/send/package-fee.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import type { Tx } from '../../store/sqlite/database.ts';
import { nonceSequenceOf } from '../../store/sends/nonce-sequences.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { StoredSend, StoredSendVersion } from '../../store/sends/sends.ts';
import { reservedFunds, reserveOutputs, spendableFunds } from '../../store/ledger/spendable.ts';
import { ancestryOf } from './ancestry.ts';
import { nextChangeAddress, takeChangeAddress } from '../wallet/change-address.ts';
import { readPlan } from './stored-plan.ts';
import { isWorthItsFee } from './sweep-worth.ts';

export interface PlanRaiseDeps {
  readonly deriver: AddressDeriver;
  readonly clock: Clock;
}

export interface RaiseRequest {
  readonly send: StoredSend;
  readonly newest: StoredSendVersion;
  readonly adapter: ChainAdapter;
  readonly quote: FeeQuote;
  /** Rates to try, best first. */
  readonly rates: readonly bigint[];
  /** Most that the new version may cost; the `minimum` rate of the quote is reached all the same when `mayReachMinimum`. */
  readonly limit: bigint;
  readonly mayReachMinimum: boolean;
  /** Pay everything back to the wallet instead of the destination. */
  readonly takeBack: boolean;
}

export interface PlannedRaise {
  readonly plan: SendPlan;
  readonly toSelf: boolean;
}

/** What a version pays per 1,000 vB, together with the unconfirmed transactions that it needs. */
export async function paidRate(tx: Tx, send: StoredSend, version: StoredSendVersion): Promise<bigint> {
  const previous = readPlan(version.plan_json);
  if (previous.account !== undefined) return previous.feeRate;
  const ancestors = ancestorsOf(previous.inputs, await ancestryOf(tx, send, previous.inputs));
  return packageRate(previous, ancestors);
}

/** The rate at which a version of the same size would cost a limit. */
export function rateWithin(limit: bigint, { fee, feeRate }: Pick<SendPlan, 'fee' | 'feeRate'>): bigint {
  const size = sizeOf(fee, feeRate);
  return size === 0n ? 0n : (limit * 1000n) / size;
}

/**
 * Plans a replacement at the first of the rates that money and limit allow, and takes the coins and the address that
 * it adds. `over`: it is the limit that forbids it; null: there is nothing to gain, or nothing to pay it with.
 */
export async function planRaise(
  tx: Tx,
  deps: PlanRaiseDeps,
  request: RaiseRequest,
): Promise<PlannedRaise | { readonly over: bigint } | null> {
  const { quote, limit, mayReachMinimum } = request;
  const draft = await drafter(tx, deps, request);
  let over: bigint | null = null;
  for (const rate of request.rates) {
    const plan = draft.plan(rate);
    if (plan === null) continue;
    const isAllowed = plan.fee <= limit || (mayReachMinimum && rate === quote.minimum);
    if (isAllowed) {
      await draft.take(plan);
      return { plan, toSelf: draft.toSelf };
    }
    over = plan.fee;
  }
  return over === null ? null : { over };
}

interface Drafter {
  readonly toSelf: boolean;
  readonly plan: (rate: bigint) => SendPlan | null;
  readonly take: (plan: SendPlan) => Promise<void>;
}

async function drafter(tx: Tx, deps: PlanRaiseDeps, request: RaiseRequest): Promise<Drafter> {
  const { send, newest, takeBack } = request;
  const previous = readPlan(newest.plan_json);
  if (previous.account !== undefined) return accountDrafter(tx, request, previous);
  const { id, coin, mode, merchant_id: merchantId } = send;
  const { adapter, quote } = request;
  const merchant = await findMerchant(tx, merchantId);
  if (merchant === undefined) throw new Error(`merchant ${merchantId} of send ${id} is missing`);
  const wallet = { coin, mode, merchantId, account: merchant.account };
  // What only moves within the wallet pays the higher fee out of itself.
  const isOwn = send.purpose === 'sweep' || newest.cancels === 1;
  const toSelf = takeBack || isOwn;
  const used = new Set(previous.inputs.map(({ ref }) => outputKey(ref)));
  const held = (await reservedFunds(tx, id)).filter(({ ref }) => !used.has(outputKey(ref)));
  const funds = [...held, ...(await spendableFunds(tx, wallet))];
  const fresh = await nextChangeAddress(tx, deps, wallet);
  const changeAddress = isOwn ? previous.destination : (previous.change?.address ?? fresh);
  const ancestry = await ancestryOf(tx, wallet, previous.inputs);
  return {
    toSelf,
    plan: (rate) => {
      const asked = { ...quote, rate };
      const plan = adapter.planBump({ previous, funds, changeAddress, quote: asked, ancestry, toSelf });
      if (plan !== null && !toSelf) requireSamePayment(previous, plan, id);
      if (plan !== null) requireRivals(previous, plan, id);
      return plan;
    },
    take: async (plan) => {
      const back = plan.change?.address ?? (toSelf ? plan.destination : null);
      if (back === fresh) await takeChangeAddress(tx, deps, { wallet, adapter, address: fresh });
      const added = plan.inputs.map(({ ref }) => ref).filter((ref) => !used.has(outputKey(ref)));
      await reserveOutputs(tx, send, added, id);
    },
  };
}

/** On chains of accounts the nonce makes the versions rivals, and the account pays from all it holds. */
async function accountDrafter(tx: Tx, request: RaiseRequest, previous: SendPlan): Promise<Drafter> {
  const { send, newest, adapter, quote, takeBack } = request;
  const { id, coin, mode, merchant_id: merchantId, lane: from } = send;
  if (from === null || previous.account === undefined) throw new Error(`send ${id} has no lane`);
  const wallet = { coin, mode, merchantId };
  const funds = await spendableFunds(tx, { ...wallet, from });
  const { nonce } = previous.account;
  const lane = await nonceSequenceOf(tx, { ...wallet, address: from, fromNonce: nonce, exceptSendId: id });
  const fromAmount = isDeposit(send, from);
  const toSelf = takeBack || newest.cancels === 1;
  return {
    toSelf,
    plan: (rate) => {
      const asked = { ...quote, rate };
      const terms = { previous, funds, changeAddress: from, quote: asked, lane, fromAmount, toSelf };
      const plan = adapter.planBump(terms);
      if (plan === null || (fromAmount && !isWorthItsFee(plan.amount + plan.fee, plan.fee))) return null;
      const isSame = toSelf || fromAmount || plan.amount === previous.amount;
      if (plan.account?.nonce !== nonce || !isSame) throw notTheSame(id);
      return plan;
    },
    take: async () => {},
  };
}

/** Empties an account into another. What only uses up a nonce pays an account's fee to itself. */
function isDeposit({ purpose, destination }: StoredSend, from: string): boolean {
  return purpose === 'sweep' && destination !== from;
}

function requireSamePayment(previous: SendPlan, plan: SendPlan, sendId: string): void {
  if (plan.destination !== previous.destination || plan.amount !== previous.amount) throw notTheSame(sendId);
}

/** Keeping every input makes all versions rivals: at most one of them can ever be mined. */
function requireRivals(previous: SendPlan, plan: SendPlan, sendId: string): void {
  const kept = new Set(plan.inputs.map(({ ref }) => outputKey(ref)));
  if (!previous.inputs.every(({ ref }) => kept.has(outputKey(ref)))) throw notTheSame(sendId);
}

function notTheSame(sendId: string): Error {
  return new Error(`a replacement of send ${sendId} would not be the same payment`);
}
