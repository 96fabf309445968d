import {
  type AccountTerms,
  ChainError,
  type FeeQuote,
  type SendIntent,
  UnsendableAmount,
} from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import { requireChain } from '../rpc/identity.ts';
import type { NodeClient, GasPrices } from '../rpc/node-client.ts';
import type { FeeSourceHealth } from '../../shared/fee-source-health.ts';
import { isRevert } from './reject-reasons.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';

/** Gas of a plain transfer to any account without code. */
const TRANSFER_GAS = 21_000n;
/** Fee rates are per 1,000 gas. */
const PER = 1_000n;
/**
 * Maximum gas for a destination to receive money. Contract wallets and deposit addresses of exchanges use
 * less than half of it. The sender pays for all of it, so a payer could otherwise name a contract that burns
 * the wallet's money.
 */
const MOST_GAS = 200_000n;
/** Margin of a quarter on gas estimates: a contract may need more than it did a moment ago. */
const MARGIN_PERCENT = 125n;
/** Headroom over the base fee: it can rise by an eighth with each block. */
const BASE_FEE_PERCENT = 125n;
const HUNDRED = 100n;
/** Priority fee where the node suggests none: 1 gwei. */
const DEFAULT_TIP = 1_000_000_000n;

/**
 * Quotes the current price (EIP-1559) of a send by the intended sender. The whole price goes to the block's proposer or
 * is burned (tip = max fee), so that the quoted fee is the fee paid.
 * @throws {ChainError}; {UnsendableAmount} when the destination's code rejects the money, or needs too much
 * gas to receive it.
 */
export async function quoteFee(
  client: NodeClient,
  network: Network,
  options: {
    readonly capRate: bigint;
    readonly at: number;
    readonly intent: SendIntent | undefined;
    readonly sources: FeeSourceHealth;
  },
): Promise<FeeQuote> {
  const { capRate, at, intent, sources } = options;
  const prices = await client.gasPrices(intent?.from ?? null);
  for (const [method, problem] of prices.problems) {
    if (problem === null) sources.answered(method);
    else sources.failed(method, problem);
  }
  const { chainId } = requireChain(network, prices.chainId);
  const wanted = computeGasPrice(prices) * PER;
  const rate = wanted < capRate ? wanted : capRate;
  const source = wanted < capRate ? 'node' : 'cap';
  const gasLimit = intent === undefined ? TRANSFER_GAS : await gasFor(client, intent);
  const account: AccountTerms = { chainId, nonce: prices.nonce, gasLimit };
  const { baseFee } = prices.tip;
  const minimum = baseFee === null ? {} : { minimum: baseFee * PER };
  return { rate, source, at, account, maximum: capRate, ...minimum };
}

/** @throws {ChainError} when no source yields a price */
function computeGasPrice({ tip, maxPriorityFeePerGas, gasPrice, problems }: GasPrices): bigint {
  if (tip.baseFee === null) {
    if (gasPrice !== null) return gasPrice;
    const reason = problems.get('eth_gasPrice') ?? 'no price';
    throw new ChainError('bad_answer', `the node returned no gas price: eth_gasPrice: ${reason}`);
  }
  const overBase = gasPrice === null ? DEFAULT_TIP : gasPrice > tip.baseFee ? gasPrice - tip.baseFee : 0n;
  const priorityFee = maxPriorityFeePerGas ?? overBase;
  return (tip.baseFee * BASE_FEE_PERCENT) / HUNDRED + priorityFee + 1n;
}

async function gasFor(client: NodeClient, { from, destination, amount }: SendIntent): Promise<bigint> {
  const call = { from, to: destination };
  const estimate = await estimateGas(client, call, amount);
  if (estimate > MOST_GAS) {
    throw new UnsendableAmount(
      `the contract at the destination uses ${estimate} gas to take this transfer: more than ${MOST_GAS} is not paid for`,
    );
  }
  return estimate <= TRANSFER_GAS ? TRANSFER_GAS : (estimate * MARGIN_PERCENT) / HUNDRED;
}

async function estimateGas(
  client: NodeClient,
  call: { readonly from: string; readonly to: string },
  amount: bigint,
): Promise<bigint> {
  try {
    return await client.estimateGas({ ...call, value: amount }).catch((error: unknown) => {
      // The node may be behind the ledger, or the send too large: the estimate decides neither.
      if (error instanceof RpcRefusal && /insufficient|exceeds balance|allowance/i.test(error.reason)) {
        return client.estimateGas({ ...call, value: 0n });
      }
      throw error;
    });
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    // A node failure says nothing about the contract.
    if (!isRevert(error)) throw new ChainError('unavailable', `gas estimation failed: ${error.message}`);
    throw new UnsendableAmount(`the contract at the destination refuses this transfer (${error.reason})`);
  }
}

/** Fee for gas at a rate per 1,000 gas. Rates made here are whole wei per gas. */
export function feeFor(gas: bigint, rate: bigint): bigint {
  return gas * priceFrom(rate);
}

/** Converts a rate to wei per gas, rounded up. */
export function priceFrom(rate: bigint): bigint {
  return (rate + PER - 1n) / PER;
}

export function rateFrom(price: bigint): bigint {
  return price * PER;
}
