import { accountsPerSend } from '../../domain/accounts.ts';
import {
  ChainError,
  InsufficientFunds,
  outputKey,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type Fund,
  type SendPlan,
} from '../../domain/chain.ts';
import type { Chains } from '../../domain/chains.ts';
import type { ChainId, Coin } from '../../domain/coins.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import type { AddressDeriver } from '../../domain/keys.ts';
import { AmountError, formatCoinAmount, parseCoinAmount } from '../../domain/money.ts';
import { findWatched } from '../../store/addresses.ts';
import type { Db } from '../../store/database.ts';
import { laneOf } from '../../store/lanes.ts';
import { spendableFunds } from '../../store/spendable.ts';
import { spendableAccounts, type SpendableAccount } from '../../store/spendable-accounts.ts';
import type { MerchantRow } from '../../store/tables.ts';
import { nextChangeAddress } from './change-address.ts';
import { drawableFunds, fitsHeld, withHeld } from './drawable-funds.ts';
import { sendsFromOneAddress } from './sender.ts';

/** Accounts added up to say how much lies beyond what one send can reach. */
const MAX_TOLD_ACCOUNTS = 1_000;

/** Whose wallet is meant, in its current mode. */
export type WalletOwner = Pick<MerchantRow, 'id' | 'account' | 'sandbox'>;

/** What the caller asks to be sent; texts as they came in. */
export interface SendInput {
  readonly merchant: WalletOwner;
  readonly destination: string;
  readonly amount: string;
  readonly coin: Coin;
  readonly subtractFee?: boolean | undefined;
}

/** A checked order for one chain. */
export interface SendOrder extends ChainId {
  readonly merchantId: string;
  readonly account: number;
  readonly destination: string;
  /** Atoms, as ordered: what the destination gets, or with subtractFee what leaves the wallet. */
  readonly amount: bigint;
  readonly subtractFee: boolean;
}

/** Reads an order. @throws {AppError} VALIDATION_INVALID naming `amount`. */
export function readOrder(input: SendInput): SendOrder {
  return {
    coin: input.coin,
    mode: input.merchant.sandbox === 1 ? 'sandbox' : 'live',
    merchantId: input.merchant.id,
    account: input.merchant.account,
    destination: input.destination.trim(),
    amount: readAmount(input.amount, input.coin),
    subtractFee: input.subtractFee === true,
  };
}

/**
 * The chain an order goes to, once its destination is known to be spendable there.
 * @throws {AppError} COIN_UNAVAILABLE, or VALIDATION_INVALID naming `destination`.
 */
export function chainFor(chains: Chains, order: SendOrder): ChainAdapter {
  const adapter = chains.get(order.coin, order.mode);
  if (adapter === null) {
    throw new AppError('COIN_UNAVAILABLE', `${order.coin} is not configured in ${order.mode} mode`);
  }
  const problem = adapter.addressProblem(order.destination);
  if (problem !== null) throw invalidField('destination', problem);
  return adapter;
}

/**
 * What the node says about the fee of an order; waits for the network.
 * @throws {AppError} NODE_UNAVAILABLE, VALIDATION_INVALID when the destination refuses money, and as
 * planOrder does where the node measures a draft.
 */
export async function quoteFee(
  deps: PlanOrderDeps & { readonly db: Db },
  adapter: ChainAdapter,
  order: SendOrder,
): Promise<FeeQuote> {
  const { coin, mode, account, destination, amount } = order;
  try {
    const from = deps.deriver.address({ coin, mode, account, branch: 0, index: 0 });
    if (adapter.measure !== undefined) {
      const level = await adapter.feeQuote({ from, destination, amount });
      const quote = await withHeld(deps.db, adapter, { wallet: order }, level);
      // What is planned here may be gone when it is stored: then the plan is made without the measure.
      return await adapter.measure(await planOrder(deps.db, deps, order, { adapter, quote }), quote);
    }
    if (!sendsFromOneAddress(order)) return await adapter.feeQuote();
    return await adapter.feeQuote({ from, destination, amount });
  } catch (error) {
    if (error instanceof UnsendableAmount) throw invalidField('destination', error.message);
    if (!(error instanceof ChainError)) throw error;
    const message = `the ${adapter.coin} node does not answer at the moment; nothing was sent`;
    throw new AppError('NODE_UNAVAILABLE', message, { cause: error });
  }
}

export interface PlanOrderDeps {
  readonly deriver: AddressDeriver;
}

/**
 * Chooses the merchant's coins for an order. Inside a transaction the choice holds until its end.
 * @throws {AppError} INSUFFICIENT_BALANCE saying what is available, or VALIDATION_INVALID.
 */
export async function planOrder(
  db: Db,
  deps: PlanOrderDeps,
  order: SendOrder,
  using: { readonly adapter: ChainAdapter; readonly quote: FeeQuote },
): Promise<SendPlan> {
  const { adapter, quote } = using;
  await refuseOwnPayment(db, adapter, order);
  const { destination, amount, subtractFee } = order;
  const changeAddress = await nextChangeAddress(db, deps, order);
  const from = sendsFromOneAddress(order) ? changeAddress : undefined;
  const funds = await drawableFunds(db, { ...order, from }, { held: quote.held, changeAddress });
  const fromNonce = quote.account?.nonce ?? 0;
  const lane = from === undefined ? undefined : await laneOf(db, { ...order, address: from, fromNonce });
  try {
    const request = { funds, destination, amount, subtractFee, changeAddress, quote, lane };
    const plan = adapter.planSend(request);
    if (fitsHeld(plan, quote.held)) return plan;
    // It would empty the merchant's own account, which holds more than the ledger knows.
    const deposits = funds.filter(({ address }) => address !== changeAddress);
    return adapter.planSend({ ...request, funds: deposits });
  } catch (error) {
    if (error instanceof InsufficientFunds) {
      throw insufficient(order, error, await uncollected(db, order, funds));
    }
    if (error instanceof UnsendableAmount) throw invalidField('amount', error.message);
    throw error;
  }
}

/**
 * Money sent to the address of one's own payment would count as the customer's: whoever copies the
 * address from a payment to refund it would mark it paid instead.
 */
async function refuseOwnPayment(db: Db, adapter: ChainAdapter, order: SendOrder): Promise<void> {
  const [known] = await findWatched(db, order, [adapter.watchKey(order.destination)]);
  if (known?.merchant_id === order.merchantId && known.purpose === 'payment') {
    throw invalidField(
      'destination',
      'is the address of one of your own payments: money sent there would count as the customer paying',
    );
  }
}

/** What one send cannot reach yet: on its way to the merchant address as far as it is worth the fee. */
async function uncollected(db: Db, order: SendOrder, reached: readonly Fund[]): Promise<bigint> {
  const everywhere = sendsFromOneAddress(order)
    ? await spendableFunds(db, order)
    : (await accountsBeyondOneSend(db, order)).map(({ fund }) => fund);
  const here = new Set(reached.map(({ ref }) => outputKey(ref)));
  const elsewhere = everywhere.filter(({ ref }) => !here.has(outputKey(ref)));
  return elsewhere.reduce((sum, fund) => sum + fund.amount, 0n);
}

async function accountsBeyondOneSend(db: Db, order: SendOrder): Promise<SpendableAccount[]> {
  return accountsPerSend(order) === null ? [] : spendableAccounts(db, order, MAX_TOLD_ACCOUNTS);
}

function insufficient(order: SendOrder, shortage: InsufficientFunds, uncollected: bigint): AppError {
  const { coin } = order;
  const available = formatCoinAmount(shortage.available, coin);
  const needed = formatCoinAmount(shortage.needed, coin);
  const hint =
    uncollected === 0n
      ? ''
      : `; ${formatCoinAmount(uncollected, coin)} ${coin} more lies on payment addresses and is moved here by itself once it is settled and worth its fee: try again then`;
  return new AppError(
    'INSUFFICIENT_BALANCE',
    `${available} ${coin} is available and ${needed} ${coin} is needed, network fee included${hint}`,
  );
}

/** A positive amount in the coin's unit → atoms. @throws {AppError} VALIDATION_INVALID naming `amount`. */
export function readAmount(text: string, coin: Coin): bigint {
  try {
    const amount = parseCoinAmount(text.trim(), coin);
    if (amount > 0n) return amount;
  } catch (error) {
    if (error instanceof AmountError) throw invalidField('amount', error.message);
    throw error;
  }
  throw invalidField('amount', 'must be greater than zero');
}
