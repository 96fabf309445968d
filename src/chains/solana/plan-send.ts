import { SOLANA_ACCOUNTS_PER_SEND } from '../../domain/accounts.ts';
import {
  type FeeQuote,
  type Fund,
  InsufficientFunds,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../domain/chain.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { computeUnits, sendFee } from './fees.ts';

/** All funds of one address: an account is drawn on as a whole. */
export interface Account {
  readonly address: string;
  readonly funds: readonly Fund[];
  readonly amount: bigint;
}

/** Funds by the account that holds them, in the order in which the accounts first appear. */
export function accountsOf(funds: readonly Fund[]): Account[] {
  return [...Map.groupBy(funds, ({ address }) => address)].map(([address, own]) => ({
    address,
    funds: own,
    amount: sum(own.map(({ amount }) => amount)),
  }));
}

/**
 * The merchant address first, for it pays the fee and keeps the change; then as many deposits as
 * are needed, the largest first, each emptied to exactly 0.
 * @throws {InsufficientFunds} when what fits into one transaction does not cover it.
 * @throws {UnsendableAmount} when the change would be less than the network lets an account hold.
 */
export function planSend(request: SendRequest, rentMinimum: bigint): SendPlan {
  const { amount, subtractFee, quote } = request;
  requireSendable(amount);
  const usable = usableAccounts(request);
  let stranded: bigint | null = null;
  for (let count = 1; count <= usable.length; count += 1) {
    const accounts = usable.slice(0, count);
    const fee = sendFee(count, quote);
    const rest = sum(accounts.map((account) => account.amount)) - amount - (subtractFee ? 0n : fee);
    if (rest < 0n) continue;
    if (rest > 0n && rest < rentMinimum) {
      stranded ??= rest;
      continue;
    }
    requireSendable(subtractFee ? amount - fee : amount);
    return finish(request, { accounts, fee, rest });
  }
  if (stranded !== null) throw strands(stranded, rentMinimum);
  const available = sum(usable.map((account) => account.amount));
  throw new InsufficientFunds(
    available,
    amount + (subtractFee ? 0n : sendFee(Math.max(1, usable.length), quote)),
  );
}

/** The same payment under a new date, once the old one is over for good. */
export function planRenewal(previous: SendPlan, quote: FeeQuote): SendPlan | null {
  const { lifetime } = quote;
  if (lifetime === undefined || previous.lifetime === undefined) return null;
  if (lifetime.finalizedHeight <= previous.lifetime.lastValidHeight) return null;
  return { ...previous, lifetime: dated(quote) };
}

function usableAccounts({ funds, changeAddress }: SendRequest): Account[] {
  const isWallet = ({ address }: Account): number => (address === changeAddress ? 0 : 1);
  return accountsOf(funds)
    .toSorted((a, b) => isWallet(a) - isWallet(b) || compare(b.amount, a.amount))
    .slice(0, SOLANA_ACCOUNTS_PER_SEND);
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
  if (lifetime === undefined) throw new Error('a Solana fee quote has a lifetime');
  const { blockhash, lastValidHeight, slot } = lifetime;
  return { blockhash, lastValidHeight, ...(slot === undefined ? {} : { slot }) };
}

function requireSendable(amount: bigint): void {
  if (amount <= 0n) throw new UnsendableAmount('nothing would be left for the destination');
}

function strands(rest: bigint, rentMinimum: bigint): UnsendableAmount {
  const left = formatCoinAmount(rest, 'SOL');
  const least = formatCoinAmount(rentMinimum, 'SOL');
  return new UnsendableAmount(
    `would leave ${left} SOL in the wallet, less than the ${least} SOL that the network demands of an account: send all of it with subtractFee, or leave more`,
  );
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

function compare(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
