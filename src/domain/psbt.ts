import type { OutputRef } from './chain/block.ts';

/** Partially signed transactions (BIP-174, version 0) of an account whose keys are in another wallet. */

/** Inputs of one PSBT: signers check and sign them one by one. */
export const MAX_PSBT_INPUTS = 50;
/** Keys of all inputs of one PSBT: each is derived, and its signature verified. */
const MAX_PSBT_KEYS = 150;

/** Inputs of one PSBT of an account with so many keys. */
export function maxPsbtInputs(keys: number): number {
  return Math.min(MAX_PSBT_INPUTS, Math.floor(MAX_PSBT_KEYS / keys));
}
/** Bytes of the previous transactions in one PSBT; without them, signers that need them refuse it. */
export const MAX_PREVIOUS_BYTES = 200_000;
/** Characters of a submitted PSBT in base64. */
export const MAX_PSBT_LENGTH = 500_000;

/** What one input adds to a transaction. */
export interface InputSize {
  /** Upper bound, witness included. */
  readonly weight: number;
  readonly hasWitness: boolean;
}

/** An output of the account to spend. */
export interface PsbtInput {
  readonly ref: OutputRef;
  readonly amount: bigint;
  readonly branch: 0 | 1;
  readonly index: number;
}

export interface PsbtOutput {
  readonly address: string;
  /** Hex. */
  readonly script: string;
  readonly amount: bigint;
  /** Its index in the change branch of the account; null: a recipient. */
  readonly changeIndex: number | null;
}

/** An unsigned transaction. */
export interface UnsignedPsbt {
  readonly psbt: string;
  /** The id that the signed transaction has: signatures are not part of it. */
  readonly txid: string;
  /** Addresses of its outputs in their order. */
  readonly outputs: readonly string[];
}

/** A valid signature for one input. */
export interface PsbtSignature {
  readonly input: number;
  /** Hex. */
  readonly publicKey: string;
  /** Hex, with the hash type where it has one. */
  readonly signature: string;
}

/** The signatures that each input needs, and those that the input with the fewest has. */
export interface SignatureCount {
  readonly required: number;
  readonly collected: number;
}

/** A submitted PSBT that cannot be used; the problem completes "psbt …". */
export class PsbtProblem extends Error {
  override readonly name = 'PsbtProblem';
}

/** Builds and completes the PSBTs of one account. PSBTs are base64. */
export interface PsbtAccount {
  readonly inputSize: InputSize;
  readonly maxInputs: number;
  /** Inputs and outputs in BIP-69 order, replaceable (BIP-125), locktime 0; the same values give the same PSBT. */
  build(spend: {
    readonly inputs: readonly PsbtInput[];
    readonly outputs: readonly PsbtOutput[];
  }): UnsignedPsbt;
  /**
   * Adds the transactions that created its inputs (hex by txid), by which signers check the amounts of segwit version 0
   * inputs. Those that do not fit into the bound, or are not the named ones, are left out.
   */
  addPrevious(psbt: string, transactions: ReadonlyMap<string, string>): string;
  /**
   * The signatures of a submitted copy, each verified. Nothing else of the copy is used.
   * @throws {PsbtProblem} for another transaction, an invalid signature, one of an unknown key, or a hash type other than
   * ALL (taproot: DEFAULT or ALL)
   */
  readSignatures(psbt: string, submitted: string): readonly PsbtSignature[];
  /** Adds verified signatures; those of keys that signed already, and more than required, change nothing. */
  addSignatures(psbt: string, signatures: readonly PsbtSignature[]): string;
  countSignatures(psbt: string): SignatureCount;
  /** The signed transaction of a PSBT with all required signatures. */
  finalize(psbt: string): { readonly txid: string; readonly raw: string };
}
