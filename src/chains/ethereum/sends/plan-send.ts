import {
  type AccountTerms,
  type ReplacementRequest,
  type FeeQuote,
  type Fund,
  InsufficientFunds,
  outputKey,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../domain/chain.ts';
import { accountKey } from '../address.ts';
import { feeFor, priceFrom, rateFrom } from './eip1559-fees.ts';

/**
 * Plans a send from one account, that of `changeAddress`, where the unsent remainder stays. Uses the first nonce that
 * neither the node nor another send of the account has taken.
 * @throws {InsufficientFunds} {UnsendableAmount}
 */
export function planSend(request: SendRequest): SendPlan {
  const { quote, nonceSequence, amount, subtractFee, destination, changeAddress } = request;
  const terms = requireTerms(quote);
  const fee = feeFor(terms.gasLimit, quote.rate);
  if (amount <= 0n) throw new UnsendableAmount('must be more than nothing');
  if (subtractFee && amount <= fee) {
    throw new UnsendableAmount('is not more than the network fee that would come out of it');
  }
  const own = request.funds.filter((fund) => accountKey(fund.address) === accountKey(changeAddress));
  const received = subtractFee ? amount - fee : amount;
  const available = sumAmounts(own) - (nonceSequence?.committed ?? 0n);
  if (available < received + fee) {
    throw new InsufficientFunds(available > 0n ? available : 0n, received + fee);
  }
  const plan = finish(choose(own, received + fee), { destination, changeAddress, amount: received, fee });
  const nonce = freeNonce(terms.nonce, nonceSequence?.usedNonces ?? new Set());
  return { ...plan, feeRate: rateFrom(priceFrom(quote.rate)), account: { ...terms, nonce } };
}

/** Lowest price at which nodes replace a transaction: at least 10 % more; an eighth stays clear of rounding. */
function minReplacementPrice(feeRate: bigint): bigint {
  return feeRate + feeRate / 8n + 1n;
}

/**
 * Plans a replacement of a send (same nonce) at a price that every node accepts (an eighth more; most require
 * a tenth). With `toSelf` it pays the sender itself and only uses up the nonce. Null when the quote is no
 * higher than the price already paid, or when cap or funds forbid it.
 */
export function planReplacement(request: ReplacementRequest & { readonly capRate: bigint }): SendPlan | null {
  const { previous, quote, capRate, nonceSequence, changeAddress } = request;
  const { account } = previous;
  if (account === undefined || quote.rate <= previous.feeRate) return null;
  const least = minReplacementPrice(previous.feeRate);
  const rate = rateFrom(priceFrom(quote.rate > least ? quote.rate : least));
  if (rate > capRate) return null;
  const fee = feeFor(account.gasLimit, rate);
  const raised = fee - previous.fee;
  const isBack = request.toSelf === true;
  const kept = request.fromAmount === true ? previous.amount - raised : previous.amount;
  const amount = isBack ? 0n : kept;
  if (!isBack && amount <= 0n) return null;
  const sender = accountKey(changeAddress);
  const used = new Set(previous.inputs.map(({ ref }) => outputKey(ref)));
  const own = request.funds.filter((fund) => accountKey(fund.address) === sender);
  const extra = own.filter(({ ref }) => !used.has(outputKey(ref)));
  // With a nonce sequence, the funds are the account's current balance; without one, all funds known to the
  // ledger.
  const available =
    nonceSequence === undefined
      ? sumAmounts(previous.inputs) + sumAmounts(extra)
      : sumAmounts(own) - nonceSequence.committed;
  if (available < amount + fee) return null;
  const inputs = [...previous.inputs];
  for (const fund of extra) if (sumAmounts(inputs) < amount + fee) inputs.push(fund);
  const destination = isBack ? changeAddress : previous.destination;
  return { ...finish(inputs, { destination, changeAddress, amount, fee }), feeRate: rate, account };
}

function requireTerms(quote: FeeQuote): AccountTerms {
  if (quote.account === undefined) throw new Error('the fee quote has no account');
  return quote.account;
}

function freeNonce(from: number, taken: ReadonlySet<number>): number {
  let nonce = from;
  while (taken.has(nonce)) nonce += 1;
  return nonce;
}

/**
 * Funds that cover the amount, largest first: the selection within an account makes no difference on the
 * chain.
 */
function choose(funds: readonly Fund[], needed: bigint): Fund[] {
  const chosen: Fund[] = [];
  let sum = 0n;
  for (const fund of [...funds].sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0))) {
    if (sum >= needed) break;
    chosen.push(fund);
    sum += fund.amount;
  }
  return chosen;
}

function finish(
  inputs: readonly Fund[],
  to: { destination: string; changeAddress: string; amount: bigint; fee: bigint },
): Omit<SendPlan, 'feeRate'> {
  const { destination, changeAddress, amount, fee } = to;
  const rest = sumAmounts(inputs) - amount - fee;
  const change = rest > 0n ? { address: changeAddress, amount: rest } : null;
  return { inputs, destination, amount, fee, change };
}

function sumAmounts(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, fund) => sum + fund.amount, 0n);
}
