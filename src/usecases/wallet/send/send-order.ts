import type { Creator } from '../../../domain/actor.ts';
import { outputKey, type ChainAdapter, type OutputRef } from '../../../domain/chain.ts';
import type { Chains } from '../../../domain/chains.ts';
import { isUtxoCoin, type ChainId, type Coin, type Mode } from '../../../domain/coins.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import { AmountError, parseCoinAmount } from '../../../domain/money.ts';
import { MAX_SEND_OUTPUTS, type SendOutput, sumOutputs } from '../../../domain/send/outputs.ts';
import type { SendReason } from '../../../domain/send/types.ts';
import type { MerchantRow } from '../../../store/schema/merchants.ts';
import { merchantMode } from '../../access/index.ts';
import type { WatchedSource } from './watched-account.ts';
import { readFeeRate, readMaxFee } from './fee-terms.ts';

/** Maximum number of outputs that an order chooses. */
export const MAX_SEND_INPUTS = 200;

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
  /** Exactly one of `destination` with `amount`, and `outputs`. */
  readonly destination?: string | undefined;
  /** `max`: everything. */
  readonly amount?: string | undefined;
  readonly outputs?: readonly { readonly destination: string; readonly amount: string }[] | undefined;
  /** The outputs that it spends, all of them and no others. */
  readonly inputs?: readonly { readonly txHash: string; readonly index: number }[] | undefined;
  readonly coin: Coin;
  /** `own`, or the id of a watched account; absent: the account that new orders are paid to. */
  readonly from?: string | undefined;
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
  /** Several recipients, with what each is ordered to receive of the amount; `destination` is the first. */
  readonly outputs?: readonly SendOutput[] | null;
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
  /** Both as ordered, by which a repeat is recognised; an approval and a fee bump change the limit. */
  readonly feeTermsJson?: string;
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
  /** Coin control: it spends all of these outputs, and no version of it spends others. */
  readonly inputs?: readonly OutputRef[] | null;
  /** The account that it takes its money from; absent: the till's own wallet. */
  readonly watched?: WatchedSource | undefined;
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

/** Reads an order. @throws {AppError} VALIDATION_INVALID naming the field. */
export function readOrder(input: SendInput): SendOrder {
  const { subtractFee = false, ...recipients } = readRecipients(input);
  const maxFee = readMaxFee(input.maxFee, input.coin);
  const feeRate = readFeeRate(input.feeRate, input.coin);
  return {
    coin: input.coin,
    mode: merchantMode(input.merchant, input.mode),
    merchantId: input.merchant.id,
    account: input.merchant.account,
    ...recipients,
    subtractFee: subtractFee || input.subtractFee === true,
    inputs: readInputs(input),
    maxFee,
    feeRate,
    feeTermsJson: JSON.stringify([maxFee, feeRate].map((term) => term?.toString() ?? null)),
    note: input.note ?? null,
    creator: input.creator ?? null,
  };
}

type Recipients = Pick<SendOrder, 'destination' | 'amount' | 'outputs' | 'everything'> & {
  readonly subtractFee?: boolean;
};

function readRecipients(input: SendInput): Recipients {
  const { destination, amount, outputs, coin } = input;
  if (outputs !== undefined) return readSeveral(outputs, input);
  if (destination === undefined) throw invalidField('destination', 'is required', 'required');
  if (amount === undefined) throw invalidField('amount', 'is required', 'required');
  const everything = amount.trim() === EVERYTHING;
  return {
    destination: destination.trim(),
    amount: everything ? 0n : readAmount(amount, coin),
    outputs: null,
    everything,
    subtractFee: everything,
  };
}

/** A list with one recipient is the same order as `destination` and `amount`. */
function readSeveral(
  listed: NonNullable<SendInput['outputs']>,
  { destination, amount, coin }: SendInput,
): Recipients {
  for (const [field, value] of Object.entries({ destination, amount }))
    if (value !== undefined) throw invalidField(field, 'must be omitted when outputs is set');
  const outputs = listed.map((one, at) => ({
    destination: one.destination.trim(),
    amount: readAmount(one.amount, coin, `outputs.${at}.amount`),
  }));
  const [first] = outputs;
  if (first === undefined || outputs.length > MAX_SEND_OUTPUTS)
    throw invalidField('outputs', `needs 1 to ${MAX_SEND_OUTPUTS} recipients`);
  if (outputs.length === 1) return { ...first, outputs: null, everything: false };
  if (!isUtxoCoin(coin))
    throw invalidField('outputs', `one ${coin} transaction pays one recipient: make a send for each`);
  return { destination: first.destination, amount: sumOutputs(outputs), outputs, everything: false };
}

/** @throws {AppError} VALIDATION_INVALID naming the input. */
function readInputs({ inputs, coin }: SendInput): OutputRef[] | null {
  if (inputs === undefined) return null;
  if (!isUtxoCoin(coin)) throw invalidField('inputs', `${coin} is not held in outputs`);
  if (inputs.length === 0 || inputs.length > MAX_SEND_INPUTS)
    throw invalidField('inputs', `needs 1 to ${MAX_SEND_INPUTS} outputs`);
  const refs = inputs.map(({ txHash, index }) => ({ txid: txHash.trim().toLowerCase(), index }));
  const keys = refs.map(outputKey);
  const twice = keys.findIndex((key, at) => keys.indexOf(key) !== at);
  if (twice !== -1) throw invalidField(`inputs.${twice}`, 'is listed twice');
  return refs;
}

/** The recipients of an order, with the request field of each. */
export function listRecipients({
  destination,
  outputs,
}: Pick<SendOrder, 'destination' | 'outputs'>): { readonly destination: string; readonly field: string }[] {
  if (outputs === undefined || outputs === null) return [{ destination, field: 'destination' }];
  return outputs.map((one, at) => ({
    destination: one.destination,
    field: `outputs.${at}.destination`,
  }));
}

/**
 * The chain of an order, after checking that its destination is a spendable address there.
 * @throws {AppError} COIN_UNAVAILABLE, or VALIDATION_INVALID naming the destination.
 */
export function chainFor(
  chains: Chains,
  order: ChainId & Pick<SendOrder, 'destination' | 'outputs'>,
): ChainAdapter {
  const adapter = chains.get(order.coin, order.mode);
  if (adapter === null) {
    throw new AppError('COIN_UNAVAILABLE', `${order.coin} is not configured in ${order.mode} mode`);
  }
  for (const { destination, field } of listRecipients(order)) {
    const problem = adapter.validateAddress(destination);
    if (problem !== null) throw invalidField(field, problem);
  }
  return adapter;
}

/** A positive amount in the coin's unit → atoms. @throws {AppError} VALIDATION_INVALID naming the field. */
export function readAmount(text: string, coin: Coin, field = 'amount'): bigint {
  try {
    const amount = parseCoinAmount(text.trim(), coin);
    if (amount > 0n) return amount;
  } catch (error) {
    if (error instanceof AmountError) throw invalidField(field, error.message);
    throw error;
  }
  throw invalidField(field, 'must be greater than zero');
}
