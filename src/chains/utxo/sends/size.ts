import type { ScriptType } from '../../../domain/coins/definition.ts';
import type { InputSize } from '../../../domain/psbt.ts';
import { MAX_PACKAGE_SIZE } from '../../../domain/send/package-fee.ts';

/** Sizes of transactions that we plan: inputs of one kind, any outputs. All pure. */

/** Inputs of the wallet, by its script type, or those of a watched account. */
export type InputKind = ScriptType | InputSize;

const WITNESS_SCALE = 4;
const OVERHEAD_BYTES = 4 + 4;
const SEGWIT_MARKER_WEIGHT = 2;
const OUTPOINT_SCRIPT_SEQUENCE_BYTES = 32 + 4 + 1 + 4;
/** Longest DER signature with its hash type and the public key, each preceded by its length. */
const SIGNATURE_AND_KEY_BYTES = 1 + 72 + 1 + 33;
const INPUT_WEIGHTS: Readonly<Record<ScriptType, number>> = {
  // One byte more for the count of witness items (BIP-141).
  p2wpkh: OUTPOINT_SCRIPT_SEQUENCE_BYTES * WITNESS_SCALE + 1 + SIGNATURE_AND_KEY_BYTES,
  p2pkh: (OUTPOINT_SCRIPT_SEQUENCE_BYTES + SIGNATURE_AND_KEY_BYTES) * WITNESS_SCALE,
};

/** Virtual size that one more input adds, rounded up. */
export function inputVsize(kind: InputKind): bigint {
  return BigInt(Math.ceil(inputWeight(kind) / WITNESS_SCALE));
}

function inputWeight(kind: InputKind): number {
  return typeof kind === 'string' ? INPUT_WEIGHTS[kind] : kind.weight;
}

function hasWitness(kind: InputKind): boolean {
  return typeof kind === 'string' ? kind === 'p2wpkh' : kind.hasWitness;
}

/** Largest transaction that nodes relay (MAX_STANDARD_TX_WEIGHT of Bitcoin Core), vB. */
const MAX_VSIZE = 100_000n;

/**
 * Maximum number of our inputs in a transaction with these outputs: alone, and in one package with its
 * unconfirmed ancestors.
 * @param ancestorsSize virtual size of those
 */
export function maxInputs(
  type: InputKind,
  outputScripts: readonly Uint8Array[],
  ancestorsSize: bigint,
): number {
  const room = MAX_PACKAGE_SIZE - ancestorsSize;
  const size = room < MAX_VSIZE ? room : MAX_VSIZE;
  // The count of inputs takes three bytes from 253 inputs on.
  const overhead = transactionVsize(type, 0xfd, outputScripts) - 0xfdn * inputVsize(type);
  return size <= overhead ? 0 : Number((size - overhead) / inputVsize(type));
}

/** Upper bound of the virtual size; real signatures may be a byte or two shorter. */
export function transactionVsize(
  type: InputKind,
  inputs: number,
  outputScripts: readonly Uint8Array[],
): bigint {
  const outputs = outputScripts.reduce((sum, script) => sum + outputBytes(script), 0);
  const counts = compactSizeBytes(inputs) + compactSizeBytes(outputScripts.length);
  const marker = hasWitness(type) ? SEGWIT_MARKER_WEIGHT : 0;
  const weight = (OVERHEAD_BYTES + counts + outputs) * WITNESS_SCALE + marker + inputs * inputWeight(type);
  return BigInt(Math.ceil(weight / WITNESS_SCALE));
}

/** Fee for a size at a rate per 1,000, rounded up as nodes do. */
export function feeFor(vsize: bigint, rate: bigint): bigint {
  return (vsize * rate + 999n) / 1000n;
}

/** Smallest amount an output may have to be relayed (GetDustThreshold of Bitcoin Core). */
export function dustLimit(script: Uint8Array, dustRelayRate: bigint): bigint {
  const spending = isWitnessProgram(script)
    ? OUTPOINT_SCRIPT_SEQUENCE_BYTES + Math.floor(107 / WITNESS_SCALE)
    : OUTPOINT_SCRIPT_SEQUENCE_BYTES + 107;
  return feeFor(BigInt(outputBytes(script) + spending), dustRelayRate);
}

function outputBytes(script: Uint8Array): number {
  return 8 + compactSizeBytes(script.length) + script.length;
}

function compactSizeBytes(value: number): number {
  if (value < 0xfd) return 1;
  return value <= 0xffff ? 3 : 5;
}

function isWitnessProgram(script: Uint8Array): boolean {
  const [version = -1, length] = script;
  return (version === 0 || (version >= 0x51 && version <= 0x60)) && length === script.length - 2;
}
