import { hash } from 'node:crypto';
import { RawTx, Transaction } from '@scure/btc-signer';
import {
  MAX_PREVIOUS_BYTES,
  maxPsbtInputs,
  type InputSize,
  type PsbtAccount,
  type PsbtInput,
  type PsbtOutput,
  type UnsignedPsbt,
} from '../domain/psbt.ts';
import type { DerivedKey, Script, ScriptBranch } from './descriptor-script.ts';
import {
  addSignatures,
  countSignatures,
  finalizePsbt,
  openPsbt,
  readSignatures,
  writePsbt,
} from './psbt-signatures.ts';

/** Signals replaceability (RBF, BIP-125). */
const REPLACEABLE = 0xfffffffd;
const VERSION = 2;
/** An account of the descriptor, opened on both branches: payments and change. */
interface OpenedAccount {
  readonly script: Script;
  readonly branches: readonly [ScriptBranch, ScriptBranch];
}

/** The PSBTs of an account. `pkh` accounts have none: their signers need each previous transaction in full. */
export function psbtAccount({ script, branches }: OpenedAccount): PsbtAccount | null {
  const inputSize = measureInput(script);
  if (inputSize === null) return null;
  const isVersion0 = script.kind !== 'tr';
  return {
    inputSize,
    maxInputs: maxPsbtInputs('keys' in script ? script.keys.length : 1),
    build: (spend) => build({ script, branches }, spend),
    addPrevious: (psbt, transactions) => (isVersion0 ? addPrevious(psbt, transactions) : psbt),
    readSignatures,
    addSignatures,
    countSignatures,
    finalize: finalizePsbt,
  };
}

const BASE_WEIGHT = (32 + 4 + 1 + 4) * 4;
/** Longest DER signature with its hash type, preceded by its length. */
const SIGNATURE_BYTES = 1 + 72;
const PUBLIC_KEY_BYTES = 1 + 33;
/** A taproot signature with hash type, preceded by its length. */
const SCHNORR_BYTES = 1 + 65;
/** A push of the redeem script: the hash of a key, or of a script. */
const NESTED_WEIGHTS = { 'sh(wpkh)': 23 * 4, 'sh(wsh)': 35 * 4 };

/** Null for an account without segwit. */
function measureInput(script: Script): InputSize | null {
  if (script.kind === 'pkh') return null;
  // One byte for the count of witness items (BIP-141).
  const nested = script.kind === 'sh(wpkh)' || script.kind === 'sh(wsh)' ? NESTED_WEIGHTS[script.kind] : 0;
  return { weight: BASE_WEIGHT + nested + 1 + witnessBytes(script), hasWitness: true };
}

function witnessBytes(script: Script): number {
  if (!('keys' in script)) return script.kind === 'tr' ? SCHNORR_BYTES : SIGNATURE_BYTES + PUBLIC_KEY_BYTES;
  const { needed, keys } = script;
  const scriptBytes = 3 + keys.length * PUBLIC_KEY_BYTES;
  // OP_CHECKMULTISIG pops one item more than it uses.
  return 1 + needed * SIGNATURE_BYTES + (scriptBytes < 0xfd ? 1 : 3) + scriptBytes;
}

function build(
  { script, branches }: OpenedAccount,
  spend: { readonly inputs: readonly PsbtInput[]; readonly outputs: readonly PsbtOutput[] },
): UnsignedPsbt {
  const inputs = spend.inputs.toSorted(
    (a, b) => compare(a.ref.txid, b.ref.txid) || a.ref.index - b.ref.index,
  );
  const outputs = spend.outputs.toSorted(
    (a, b) => compare(a.amount, b.amount) || compare(a.script, b.script),
  );
  const transaction = new Transaction({ version: VERSION, lockTime: 0 });
  const scriptSigs: Uint8Array[] = [];
  for (const { ref, amount, branch, index } of inputs) {
    const paid = branches[branch].payTo(index);
    scriptSigs.push(paid.redeemScript === undefined ? Buffer.alloc(0) : pushed(paid.redeemScript));
    transaction.addInput({
      txid: ref.txid,
      index: ref.index,
      sequence: REPLACEABLE,
      witnessUtxo: { amount, script: paid.script },
      ...spendingFields(script, branches[branch], index),
    });
  }
  for (const { script: paid, amount, changeIndex } of outputs) {
    const own = changeIndex === null ? {} : spendingFields(script, branches[1], changeIndex);
    transaction.addOutput({ script: Buffer.from(paid, 'hex'), amount, ...own });
  }
  return {
    psbt: writePsbt(transaction),
    txid: transactionId(transaction, scriptSigs),
    outputs: outputs.map(({ address }) => address),
  };
}

/** What a signer needs of an output of the account, to spend it or to recognise it as change. */
function spendingFields(script: Script, branch: ScriptBranch, index: number) {
  const { redeemScript, witnessScript } = branch.payTo(index);
  const keys = branch.keys(index);
  if (script.kind === 'tr') return taprootFields(keys);
  return {
    bip32Derivation: keys.map(({ publicKey, origin }): [Uint8Array, KeyOrigin] => [
      publicKey,
      toOrigin(origin),
    ]),
    ...(redeemScript === undefined ? {} : { redeemScript }),
    ...(witnessScript === undefined ? {} : { witnessScript }),
  };
}

interface KeyOrigin {
  fingerprint: number;
  path: number[];
}

function toOrigin({ fingerprint, path }: DerivedKey['origin']): KeyOrigin {
  return { fingerprint, path: [...path] };
}

function taprootFields([key]: readonly DerivedKey[]) {
  if (key === undefined) throw new Error('a taproot script needs a key');
  const tapInternalKey = key.publicKey.subarray(1);
  const der = toOrigin(key.origin);
  const derivation: [Uint8Array, { hashes: Uint8Array[]; der: KeyOrigin }] = [
    tapInternalKey,
    { hashes: [], der },
  ];
  return { tapInternalKey, tapBip32Derivation: [derivation] };
}

function pushed(redeemScript: Uint8Array): Buffer {
  return Buffer.concat([Buffer.of(redeemScript.length), redeemScript]);
}

/** The id of the signed transaction: nested segwit has its redeem script in it (BIP-141). */
function transactionId(transaction: Transaction, scriptSigs: readonly Uint8Array[]): string {
  const { inputs, ...unsigned } = RawTx.decode(transaction.unsignedTx);
  const signed = inputs.map((input, at) => ({
    ...input,
    finalScriptSig: scriptSigs[at] ?? new Uint8Array(),
  }));
  return hash256(RawTx.encode({ ...unsigned, inputs: signed, segwitFlag: false, witnesses: undefined }));
}

function hash256(bytes: Uint8Array): string {
  const twice = hash('sha256', hash('sha256', bytes, 'buffer'), 'buffer');
  return Buffer.from(twice.toReversed()).toString('hex');
}

function addPrevious(psbt: string, transactions: ReadonlyMap<string, string>): string {
  const transaction = openPsbt(psbt);
  let room = MAX_PREVIOUS_BYTES;
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    const raw = transactions.get(Buffer.from(transaction.getInput(at).txid ?? []).toString('hex'));
    if (raw === undefined || raw.length / 2 > room) continue;
    try {
      transaction.updateInput(at, { nonWitnessUtxo: raw }, true);
      room -= raw.length / 2;
    } catch {
      // Such as one with the extension of MWEB, which signers cannot read either.
    }
  }
  return writePsbt(transaction);
}

function compare<T extends string | bigint>(a: T, b: T): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
