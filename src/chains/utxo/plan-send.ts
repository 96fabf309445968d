import { selectUTXO } from '@scure/btc-signer';
import { OUTPUTS_PER_SEND } from '../../domain/accounts.ts';
import {
  type Fund,
  InsufficientFunds,
  outputKey,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../domain/chain.ts';
import type { Network } from '../../domain/coins.ts';
import { formatCoinAmount } from '../../domain/money.ts';
import { addressScript } from './address.ts';
import type { UtxoCoin } from './coin.ts';
import { finishFeeOnTop, finishFeeSubtracted, type PlanParts, rateRule, sumOf } from './plan.ts';
import { dustLimit, feeFor, INPUT_VSIZE, transactionVsize } from './size.ts';

/** selectUTXO counts in whole atoms per byte; thousandths give it our rates per 1,000 exactly. */
const SCALE = 1_000n;

/**
 * Chooses coins for a send (see ChainAdapter.planSend): the library looks for a set that needs no
 * change first and else takes the biggest. Outputs worth less than their own input fee are never used.
 * @throws {InsufficientFunds} {UnsendableAmount} {TypeError} for an address of another chain.
 */
export function planSend(coin: UtxoCoin, network: Network, request: SendRequest): SendPlan {
  const { amount, subtractFee } = request;
  const { rate } = request.quote;
  const destination = {
    address: request.destination,
    script: addressScript(coin, network, request.destination),
  };
  const change = {
    address: request.changeAddress,
    script: addressScript(coin, network, request.changeAddress),
  };
  const leastAmount = dustLimit(destination.script, coin.dustRelayRate);
  if (amount < leastAmount) throw tooSmall(coin, leastAmount);

  const usable = usableFunds(request.funds, rate);
  const parts = { destination, change, dustRelayRate: coin.dustRelayRate };
  const chosen = chooseInputs(parts, usable, { amount, rate: subtractFee ? 0n : rate });
  if (chosen === null) throw insufficient(usable, destination.script, request);
  const finish = subtractFee ? finishFeeSubtracted : finishFeeOnTop;
  const plan = finish({ ...parts, inputs: chosen }, amount, rateRule(rate));
  if (plan === null) throw insufficient(usable, destination.script, request);
  if (plan.amount < leastAmount) {
    throw new UnsendableAmount(
      `after a fee of ${formatCoinAmount(amount - plan.amount, coin.code)} ${coin.code} less than the smallest payable amount ` +
        `(${formatCoinAmount(leastAmount, coin.code)} ${coin.code}) would be left`,
    );
  }
  return plan;
}

/** Those worth more than they cost to spend, biggest first, as many as one transaction may have. */
export function usableFunds(funds: readonly Fund[], rate: bigint): Fund[] {
  const inputFee = feeFor(BigInt(INPUT_VSIZE), rate);
  return funds
    .filter((fund) => fund.amount > inputFee)
    .sort((a, b) => compareBig(b.amount, a.amount) || compareText(outputKey(a.ref), outputKey(b.ref)))
    .slice(0, OUTPUTS_PER_SEND);
}

function chooseInputs(
  parts: Omit<PlanParts, 'inputs'>,
  usable: readonly Fund[],
  target: { amount: bigint; rate: bigint },
): Fund[] | null {
  if (usable.length === 0) return null;
  const byKey = new Map(usable.map((fund) => [outputKey(fund.ref), fund]));
  const selection = selectUTXO(
    usable.map((fund) => ({
      txid: Buffer.from(fund.ref.txid, 'hex'),
      index: fund.ref.index,
      witnessUtxo: { amount: fund.amount * SCALE, script: PLACEHOLDER_SCRIPT },
    })),
    [{ script: parts.destination.script, amount: target.amount * SCALE }],
    'exactBiggest/accumBiggest',
    {
      feePerByte: target.rate,
      changeAddress: PLACEHOLDER_ADDRESS,
      dust: dustLimit(parts.change.script, parts.dustRelayRate) * SCALE,
      dustRelayFeeRate: 1n,
      createTx: false,
    },
  );
  if (selection === undefined) return null;
  return selection.inputs.map((input) => {
    const key = `${Buffer.from(input.txid ?? []).toString('hex')}:${input.index ?? ''}`;
    const fund = byKey.get(key);
    if (fund === undefined) throw new Error(`coin selection answered an unknown output ${key}`);
    return fund;
  });
}

/** The library needs the kinds of our scripts (all P2WPKH), not their contents. */
const PLACEHOLDER_SCRIPT = Buffer.from(`0014${'00'.repeat(20)}`, 'hex');
const PLACEHOLDER_ADDRESS = 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs';

function tooSmall(coin: UtxoCoin, leastAmount: bigint): UnsendableAmount {
  return new UnsendableAmount(
    `the smallest amount this address can be paid is ${formatCoinAmount(leastAmount, coin.code)} ${coin.code}`,
  );
}

function insufficient(usable: readonly Fund[], script: Uint8Array, request: SendRequest): InsufficientFunds {
  const vsize = transactionVsize(Math.max(1, usable.length), [script]);
  const fee = request.subtractFee ? 0n : feeFor(vsize, request.quote.rate);
  return new InsufficientFunds(sumOf(usable), request.amount + fee);
}

export function compareBig(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
