import {
  type Fund,
  InsufficientFunds,
  type SendPlan,
  type SendRequest,
  UnsendableAmount,
} from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import { formatUnits } from '../../../domain/money.ts';
import { distinctAncestors, deficitAt, sizeTogether } from '../../../domain/send/package-fee.ts';
import { receivedOutputs } from '../../../domain/send/outputs.ts';
import { addressScript } from '../address.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import { effectiveValue, selectCoins, usableFunds } from './coin-selection.ts';
import { type FeeRule, finishFeeOnTop, finishFeeSubtracted, type Payee } from './plan.ts';
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
  const payees = listPayees(coin, network, request);
  requireCarried(coin, payees);
  const change = {
    address: request.changeAddress,
    script: addressScript(coin, network, request.changeAddress),
  };
  const { ancestry } = request;
  const { dustRelayRate } = coin;
  const inputKind = request.inputSize ?? coin.scriptType;
  const ancestorsSize = sizeTogether(distinctAncestors(request.funds, ancestry));
  const scripts = [...payees, change].map(({ script }) => script);
  const usable = usableFunds(inputKind, request.funds, rate, ancestry).slice(
    0,
    maxInputs(inputKind, scripts, ancestorsSize),
  );
  const parts = { payees, change, inputKind, dustRelayRate };
  const worth = (fund: Fund) => (subtractFee ? fund.amount : effectiveValue(fund, rate, ancestry));
  const target = { amount, rate: subtractFee ? 0n : rate, worth };
  const chosen = request.spendsAll === true ? request.funds : selectCoins(parts, usable, target);
  if (chosen === null) throw insufficient(coin, payees, usable, request);
  const finish = subtractFee ? finishFeeSubtracted : finishFeeOnTop;
  const deficit = deficitAt(rate, distinctAncestors(chosen, ancestry));
  const feeRule: FeeRule = (vsize) => feeFor(vsize, rate) + deficit;
  const plan = finish({ ...parts, inputs: chosen }, amount, feeRule);
  if (plan === null) throw insufficient(coin, payees, usable, request);
  requireCarriedAfterFee(coin, payees, { plan, amount });
  return plan;
}

function listPayees(
  coin: UtxoCoin,
  network: Network,
  request: Pick<SendRequest, 'destination' | 'amount' | 'outputs'>,
): Payee[] {
  return receivedOutputs(request).map((one) => ({
    ...one,
    script: addressScript(coin, network, one.destination),
  }));
}

/** @throws {UnsendableAmount} when a recipient would receive dust. */
function requireCarried(coin: UtxoCoin, payees: readonly Payee[]): void {
  for (const [at, { script, amount }] of payees.entries()) {
    const least = dustLimit(script, coin.dustRelayRate);
    if (amount >= least) continue;
    throw new UnsendableAmount(
      `the smallest amount this address can be paid is ${amountText(coin, least)}`,
      payees.length === 1 ? null : at,
    );
  }
}

/** @throws {UnsendableAmount} when the fee leaves a recipient dust. */
function requireCarriedAfterFee(
  coin: UtxoCoin,
  payees: readonly Payee[],
  { plan, amount }: { readonly plan: SendPlan; readonly amount: bigint },
): void {
  const received = receivedOutputs(plan);
  for (const [at, { script }] of payees.entries()) {
    const least = dustLimit(script, coin.dustRelayRate);
    if ((received[at]?.amount ?? 0n) >= least) continue;
    throw new UnsendableAmount(
      `after a fee of ${amountText(coin, amount - plan.amount)} less than the smallest payable amount ` +
        `(${amountText(coin, least)}) would be left`,
      payees.length === 1 ? null : at,
    );
  }
}

function amountText(coin: UtxoCoin, atoms: bigint): string {
  return `${formatUnits(atoms, coin.decimals)} ${coin.code}`;
}

function insufficient(
  coin: UtxoCoin,
  payees: readonly Payee[],
  usable: readonly Fund[],
  request: SendRequest,
): InsufficientFunds {
  const scripts = payees.map(({ script }) => script);
  const kind = request.inputSize ?? coin.scriptType;
  const vsize = transactionVsize(kind, Math.max(1, usable.length), scripts);
  const fee = request.subtractFee ? 0n : feeFor(vsize, request.quote.rate);
  const available = usable.reduce(
    (sum, fund) => sum + effectiveValue(fund, request.quote.rate, request.ancestry),
    0n,
  );
  return new InsufficientFunds(available, request.amount + fee);
}
