import type { Creator } from '../../../domain/actor.ts';
import type { ChainAdapter } from '../../../domain/chain.ts';
import type { Chains } from '../../../domain/chains.ts';
import type { ChainId, Coin, Mode } from '../../../domain/coins.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { AmountError, parseCoinAmount } from '../../../domain/money.ts';
import type { SendReason } from '../../../domain/send/types.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import { merchantMode } from '../../access/index.ts';
import { readFeeRate, readMaxFee } from './fee-terms.ts';

/** Amount that means the whole spendable balance, the fee taken out of it. */
export const EVERYTHING = 'max';

/** The merchant whose wallet is used, in its current mode. */
export type WalletOwner = Pick<MerchantRow, 'id' | 'account' | 'sandbox'>;

/** A send as the caller ordered it; texts as received. */
export interface SendInput {
  readonly merchant: WalletOwner;
  /** Who orders it; absent: unknown. */
  readonly creator?: Creator | null | undefined;
  /** The mode whose wallet the caller means; defaults to the current one. */
  readonly mode?: Mode | undefined;
  readonly destination: string;
  /** `max`: everything. */
  readonly amount: string;
  readonly coin: Coin;
  readonly subtractFee?: boolean | undefined;
  /** In the coin. */
  readonly maxFee?: string | undefined;
  /** Atoms per vB (BTC, LTC), gwei (ETH), micro-lamports per compute unit (SOL). */
  readonly feeRate?: string | undefined;
  readonly note?: string | undefined;
}

/** A checked order for one chain. */
export interface SendOrder extends ChainId {
  readonly merchantId: string;
  readonly account: number;
  readonly destination: string;
  /**
   * Atoms, as ordered: the amount that the destination receives, or with subtractFee the amount that leaves
   * the wallet.
   */
  readonly amount: bigint;
  readonly subtractFee: boolean;
  /** The request field that takes the fee out of the amount; defaults to `subtractFee`. */
  readonly feeField?: 'deductFee';
  /** Send the whole balance, regardless of `amount`. */
  readonly everything?: boolean;
  /** Upper limit of the network fee, fee bumps included, atoms. */
  readonly maxFee?: bigint | null;
  /** The part of it that no limit counts, atoms; absent: the usual share of the amount. */
  readonly freeFee?: bigint;
  /** Atoms per 1,000 units of size; defaults to the node's estimate. */
  readonly feeRate?: bigint | null;
  readonly note?: string | null;
  /** Why it is made without an order. */
  readonly reason?: SendReason;
  /** Who ordered it; null or absent: unknown, or a move within the wallet. */
  readonly creator?: Creator | null;
  /**
   * The only outputs that it may spend, by `outputKey`, so that it conflicts with another transaction that
   * spends them.
   */
  readonly only?: ReadonlySet<string> | undefined;
  /** The stored send that this plans again, in its queue position. */
  readonly replans?: string | undefined;
}

/**
 * Rejects an order for another wallet than that of the merchant's current mode, because a page that was open
 * while the mode was switched must not spend real coins.
 * @throws {AppError} INVALID_STATE
 */
export function requireCurrentMode({ merchant, mode }: Pick<SendInput, 'merchant' | 'mode'>): void {
  const current = merchantMode(merchant);
  if (mode === undefined || mode === current) return;
  const message = `This send is meant for the ${mode} wallet, but the merchant is in ${current} mode now`;
  throw new AppError('INVALID_STATE', message);
}

/** Reads an order. @throws {AppError} VALIDATION_INVALID naming `amount`, `maxFee` or `feeRate`. */
export function readOrder(input: SendInput): SendOrder {
  const everything = input.amount.trim() === EVERYTHING;
  return {
    coin: input.coin,
    mode: merchantMode(input.merchant, input.mode),
    merchantId: input.merchant.id,
    account: input.merchant.account,
    destination: input.destination.trim(),
    amount: everything ? 0n : readAmount(input.amount, input.coin),
    subtractFee: everything || input.subtractFee === true,
    everything,
    maxFee: readMaxFee(input.maxFee, input.coin),
    feeRate: readFeeRate(input.feeRate, input.coin),
    note: input.note ?? null,
    creator: input.creator ?? null,
  };
}

/**
 * The chain of an order, after checking that its destination is a spendable address there.
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
