import { type ReplacementRequest, type Fund, outputKey, type SendPlan } from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import { distinctAncestors, deficitAt, packageRate, sizeTogether } from '../../../domain/send/package-fee.ts';
import { receivedOutputs } from '../../../domain/send/outputs.ts';
import { addressScript } from '../address.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import { type FeeRule, finishFeeOnTop, finishFeeSubtracted, type PlanParts, sumInputs } from './plan.ts';
import { usableFunds } from './coin-selection.ts';
import { dustLimit, feeFor, maxInputs } from './size.ts';

/**
 * One fiftieth: more than the margin by which shorter signatures can raise the actual rate above the planned
 * one.
 */
const SIZE_SLACK = 50n;

type Request = ReplacementRequest & { readonly capRate: bigint };

/**
 * A replacement of a stuck send (RBF, BIP-125): all its inputs, the same destination and amount, and a fee
 * that exceeds the old one by the relay increment and brings it, together with its unconfirmed ancestors
 * (CPFP), to the quoted rate. Change pays first, then further confirmed funds, largest first. With `toSelf`
 * everything goes to the change address instead. Null when the quote is no higher than the paid rate, or when
 * the funds or the fee cap do not allow it.
 */
export function planRbfBump(coin: UtxoCoin, network: Network, request: Request): SendPlan | null {
  const { previous, quote, capRate, ancestry } = request;
  const ancestors = distinctAncestors(previous.inputs, ancestry);
  if (quote.rate <= packageRate(previous, ancestors)) return null;
  // Nodes compare rates at actual sizes, which differ from planned ones by a byte per signature.
  const increment = quote.increment ?? quote.minimum ?? quote.rate;
  const leastRate = previous.feeRate + previous.feeRate / SIZE_SLACK + increment;
  const deficit = deficitAt(quote.rate, ancestors);
  const feeRule: FeeRule = (vsize) =>
    largest([
      feeFor(vsize, quote.rate) + deficit,
      feeFor(vsize, leastRate),
      previous.fee + feeFor(vsize, increment),
    ]);
  const change = {
    address: request.changeAddress,
    script: addressScript(coin, network, request.changeAddress),
  };
  const { scriptType, dustRelayRate } = coin;
  const parts = { change, inputKind: scriptType, dustRelayRate };
  // The fee that it pays for its ancestors does not count towards its own rate.
  const isWithinCap = (plan: SendPlan) => (plan.feeRate * (plan.fee - deficit)) / plan.fee <= capRate;
  if (request.toSelf === true) {
    const plan = payBack({ ...parts, inputs: previous.inputs }, feeRule);
    return plan !== null && isWithinCap(plan) ? plan : null;
  }
  const payees = receivedOutputs(previous).map((one) => ({
    ...one,
    script: addressScript(coin, network, one.destination),
  }));
  const scripts = [...payees, change].map(({ script }) => script);
  const most = maxInputs(scriptType, scripts, sizeTogether(ancestors));
  const extra = confirmedExtra(coin, request, leastRate > quote.rate ? leastRate : quote.rate).slice(
    0,
    Math.max(0, most - previous.inputs.length),
  );
  for (let count = 0; count <= extra.length; count += 1) {
    const inputs = [...previous.inputs, ...extra.slice(0, count)];
    const plan = finishFeeOnTop({ ...parts, payees, inputs }, previous.amount, feeRule);
    if (plan !== null) return isWithinCap(plan) ? plan : null;
  }
  return null;
}

/** A replacement must not add unconfirmed outputs (BIP-125, rule 2). */
function confirmedExtra(coin: UtxoCoin, { previous, funds, ancestry }: Request, rate: bigint): Fund[] {
  const spent = new Set(previous.inputs.map(({ ref }) => outputKey(ref)));
  const others = funds.filter(
    ({ ref }) => !spent.has(outputKey(ref)) && ancestry?.has(outputKey(ref)) !== true,
  );
  return usableFunds(coin.scriptType, others, rate);
}

/** Pays everything to one output; null when the fee would leave dust. */
function payBack(parts: Omit<PlanParts, 'payees'>, feeRule: FeeRule): SendPlan | null {
  const { address: destination, script } = parts.change;
  const amount = sumInputs(parts.inputs);
  const plan = finishFeeSubtracted({ ...parts, payees: [{ destination, script, amount }] }, amount, feeRule);
  return plan !== null && plan.amount >= dustLimit(script, parts.dustRelayRate) ? plan : null;
}

function largest(values: readonly bigint[]): bigint {
  return values.reduce((most, value) => (value > most ? value : most));
}
