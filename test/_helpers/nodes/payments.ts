/** Builds the miner's payments and their double-spends. Amounts are bigint atoms throughout. */
import { toAtoms, toDecimal } from './amounts.ts';
import type { NodeHandle } from './node-handle.ts';
import {
  encodeUnsigned,
  FINAL_SEQUENCE,
  type RawInput,
  type RawOutput,
  REPLACEABLE_SEQUENCE,
} from './raw-transaction.ts';

const DEFAULT_FEE_RATE = 20;
const BYTES_PER_KILOBYTE = 1000n;
/** A replacement pays this much more per virtual byte than what it evicts. */
const REPLACEMENT_STEP_PER_VBYTE = 20n;
const DUST_ATOMS = 10_000n;

export interface PayOutput {
  readonly address: string;
  readonly amountAtoms: bigint;
}

export interface PayRequest {
  readonly address: string;
  readonly amountAtoms?: bigint;
  /** Several outputs to the same address in one transaction. */
  readonly amounts?: readonly bigint[];
  /** Atoms per virtual byte, 20 by default. */
  readonly feeRate?: number;
  /** Signals replacement; true by default. */
  readonly rbf?: boolean;
}

export interface ReplaceOptions {
  /** Where the money goes instead; without it the outputs stay (a fee bump). */
  readonly newAddress?: string;
  /** What `newAddress` gets; by default what the first payment paid out. */
  readonly amountAtoms?: bigint;
  /** The whole fee; by default enough to replace the first payment and its descendants. */
  readonly feeAtoms?: bigint;
}

export interface Conflict {
  readonly txid: string;
  readonly rawTx: string;
}

interface DecodedTx {
  vsize: number;
  vin: { txid: string; vout: number; sequence: number }[];
  vout: { value: string; scriptPubKey: { hex: string; address?: string; addresses?: string[] } }[];
}

interface SpentOutput {
  txid: string;
  vout: number;
  scriptPubKey: string;
  amount: string;
}

/** A signed payment with these outputs first and change last. Its coins stay locked for it. */
export async function buildPayment(
  node: NodeHandle,
  outputs: readonly PayOutput[],
  options: Pick<PayRequest, 'feeRate' | 'rbf'>,
): Promise<string> {
  if (outputs.length === 0) throw new Error('a payment needs at least one output');
  const wanted: RawOutput[] = [];
  for (const { address, amountAtoms } of outputs) {
    wanted.push({ scriptHex: await scriptOf(node, address), amountAtoms });
  }
  const rate = BigInt(options.feeRate ?? DEFAULT_FEE_RATE) * BYTES_PER_KILOBYTE;
  const funded = await node.walletRpc<{ hex: string }>('fundrawtransaction', [
    encodeUnsigned([], wanted),
    {
      feeRate: toDecimal(rate),
      replaceable: options.rbf ?? true,
      changePosition: wanted.length,
      change_type: 'bech32',
      lockUnspents: true,
    },
    false,
  ]);
  return sign(node, funded.hex);
}

/** Spends the inputs of a miner's payment again, to another address or with a higher fee. */
export async function buildReplacement(
  node: NodeHandle,
  txid: string,
  options: ReplaceOptions,
): Promise<Conflict> {
  const known = await node.walletRpc<{ hex: string; fee?: string }>('gettransaction', [txid]);
  if (known.fee === undefined) throw new Error(`${txid} was not paid by the miner's wallet`);
  const tx = await node.rpc<DecodedTx>('decoderawtransaction', [known.hex]);
  const oldFee = -toAtoms(known.fee);
  const funds = tx.vout.reduce((sum, output) => sum + toAtoms(output.value), oldFee);
  const fee = options.feeAtoms ?? (await replacementFee(node, txid, tx, oldFee));
  const { paid, changeScript } = await splitOutputs(node, tx);
  const outputs = await replacementOutputs(node, paid, options);
  const change = funds - fee - outputs.reduce((sum, output) => sum + output.amountAtoms, 0n);
  if (change < 0n) throw new Error(`${txid} leaves no room for a replacement fee of ${fee} atoms`);
  if (change >= DUST_ATOMS) {
    const scriptHex = changeScript ?? (await scriptOf(node, await node.newAddress()));
    outputs.push({ scriptHex, amountAtoms: change });
  }
  const inputs: RawInput[] = tx.vin.map(({ txid: parent, vout, sequence }) => ({
    txid: parent,
    vout,
    sequence: sequence === REPLACEABLE_SEQUENCE ? REPLACEABLE_SEQUENCE : FINAL_SEQUENCE,
  }));
  const rawTx = await sign(node, encodeUnsigned(inputs, outputs), await spentOutputs(node, tx));
  const decoded = await node.rpc<{ txid: string }>('decoderawtransaction', [rawTx]);
  return { txid: decoded.txid, rawTx };
}

async function replacementOutputs(
  node: NodeHandle,
  paid: readonly RawOutput[],
  options: ReplaceOptions,
): Promise<RawOutput[]> {
  if (options.newAddress === undefined) return [...paid];
  const total = paid.reduce((sum, output) => sum + output.amountAtoms, 0n);
  const scriptHex = await scriptOf(node, options.newAddress);
  return [{ scriptHex, amountAtoms: options.amountAtoms ?? total }];
}

/** Which outputs pay someone, and which script got the change. */
async function splitOutputs(
  node: NodeHandle,
  tx: DecodedTx,
): Promise<{ paid: RawOutput[]; changeScript: string | null }> {
  const paid: RawOutput[] = [];
  let changeScript: string | null = null;
  for (const { value, scriptPubKey } of tx.vout) {
    const address = scriptPubKey.address ?? scriptPubKey.addresses?.[0];
    const info =
      address === undefined
        ? { ischange: false }
        : await node.walletRpc<{ ischange: boolean }>('getaddressinfo', [address]);
    if (info.ischange) changeScript = scriptPubKey.hex;
    else paid.push({ scriptHex: scriptPubKey.hex, amountAtoms: toAtoms(value) });
  }
  return { paid, changeScript };
}

async function replacementFee(
  node: NodeHandle,
  txid: string,
  tx: DecodedTx,
  oldFee: bigint,
): Promise<bigint> {
  const step = BigInt(tx.vsize) * REPLACEMENT_STEP_PER_VBYTE;
  if (!(await node.getMempool()).includes(txid)) return oldFee + step;
  const entry = await node.rpc<{ fees: { descendant: string } }>('getmempoolentry', [txid]);
  return toAtoms(entry.fees.descendant) + step;
}

async function scriptOf(node: NodeHandle, address: string): Promise<string> {
  const checked = await node.rpc<{ isvalid: boolean; scriptPubKey?: string }>('validateaddress', [address]);
  if (!checked.isvalid || checked.scriptPubKey === undefined) {
    throw new Error(`${node.coin}: not an address of this network: ${address}`);
  }
  return checked.scriptPubKey;
}

/** What the inputs spend; the node itself no longer tells once the first payment confirmed. */
async function spentOutputs(node: NodeHandle, tx: DecodedTx): Promise<SpentOutput[]> {
  const spent: SpentOutput[] = [];
  for (const { txid, vout } of tx.vin) {
    const { hex } = await node.walletRpc<{ hex: string }>('gettransaction', [txid]);
    const parent = await node.rpc<DecodedTx>('decoderawtransaction', [hex]);
    const output = parent.vout[vout];
    if (output === undefined) throw new Error(`${txid} has no output ${vout}`);
    spent.push({ txid, vout, scriptPubKey: output.scriptPubKey.hex, amount: output.value });
  }
  return spent;
}

async function sign(node: NodeHandle, hex: string, spent: readonly SpentOutput[] = []): Promise<string> {
  const signed = await node.walletRpc<{ hex: string; complete: boolean; errors?: unknown }>(
    'signrawtransactionwithwallet',
    [hex, spent],
  );
  if (!signed.complete) {
    throw new Error(`${node.coin}: could not sign: ${JSON.stringify(signed.errors)}`);
  }
  return signed.hex;
}
