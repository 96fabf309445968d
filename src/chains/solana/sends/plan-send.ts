import { SOLANA } from '../../../domain/coins/solana.ts';
import {
  type FeeQuote,
  InsufficientFunds,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../domain/chain.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { type Account, groupByAccount, sum } from '../accounts/account-funds.ts';
import { computeUnits, transactionFee, sendFee } from './fees.ts';
import { buildMessage } from './sign-send.ts';

/**
 * Plans a send, using the measured compute limit only for a plan it was measured for: between simulation and signing
 * another send may take the accounts, and one more transfer needs more.
 * @throws as planWith
 */
export function planSend(request: SendRequest, rentExemptMinimum: bigint): SendPlan {
  const plan = planWith(request, rentExemptMinimum);
  const { measured, ...quote } = request.quote;
  if (measured === undefined || buildMessage(plan).transfers.length <= measured.transfers) return plan;
  return planWith({ ...request, quote }, rentExemptMinimum);
}

/**
 * Draws on the merchant address first, because it pays the fee and keeps the change; then on as many deposits
 * as needed, largest first, each emptied to exactly 0.
 * @throws {InsufficientFunds} when the accounts that fit into one transaction do not cover it.
 * @throws {UnsendableAmount} when the change would be below the network's minimum for an account.
 */
function planWith(request: SendRequest, rentExemptMinimum: bigint): SendPlan {
  const { amount, subtractFee, quote } = request;
  requireSendable(amount);
  const usable = usableAccounts(request);
  let stranded: bigint | null = null;
  for (let count = 1; count <= usable.length; count += 1) {
    const accounts = usable.slice(0, count);
    const fee = sendFee(count, quote);
    const rest = sum(accounts.map((account) => account.amount)) - amount - (subtractFee ? 0n : fee);
    if (rest < 0n) continue;
    if (rest > 0n && rest < rentExemptMinimum) {
      stranded ??= rest;
      continue;
    }
    requireSendable(subtractFee ? amount - fee : amount);
    return finish(request, { accounts, fee, rest });
  }
  if (stranded !== null) throw strands(stranded, rentExemptMinimum);
  const available = sum(usable.map((account) => account.amount));
  throw new InsufficientFunds(
    available,
    amount + (subtractFee ? 0n : sendFee(Math.max(1, usable.length), quote)),
  );
}

/** Limits on the fee of a renewal. */
export interface RenewalTerms {
  /** The destination pays the fee. */
  readonly subtractFee: boolean;
  /** Maximum fee in lamports. */
  readonly feeLimit: bigint;
  /** Maximum rate in lamports per 1,000 compute units. */
  readonly capRate: bigint;
  readonly rentExemptMinimum: bigint;
}

/** Plans a payment again whose block hash has finally expired, at a higher fee where affordable and allowed. */
export function planRenewal(previous: SendPlan, quote: FeeQuote, terms: RenewalTerms): SendPlan | null {
  const { lifetime } = quote;
  if (lifetime === undefined || previous.lifetime === undefined) return null;
  if (lifetime.finalizedHeight <= previous.lifetime.lastValidHeight) return null;
  const renewed = { ...previous, lifetime: dated(quote) };
  return withHigherFee(renewed, quote.rate, terms) ?? renewed;
}

/**
 * At least doubles the priority fee, which was too low for execution, at the expense of the fee payer; null
 * if impossible.
 */
function withHigherFee(
  plan: SendPlan,
  requested: bigint,
  { subtractFee, feeLimit, capRate, rentExemptMinimum }: RenewalTerms,
): SendPlan | null {
  const { computeUnits: units } = plan;
  if (units === undefined) return null;
  const least = 2n * plan.feeRate;
  const accounts = groupByAccount(plan.inputs).length;
  const feeRate = [requested > least ? requested : least, least]
    .map((rate) => (rate > capRate ? capRate : rate))
    .find((rate) => transactionFee(accounts, units, rate) <= feeLimit);
  if (feeRate === undefined || feeRate <= plan.feeRate) return null;
  const fee = transactionFee(accounts, units, feeRate);
  const extra = fee - plan.fee;
  const { change } = plan;
  const payer = subtractFee ? plan.amount : (change?.amount ?? 0n);
  if (payer - extra < rentExemptMinimum) return null;
  const raised = subtractFee
    ? { ...plan, fee, feeRate, amount: payer - extra }
    : { ...plan, fee, feeRate, change: change === null ? null : { ...change, amount: payer - extra } };
  // One more transfer would not fit the compute limit.
  return buildMessage(raised).transfers.length > buildMessage(plan).transfers.length ? null : raised;
}

function usableAccounts({ funds, changeAddress }: SendRequest): Account[] {
  const isWallet = ({ address }: Account): number => (address === changeAddress ? 0 : 1);
  return groupByAccount(funds)
    .toSorted((a, b) => isWallet(a) - isWallet(b) || compare(b.amount, a.amount))
    .slice(0, SOLANA.accountsPerSend);
}

function finish(
  { destination, amount, subtractFee, changeAddress, quote }: SendRequest,
  chosen: { readonly accounts: readonly Account[]; readonly fee: bigint; readonly rest: bigint },
): SendPlan {
  const { accounts, fee, rest } = chosen;
  return {
    inputs: accounts.flatMap(({ funds }) => funds),
    destination,
    amount: subtractFee ? amount - fee : amount,
    fee,
    change: rest === 0n ? null : { address: changeAddress, amount: rest },
    feeRate: quote.rate,
    lifetime: dated(quote),
    computeUnits: computeUnits(accounts.length, quote),
  };
}

function dated({ lifetime }: FeeQuote): NonNullable<SendPlan['lifetime']> {
  if (lifetime === undefined) throw new Error('the Solana fee quote has no lifetime');
  const { blockhash, lastValidHeight, slot } = lifetime;
  return { blockhash, lastValidHeight, ...(slot === undefined ? {} : { slot }) };
}

function requireSendable(amount: bigint): void {
  if (amount <= 0n) throw new UnsendableAmount('nothing would be left for the destination');
}

function strands(rest: bigint, rentExemptMinimum: bigint): UnsendableAmount {
  const left = formatCoinAmount(rest, 'SOL');
  const least = formatCoinAmount(rentExemptMinimum, 'SOL');
  return new UnsendableAmount(
    `would leave ${left} SOL in the wallet, less than the ${least} SOL that the network demands of an account: send all of it with subtractFee, or leave more`,
  );
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
