import { OUTPUTS_PER_SEND } from '../../domain/accounts.ts';
import {
  InsufficientFunds,
  UnsendableAmount,
  type ReplacementRequest,
  type FeeQuote,
  type Fund,
  type SendPlan,
  type SendRequest,
} from '../../domain/chain.ts';
import type { Coin } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { receivedOutputs, type SendOutput, splitAmount } from '../../domain/send/outputs.ts';
import { COIN_FORMATS } from './formats.ts';
import { distinctAncestors, packageRate } from '../../domain/send/package-fee.ts';

/** A replacement pays at least one eighth more per unit than the replaced transaction. */
const BUMP_DIVISOR = 8n;

export function quoteFee(coin: Coin, nowMs: number): FeeQuote {
  const rate = COIN_FORMATS[coin].feeRate;
  // Its fee level never changes: a lower rate would not be mined on a real network either.
  return { rate, minimum: rate, source: 'simulator', at: nowMs };
}

/**
 * Largest funds first; the fee comes on top, or out of the amount with `subtractFee`; change below the dust
 * limit goes to the fee.
 * @throws {InsufficientFunds} when the funds do not cover it.
 * @throws {UnsendableAmount} when the destination would receive less than the dust limit.
 */
export function planSend(coin: Coin, request: SendRequest): SendPlan {
  const { amount, subtractFee, quote } = request;
  const funds = [...request.funds].sort(byAmountDescending).slice(0, OUTPUTS_PER_SEND);
  const total = sum(funds);
  const payees = receivedOutputs(request);
  requireCarried(coin, payees);
  const least = request.spendsAll === true ? Math.max(1, funds.length) : 1;
  for (let count = least; count <= funds.length; count += 1) {
    const inputs = funds.slice(0, count);
    const received = subtractFee ? amount - feeFor(coin, count, payees.length, quote.rate) : amount;
    const plan = settle(coin, inputs, { ...request, payees, received, spent: amount });
    if (plan === null) continue;
    requireCarried(coin, receivedOutputs(plan));
    return plan;
  }
  const fee = subtractFee ? 0n : feeFor(coin, Math.max(1, funds.length), payees.length, quote.rate);
  throw new InsufficientFunds(total, amount + fee);
}

/**
 * Same destination and amount at a higher fee, with more funds if the change does not cover it.
 * Null when the quoted rate is no higher than the paid rate, or when the funds do not suffice.
 */
export function planReplacement(coin: Coin, request: ReplacementRequest): SendPlan | null {
  const { previous, quote, ancestry } = request;
  // Its package rate, with unconfirmed ancestors, may be lower than its own.
  if (quote.rate <= packageRate(previous, distinctAncestors(previous.inputs, ancestry))) return null;
  const floor = previous.feeRate + previous.feeRate / BUMP_DIVISOR + 1n;
  const rate = quote.rate > floor ? quote.rate : floor;
  if (request.toSelf === true) return payBack(coin, request, rate);
  const used = new Set(previous.inputs.map((fund) => `${fund.ref.txid}:${fund.ref.index}`));
  const extra = request.funds
    .filter((fund) => !used.has(`${fund.ref.txid}:${fund.ref.index}`))
    .sort(byAmountDescending);
  for (let count = 0; count <= extra.length; count += 1) {
    const plan = settle(coin, [...previous.inputs, ...extra.slice(0, count)], {
      payees: receivedOutputs(previous),
      subtractFee: false,
      changeAddress: previous.change?.address ?? request.changeAddress,
      quote: { ...quote, rate },
      received: previous.amount,
      spent: previous.amount,
    });
    if (plan !== null && plan.fee > previous.fee) return plan;
  }
  return null;
}

/** Returns everything to the change address. */
function payBack(coin: Coin, { previous, changeAddress }: ReplacementRequest, rate: bigint): SendPlan | null {
  // With a single output it is smaller, but it must still pay more than the replaced transaction.
  const least = previous.fee + previous.fee / BUMP_DIVISOR + 1n;
  const usual = feeFor(coin, previous.inputs.length, 1, rate);
  const fee = usual > least ? usual : least;
  const amount = sum(previous.inputs) - fee;
  if (amount < COIN_FORMATS[coin].dust) return null;
  const payees = [{ destination: changeAddress, amount }];
  return finish(coin, previous.inputs, { payees, amount, change: null });
}

interface Settlement extends Pick<SendRequest, 'subtractFee' | 'changeAddress' | 'quote'> {
  readonly payees: readonly SendOutput[];
  /** Amount that the destination receives without change. */
  readonly received: bigint;
  /** Amount that leaves the wallet, excluding a fee on top. */
  readonly spent: bigint;
}

/** Null when these inputs do not cover the send. */
function settle(coin: Coin, inputs: readonly Fund[], settlement: Settlement): SendPlan | null {
  const { payees, subtractFee, changeAddress, quote } = settlement;
  const total = sum(inputs);
  const changeFee = feeFor(coin, inputs.length, payees.length + 1, quote.rate);
  const changeAmount = total - settlement.spent - (subtractFee ? 0n : changeFee);
  if (changeAmount >= COIN_FORMATS[coin].dust) {
    const amount = subtractFee ? settlement.spent - changeFee : settlement.received;
    const change = { address: changeAddress, amount: changeAmount };
    return finish(coin, inputs, { payees, amount, change });
  }
  const needed = settlement.received + feeFor(coin, inputs.length, payees.length, quote.rate);
  if (total < needed) return null;
  return finish(coin, inputs, { payees, amount: settlement.received, change: null });
}

function finish(
  coin: Coin,
  inputs: readonly Fund[],
  {
    payees,
    amount,
    change,
  }: Pick<SendPlan, 'amount' | 'change'> & { readonly payees: readonly SendOutput[] },
): SendPlan {
  const [first] = payees;
  if (first === undefined) throw new RangeError('a send needs a recipient');
  const fee = sum(inputs) - amount - (change?.amount ?? 0n);
  const size = COIN_FORMATS[coin].size(inputs.length, payees.length + (change === null ? 0 : 1));
  return {
    inputs,
    destination: first.destination,
    amount,
    ...(payees.length === 1 ? {} : { outputs: splitAmount(payees, amount) }),
    change,
    fee,
    feeRate: divideUp(fee * 1_000n, size),
  };
}

function requireCarried(coin: Coin, payees: readonly SendOutput[]): void {
  const { dust } = COIN_FORMATS[coin];
  const at = payees.findIndex(({ amount }) => amount < dust);
  if (at === -1) return;
  throw new UnsendableAmount(
    `the destination would get less than the network carries (${formatCoinAmount(dust, coin)} ${coin})`,
    payees.length === 1 ? null : at,
  );
}

function feeFor(coin: Coin, inputs: number, outputs: number, rate: bigint): bigint {
  return divideUp(COIN_FORMATS[coin].size(inputs, outputs) * rate, 1_000n);
}

function divideUp(value: bigint, by: bigint): bigint {
  return (value + by - 1n) / by;
}

function sum(funds: readonly Fund[]): bigint {
  return funds.reduce((total, fund) => total + fund.amount, 0n);
}

function byAmountDescending(a: Fund, b: Fund): number {
  if (a.amount === b.amount) return 0;
  return a.amount > b.amount ? -1 : 1;
}
