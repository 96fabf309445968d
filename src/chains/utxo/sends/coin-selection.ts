import { selectUTXO } from '@scure/btc-signer';
import { type Ancestry, type Fund, outputKey } from '../../../domain/chain.ts';
import type { ScriptType } from '../../../domain/coins/definition.ts';
import { deficitAt, distinctAncestors } from '../../../domain/send/package-fee.ts';
import { keyHashScript } from '../address.ts';
import type { PlanParts } from './plan.ts';
import { dustLimit, feeFor, type InputKind, inputVsize, transactionVsize } from './size.ts';

/** selectUTXO uses whole atoms per byte; scaling by a thousand keeps our rates per 1,000 exact. */
const SCALE = 1_000n;

/** Funds worth more than they cost to spend, largest first. */
export function usableFunds(
  kind: InputKind,
  funds: readonly Fund[],
  rate: bigint,
  ancestry?: Ancestry,
): Fund[] {
  const inputFee = feeFor(inputVsize(kind), rate);
  return funds
    .filter((fund) => effectiveValue(fund, rate, ancestry) > inputFee)
    .sort((a, b) => compareBig(b.amount, a.amount) || compareText(outputKey(a.ref), outputKey(b.ref)));
}

/** Value of an output minus the fee that brings its unconfirmed ancestors to the rate. */
export function effectiveValue(fund: Fund, rate: bigint, ancestry: Ancestry | undefined): bigint {
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
  { inputKind, payees }: Omit<PlanParts, 'inputs'>,
  usable: readonly Fund[],
  { amount, rate, worth }: Target,
): readonly Fund[] | null {
  const scripts = payees.map(({ script }) => script);
  let total = 0n;
  for (const [at, fund] of usable.entries()) {
    total += worth(fund);
    if (total < amount) continue;
    const vsize = transactionVsize(inputKind, at + 1, scripts);
    if (total >= amount + feeFor(vsize, rate)) return usable.slice(0, at + 1);
  }
  return null;
}

/**
 * Coin selection: the library first searches the largest outputs for a set without change, else it uses the
 * largest; null when they do not cover the target.
 */
export function selectCoins(
  parts: Omit<PlanParts, 'inputs'>,
  usable: readonly Fund[],
  target: Target,
): readonly Fund[] | null {
  const largest = largestThatPay(parts, usable, target);
  if (largest === null || largest.length === usable.length || largest.length > MAX_SELECTION) return largest;
  const { inputKind } = parts;
  // The library measures inputs by their scripts, and knows those of the wallet.
  if (typeof inputKind !== 'string') return largest;
  return searchWithoutChange({ ...parts, inputKind }, usable.slice(0, MAX_SELECTION), target) ?? largest;
}

function searchWithoutChange(
  parts: Omit<PlanParts, 'inputs' | 'inputKind'> & { readonly inputKind: ScriptType },
  usable: readonly Fund[],
  target: Target,
): Fund[] | null {
  if (usable.length === 0) return null;
  const byKey = new Map(usable.map((fund) => [outputKey(fund.ref), fund]));
  const selection = selectUTXO(
    usable.map((fund) => ({
      txid: Buffer.from(fund.ref.txid, 'hex'),
      index: fund.ref.index,
      witnessUtxo: { amount: target.worth(fund) * SCALE, script: PLACEHOLDER_SCRIPTS[parts.inputKind] },
    })),
    parts.payees.map(({ script, amount }) => ({ script, amount: amount * SCALE })),
    'exactBiggest/accumBiggest',
    {
      feePerByte: target.rate,
      changeAddress: PLACEHOLDER_ADDRESSES[parts.inputKind],
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

export function compareBig(a: bigint, b: bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

export function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
