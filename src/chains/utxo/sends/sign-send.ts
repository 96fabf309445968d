import { Transaction } from '@scure/btc-signer';
import { type Fund, outputKey, type SendPlan, type SignedTransaction } from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import type { KeySource } from '../../../domain/keys.ts';
import { addressScript } from '../address.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import { compareBig, compareText } from './plan-send.ts';
import { sumOf } from './plan.ts';

/** Signals replacement (BIP-125). */
const REPLACEABLE = 0xfffffffd;
const VERSION = 2;

/**
 * Signs a plan: inputs and outputs in BIP-69 order, locktime 0. The same plan and keys always give the same bytes
 * (RFC 6979 nonces). Each signature commits to its input's amount (BIP-143), except for P2PKH.
 * @throws {Error} when the plan does not add up or a key does not belong to its fund.
 */
export function signSend(
  coin: UtxoCoin,
  network: Network,
  plan: SendPlan,
  keys: KeySource,
): SignedTransaction {
  const outputs = outputsOf(coin, network, plan);
  const paid = outputs.reduce((sum, output) => sum + output.amount, 0n);
  if (sumOf(plan.inputs) !== paid + plan.fee) throw new Error('the plan does not add up');
  const transaction = new Transaction({
    version: VERSION,
    lockTime: 0,
    // Amounts come from the ledger, read from blocks of the merchant's own node, so no third party can understate them.
    allowLegacyWitnessUtxo: coin.scriptType === 'p2pkh',
  });
  const inputs = [...plan.inputs].sort(
    (a, b) => compareText(a.ref.txid, b.ref.txid) || a.ref.index - b.ref.index,
  );
  for (const fund of inputs) {
    transaction.addInput({
      txid: fund.ref.txid,
      index: fund.ref.index,
      sequence: REPLACEABLE,
      witnessUtxo: { amount: fund.amount, script: addressScript(coin, network, fund.address) },
    });
  }
  for (const { script, amount } of outputs) transaction.addOutput({ script, amount });
  for (const [index, fund] of inputs.entries()) signInput(transaction, index, fund, keys);
  transaction.finalize();
  return { txid: transaction.id, raw: transaction.hex, outputs: outputs.map(({ address }) => address) };
}

function signInput(transaction: Transaction, index: number, fund: Fund, keys: KeySource): void {
  const privateKey = keys.privateKey(fund.keyPath);
  try {
    transaction.signIdx(privateKey, index);
  } catch (error) {
    throw new Error(`the key of ${outputKey(fund.ref)} does not belong to its address`, { cause: error });
  }
}

/** BIP-69: by amount, then by script. */
function outputsOf(
  coin: UtxoCoin,
  network: Network,
  plan: SendPlan,
): { address: string; script: Buffer; amount: bigint }[] {
  const paid = { address: plan.destination, amount: plan.amount };
  const outputs = [paid, ...(plan.change === null ? [] : [plan.change])].map(({ address, amount }) => ({
    address,
    script: addressScript(coin, network, address),
    amount,
  }));
  return outputs.sort((a, b) => compareBig(a.amount, b.amount) || Buffer.compare(a.script, b.script));
}
