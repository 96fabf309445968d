import { Transaction } from '@scure/btc-signer';
import { type Fund, outputKey, type SendPlan, type SignedTransaction } from '../../../domain/chain.ts';
import type { Network } from '../../../domain/coins.ts';
import type { KeySource } from '../../../domain/keys.ts';
import { receivedOutputs } from '../../../domain/send/outputs.ts';
import { addressScript } from '../address.ts';
import type { UtxoCoin } from '../../../domain/coins/definition.ts';
import { compareBig, compareText } from './coin-selection.ts';
import { sumInputs } from './plan.ts';
import { signSegwit } from './sign-segwit.ts';

/** Signals replaceability (RBF, BIP-125). */
const REPLACEABLE = 0xfffffffd;
const VERSION = 2;

/**
 * Signs a plan: inputs and outputs in BIP-69 order, locktime 0. The same plan and keys always give the same
 * bytes (RFC 6979 nonces). Each signature commits to its input's amount (BIP-143), except for P2PKH.
 * @throws {Error} when the plan's amounts do not add up or a key does not belong to its fund.
 */
export async function signSend(
  coin: UtxoCoin,
  network: Network,
  plan: SendPlan,
  keys: KeySource,
): Promise<SignedTransaction> {
  const outputs = listOutputs(coin, network, plan);
  const paid = outputs.reduce((sum, output) => sum + output.amount, 0n);
  if (sumInputs(plan.inputs) !== paid + plan.fee)
    throw new Error('the inputs and outputs of the send plan differ');
  const inputs = [...plan.inputs].sort(
    (a, b) => compareText(a.ref.txid, b.ref.txid) || a.ref.index - b.ref.index,
  );
  const scripts = inputs.map(({ address }) => addressScript(coin, network, address));
  const sign = coin.scriptType === 'p2wpkh' ? signWitnesses : signScripts;
  const { txid, raw } = await sign({ inputs, scripts, outputs, keys });
  return { txid, raw, outputs: outputs.map(({ address }) => address) };
}

interface Parts {
  readonly inputs: readonly Fund[];
  /** Of each input. */
  readonly scripts: readonly Buffer[];
  readonly outputs: readonly { readonly script: Buffer; readonly amount: bigint }[];
  readonly keys: KeySource;
}

type Signed = Pick<SignedTransaction, 'txid' | 'raw'>;

async function signWitnesses({ inputs, scripts, outputs, keys }: Parts): Promise<Signed> {
  const unsigned = inputs.map(({ ref, amount, keyPath }, at) => ({
    ref,
    sequence: REPLACEABLE,
    amount,
    script: scripts[at] ?? Buffer.alloc(0),
    key: () => keys.privateKey(keyPath),
  }));
  return signSegwit({ version: VERSION, lockTime: 0, inputs: unsigned, outputs });
}

/** Where the coin has no segwit. */
async function signScripts({ inputs, scripts, outputs, keys }: Parts): Promise<Signed> {
  // Amounts come from the ledger, read from blocks of the merchant's own node, so no third party can understate them.
  const transaction = new Transaction({ version: VERSION, lockTime: 0, allowLegacyWitnessUtxo: true });
  for (const [at, { ref, amount }] of inputs.entries()) {
    transaction.addInput({
      txid: ref.txid,
      index: ref.index,
      sequence: REPLACEABLE,
      witnessUtxo: { amount, script: scripts[at] ?? Buffer.alloc(0) },
    });
  }
  for (const { script, amount } of outputs) transaction.addOutput({ script, amount });
  for (const [at, fund] of inputs.entries()) {
    try {
      transaction.signIdx(keys.privateKey(fund.keyPath), at);
    } catch (error) {
      throw new Error(`the key of ${outputKey(fund.ref)} does not belong to its address`, { cause: error });
    }
  }
  transaction.finalize();
  return { txid: transaction.id, raw: transaction.hex };
}

/** BIP-69: by amount, then by script. */
function listOutputs(
  coin: UtxoCoin,
  network: Network,
  plan: SendPlan,
): { address: string; script: Buffer; amount: bigint }[] {
  const paid = receivedOutputs(plan);
  const payments = paid.map(({ destination: address, amount }) => ({ address, amount }));
  const outputs = [...payments, ...(plan.change === null ? [] : [plan.change])].map(
    ({ address, amount }) => ({
      address,
      script: addressScript(coin, network, address),
      amount,
    }),
  );
  return outputs.sort((a, b) => compareBig(a.amount, b.amount) || Buffer.compare(a.script, b.script));
}
