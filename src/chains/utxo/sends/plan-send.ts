import {
  type Fund,
  InsufficientFunds,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import { formatDecimal } from '../../../domain/money.ts';
import { distinctAncestors, deficitAt, sizeTogether } from '../../../domain/send/package-fee.ts';
import { addressScript } from '../address.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import { effectiveValue, selectCoins, usableFunds } from './coin-selection.ts';
import { type FeeRule, finishFeeOnTop, finishFeeSubtracted } from './plan.ts';
import { dustLimit, feeFor, maxInputs, transactionVsize } from './size.ts';

/**
 * Plans a send (see ChainAdapter.planSend): its coins, outputs and fee. Outputs worth less than their own input
 * fee are never used. An unconfirmed output counts at its value minus the fee shortfall of its ancestors, which
 * this send pays (CPFP).
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
  const chosen = selectCoins(parts, usable, target);
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
