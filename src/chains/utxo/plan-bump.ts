import { type BumpRequest, outputKey, type SendPlan } from '../../domain/chain.ts';
import type { Network } from '../../domain/coins.ts';
import { addressScript } from './address.ts';
import type { UtxoCoin } from './coin.ts';
import { type FeeRule, finishFeeOnTop } from './plan.ts';
import { usableFunds } from './plan-send.ts';
import { feeFor } from './size.ts';

/** A fiftieth: more than short signatures can make the first version's rate better than planned. */
const SIZE_SLACK = 50n;

/**
 * A replacement of a stuck send (BIP-125): all its inputs, the same destination and amount, a fee
 * that beats the old one by the relay increment and reaches the quoted rate. Change pays first,
 * further funds (biggest first) where it does not suffice. Null when the quote asks no more than
 * is paid already, or when the funds or the fee cap do not allow it.
 */
export function planBump(
  coin: UtxoCoin,
  network: Network,
  request: BumpRequest & { readonly capRate: bigint },
): SendPlan | null {
  const { previous, quote, capRate } = request;
  if (quote.rate <= previous.feeRate) return null;
  // Nodes compare the rates of real sizes, which differ from planned ones by a byte per signature.
  const leastRate = previous.feeRate + previous.feeRate / SIZE_SLACK + coin.incrementalRelayRate;
  const rate = quote.rate > leastRate ? quote.rate : leastRate;
  const feeRule: FeeRule = (vsize) => {
    const byRate = feeFor(vsize, rate);
    const byRules = previous.fee + feeFor(vsize, coin.incrementalRelayRate);
    return byRate > byRules ? byRate : byRules;
  };
  const spent = new Set(previous.inputs.map(({ ref }) => outputKey(ref)));
  const extra = usableFunds(
    request.funds.filter(({ ref }) => !spent.has(outputKey(ref))),
    rate,
  );
  const parts = {
    destination: {
      address: previous.destination,
      script: addressScript(coin, network, previous.destination),
    },
    change: { address: request.changeAddress, script: addressScript(coin, network, request.changeAddress) },
    dustRelayRate: coin.dustRelayRate,
  };
  for (let count = 0; count <= extra.length; count += 1) {
    const inputs = [...previous.inputs, ...extra.slice(0, count)];
    const plan = finishFeeOnTop({ ...parts, inputs }, previous.amount, feeRule);
    if (plan !== null) return plan.feeRate <= capRate ? plan : null;
  }
  return null;
}
