import { selectUTXO } from '@scure/btc-signer';
import {
  type Ancestry,
  type Fund,
  InsufficientFunds,
  outputKey,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import { formatDecimal } from '../../../domain/money.ts';
import { distinctAncestors, deficitAt, sizeTogether } from '../../../domain/send/package-fee.ts';
import { addressScript, keyHashScript } from '../address.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import { type FeeRule, finishFeeOnTop, finishFeeSubtracted, type PlanParts } from './plan.ts';
import { dustLimit, feeFor, inputVsize, maxInputs, transactionVsize } from './size.ts';

/** selectUTXO uses whole atoms per byte; scaling by a thousand keeps our rates per 1,000 exact. */
const SCALE = 1_000n;

/**
 * Selects coins for a send (see ChainAdapter.planSend): the library first searches the largest outputs for a
 * set without change, else it uses the largest. Outputs worth less than their own input fee are never used.
 * An unconfirmed output counts at its value minus the fee shortfall of its ancestors, which this send pays
 * (CPFP).
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

  const { ancestry } = request;
  const { scriptType, dustRelayRate } = coin;
  const ancestorsSize = sizeTogether(distinctAncestors(request.funds, ancestry));
  const most = maxInputs(scriptType, [destination.script, change.script], ancestorsSize);
  const usable = usableFunds(coin, request.funds, rate, ancestry).slice(0, most);
  const parts = { destination, change, scriptType, dustRelayRate };
  const worth = (fund: Fund) => (subtractFee ? fund.amount : effectiveValue(fund, rate, ancestry));
  const target = { amount, rate: subtractFee ? 0n : rate, worth };
  const chosen = selectInputs(parts, usable, target);
  if (chosen === null) throw insufficient(coin, network, usable, request);
  const finish = subtractFee ? finishFeeSubtracted : finishFeeOnTop;
  const deficit = deficitAt(rate, distinctAncestors(chosen, ancestry));
  const feeRule: FeeRule = (vsize) => feeFor(vsize, rate) + deficit;
  const plan = finish({ ...parts, inputs: chosen }, amount, feeRule);
  if (plan === null) throw insufficient(coin, network, usable, request);
  if (plan.amount < leastAmount) {
    throw new UnsendableAmount(
      `after a fee of ${amountText(coin, amount - plan.amount)} less than the smallest payable amount ` +
        `(${amountText(coin, leastAmount)}) would be left`,
    );
  }
  return plan;
}

/** Funds worth more than they cost to spend, largest first. */
export function usableFunds(
  coin: UtxoCoin,
  funds: readonly Fund[],
  rate: bigint,
  ancestry?: Ancestry,
): Fund[] {
  const inputFee = feeFor(inputVsize(coin.scriptType), rate);
  return funds
    .filter((fund) => effectiveValue(fund, rate, ancestry) > inputFee)
    .sort((a, b) => compareBig(b.amount, a.amount) || compareText(outputKey(a.ref), outputKey(b.ref)));
}

/** Value of an output minus the fee that brings its unconfirmed ancestors to the rate. */
function effectiveValue(fund: Fund, rate: bigint, ancestry: Ancestry | undefined): bigint {
  return fund.amount - deficitAt(rate, distinctAncestors([fund], ancestry));
}

interface Target {
  readonly amount: bigint;
  /** Rate of a fee on top of the amount; 0 where the fee is subtracted from it. */
  readonly rate: bigint;
  readonly worth: (fund: Fund) => bigint;
}

/**
 * Maximum number of outputs passed to the library, which blocks the event loop for a fifth of a millisecond
 * per output.
 */
const MAX_SELECTION = 250;

/**
 * The largest outputs that pay the amount and its fee without change; null when all together do not. Beyond
 * the library's maximum, the search for a set without change is not worthwhile.
 */
function largestThatPay(
  { scriptType, destination }: Omit<PlanParts, 'inputs'>,
  usable: readonly Fund[],
  { amount, rate, worth }: Target,
): readonly Fund[] | null {
  let total = 0n;
  for (const [at, fund] of usable.entries()) {
    total += worth(fund);
    if (total < amount) continue;
    const vsize = transactionVsize(scriptType, at + 1, [destination.script]);
    if (total >= amount + feeFor(vsize, rate)) return usable.slice(0, at + 1);
  }
  return null;
}

/** Null when they do not cover it. */
function selectInputs(
  parts: Omit<PlanParts, 'inputs'>,
  usable: readonly Fund[],
  target: Target,
): readonly Fund[] | null {
  const largest = largestThatPay(parts, usable, target);
  if (largest === null || largest.length === usable.length || largest.length > MAX_SELECTION) return largest;
  return chooseInputs(parts, usable.slice(0, MAX_SELECTION), target) ?? largest;
}

function chooseInputs(
  parts: Omit<PlanParts, 'inputs'>,
  usable: readonly Fund[],
  target: Target,
): Fund[] | null {
  if (usable.length === 0) return null;
  const byKey = new Map(usable.map((fund) => [outputKey(fund.ref), fund]));
  const selection = selectUTXO(
    usable.map((fund) => ({
      txid: Buffer.from(fund.ref.txid, 'hex'),
      index: fund.ref.index,
      witnessUtxo: { amount: target.worth(fund) * SCALE, script: PLACEHOLDER_SCRIPTS[parts.scriptType] },
    })),
    [{ script: parts.destination.script, amount: target.amount * SCALE }],
    'exactBiggest/accumBiggest',
    {
      feePerByte: target.rate,
      changeAddress: PLACEHOLDER_ADDRESSES[parts.scriptType],
      allowLegacyWitnessUtxo: true,
      dust: dustLimit(parts.change.script, parts.dustRelayRate) * SCALE,
      dustRelayFeeRate: 1n,
      createTx: false,
    },
  );
  if (selection === undefined) return null;
  return selection.inputs.map((input) => {
    const key = `${Buffer.from(input.txid ?? []).toString('hex')}:${input.index ?? ''}`;
    const fund = byKey.get(key);
    if (fund === undefined) throw new Error(`coin selection returned an unknown output ${key}`);
    return fund;
  });
}

/** The library needs the kind of our scripts, not their contents. */
const PLACEHOLDER_SCRIPTS = { p2wpkh: keyHashScript('p2wpkh'), p2pkh: keyHashScript('p2pkh') };
const PLACEHOLDER_ADDRESSES = {
  p2wpkh: 'bc1qqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqq9e75rs',
  p2pkh: '1111111111111111111114oLvT2',
};

function amountText(coin: UtxoCoin, atoms: bigint): string {
  return `${formatDecimal(atoms, coin.decimals)} ${coin.code}`;
}

function tooSmall(coin: UtxoCoin, leastAmount: bigint): UnsendableAmount {
  return new UnsendableAmount(
    `the smallest amount this address can be paid is ${amountText(coin, leastAmount)}`,
  );
}

function insufficient(
  coin: UtxoCoin,
  network: Network,
  usable: readonly Fund[],
  request: SendRequest,
): InsufficientFunds {
  const script = addressScript(coin, network, request.destination);
  const vsize = transactionVsize(coin.scriptType, Math.max(1, usable.length), [script]);
  const fee = request.subtractFee ? 0n : feeFor(vsize, request.quote.rate);
  const available = usable.reduce(
    (sum, fund) => sum + effectiveValue(fund, request.quote.rate, request.ancestry),
    0n,
  );
  return new InsufficientFunds(available, request.amount + fee);
}

export function compareBig(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
