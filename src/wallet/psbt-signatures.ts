import { schnorr, secp256k1 } from '@noble/curves/secp256k1.js';
import { getInputType, OutScript, SigHash, Transaction } from '@scure/btc-signer';
import { MAX_PSBT_LENGTH, PsbtProblem, type PsbtSignature, type SignatureCount } from '../domain/psbt.ts';

type Input = ReturnType<Transaction['getInput']>;

/** A signature as submitted; the witness of a finished multisig does not say whose it is. */
interface Candidate {
  readonly publicKey: Uint8Array | null;
  readonly signature: Uint8Array;
}

/** Reads a PSBT that was built here, whose scripts were checked then. */
export function openPsbt(psbt: string): Transaction {
  return Transaction.fromPSBT(Buffer.from(psbt, 'base64'), { disableScriptCheck: true });
}

export function writePsbt(transaction: Transaction): string {
  return Buffer.from(transaction.toPSBT(0)).toString('base64');
}

/** See PsbtAccount.readSignatures. */
export function readSignatures(psbt: string, submitted: string): readonly PsbtSignature[] {
  const own = openPsbt(psbt);
  const copy = parseSubmitted(submitted);
  if (Buffer.compare(own.unsignedTx, copy.unsignedTx) !== 0)
    throw new PsbtProblem('is of another transaction: sign the one of this send, without changes');
  const found: PsbtSignature[] = [];
  const amounts: bigint[] = [];
  const scripts: Uint8Array[] = [];
  for (let at = 0; at < own.inputsLength; at += 1) {
    const { amount, script } = requireWitnessUtxo(own.getInput(at));
    amounts.push(amount);
    scripts.push(script);
  }
  for (let at = 0; at < own.inputsLength; at += 1) {
    const input = own.getInput(at);
    const candidates = listCandidates(input, copy.getInput(at), at);
    if (candidates.length > 0) found.push(...verify({ own, input, at, amounts, scripts }, candidates));
  }
  if (found.length === 0) throw new PsbtProblem('has no signature');
  return found;
}

/** @throws {PsbtProblem} */
function parseSubmitted(text: string): Transaction {
  const trimmed = text.trim();
  if (trimmed.length > MAX_PSBT_LENGTH)
    throw new PsbtProblem(`must have at most ${MAX_PSBT_LENGTH} characters`);
  if (!/^[A-Za-z0-9+/]+={0,2}$/.test(trimmed)) throw new PsbtProblem('must be a PSBT in base64 (BIP-174)');
  try {
    return Transaction.fromPSBT(Buffer.from(trimmed, 'base64'), {
      allowUnknown: true,
      allowUnknownInputs: true,
      allowUnknownOutputs: true,
      allowUnknownVersion: true,
      allowLegacyWitnessUtxo: true,
      disableScriptCheck: true,
    });
  } catch (error) {
    throw new PsbtProblem('is not a valid PSBT (BIP-174)', { cause: error });
  }
}

function requireWitnessUtxo({ witnessUtxo }: Input) {
  if (witnessUtxo === undefined) throw new Error('an input of a PSBT lacks its output');
  return witnessUtxo;
}

/** The signatures of one input, also where the signer finished it. @throws {PsbtProblem} */
function listCandidates(own: Input, copy: Input, at: number): Candidate[] {
  const isTaproot = own.tapInternalKey !== undefined;
  const { sighashType } = copy;
  if (
    sighashType !== undefined &&
    sighashType !== SigHash.ALL &&
    !(isTaproot && sighashType === SigHash.DEFAULT)
  )
    throw hashTypeProblem(at);
  const witness = copy.finalScriptWitness ?? [];
  if (isTaproot) {
    if ((copy.tapScriptSig ?? []).length > 0)
      throw new PsbtProblem(`signs input ${at} by a script path, which the account does not have`);
    const signature = copy.tapKeySig ?? witness[0];
    return signature === undefined ? [] : [{ publicKey: null, signature }];
  }
  const partial = (copy.partialSig ?? []).map(([publicKey, signature]) => ({ publicKey, signature }));
  return [...partial, ...fromWitness(own, witness, at)];
}

/** @throws {PsbtProblem} */
function fromWitness(own: Input, witness: readonly Uint8Array[], at: number): Candidate[] {
  if (witness.length === 0) return [];
  if (own.witnessScript === undefined) {
    const [signature, publicKey = null] = witness;
    return signature === undefined ? [] : [{ publicKey, signature }];
  }
  const signatures = witness.slice(1, -1).filter(({ length }) => length > 0);
  // Each costs a verification by every key.
  if (signatures.length > requiredSignatures(own))
    throw new PsbtProblem(`has more signatures for input ${at} than its script accepts`);
  return signatures.map((signature) => ({ publicKey: null, signature }));
}

interface InputContext {
  readonly own: Transaction;
  readonly input: Input;
  readonly at: number;
  readonly amounts: bigint[];
  readonly scripts: Uint8Array[];
}

/** @throws {PsbtProblem} */
function verify(context: InputContext, candidates: readonly Candidate[]): PsbtSignature[] {
  const { own, input, at, amounts } = context;
  if (input.tapInternalKey !== undefined)
    return candidates.map(({ signature }) => verifyTaproot(context, signature));
  const keys = keysInOrder(input);
  const { lastScript } = getInputType(input);
  const digest = own.preimageWitnessV0(at, toScriptCode(lastScript), SigHash.ALL, amounts[at] ?? 0n);
  // Signatures without keys are in the order of their keys: a script accepts no other.
  let next = 0;
  return candidates.map(({ publicKey, signature }) => {
    if (signature.at(-1) !== SigHash.ALL) throw hashTypeProblem(at);
    const signers =
      publicKey === null ? keys.slice(next) : keys.filter((key) => Buffer.compare(key, publicKey) === 0);
    if (signers.length === 0 && publicKey !== null)
      throw new PsbtProblem(`has a signature of a key that input ${at} does not have`);
    const der = signature.subarray(0, -1);
    const signer = signers.find((key) => isValid(der, digest, key));
    if (signer === undefined) throw invalidSignature(at);
    if (publicKey === null) next = keys.indexOf(signer) + 1;
    return { input: at, publicKey: toHex(signer), signature: toHex(signature) };
  });
}

/** The keys of an input: of a multisig in the order of its script. */
function keysInOrder({ witnessScript, bip32Derivation = [] }: Input): readonly Uint8Array[] {
  const script = witnessScript === undefined ? null : OutScript.decode(witnessScript);
  return script?.type === 'ms' ? script.pubkeys : bip32Derivation.map(([key]) => key);
}

/** The script that a signature of segwit version 0 commits to (BIP-143): of P2WPKH, that of the key hash. */
function toScriptCode(script: Uint8Array): Uint8Array {
  const output = OutScript.decode(script);
  return output.type === 'wpkh' ? OutScript.encode({ type: 'pkh', hash: output.hash }) : script;
}

function isValid(der: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return secp256k1.verify(der, digest, publicKey, { prehash: false, format: 'der' });
  } catch {
    return false;
  }
}

const SCHNORR_LENGTH = 64;

/** Taproot's signature commits to all amounts and scripts (BIP-341). */
function verifyTaproot({ own, at, amounts, scripts }: InputContext, signature: Uint8Array): PsbtSignature {
  const hasType = signature.length === SCHNORR_LENGTH + 1;
  if (!hasType && signature.length !== SCHNORR_LENGTH) throw invalidSignature(at);
  const hashType = hasType ? signature[SCHNORR_LENGTH] : SigHash.DEFAULT;
  if (hasType && hashType !== SigHash.ALL) throw hashTypeProblem(at);
  const outputKey = (scripts[at] ?? new Uint8Array()).subarray(2);
  const digest = own.preimageWitnessV1(at, scripts, hashType ?? SigHash.DEFAULT, amounts);
  if (!isValidSchnorr(signature.subarray(0, SCHNORR_LENGTH), digest, outputKey)) throw invalidSignature(at);
  return { input: at, publicKey: toHex(outputKey), signature: toHex(signature) };
}

function isValidSchnorr(signature: Uint8Array, digest: Uint8Array, publicKey: Uint8Array): boolean {
  try {
    return schnorr.verify(signature, digest, publicKey);
  } catch {
    return false;
  }
}

function invalidSignature(at: number): PsbtProblem {
  return new PsbtProblem(`has an invalid signature for input ${at}`);
}

function hashTypeProblem(at: number): PsbtProblem {
  return new PsbtProblem(
    `signs input ${at} with another hash type than ALL: such a signature allows changes`,
  );
}

/** See PsbtAccount.addSignatures. */
export function addSignatures(psbt: string, signatures: readonly PsbtSignature[]): string {
  const transaction = openPsbt(psbt);
  for (const [at, added] of Map.groupBy(signatures, ({ input }) => input)) {
    const input = transaction.getInput(at);
    const fields = input.tapInternalKey === undefined ? withPartial(input, added) : withTaproot(input, added);
    if (fields !== null) transaction.updateInput(at, fields, true);
  }
  return writePsbt(transaction);
}

function withTaproot({ tapKeySig }: Input, [first]: readonly PsbtSignature[]) {
  if (tapKeySig !== undefined || first === undefined) return null;
  return { tapKeySig: Buffer.from(first.signature, 'hex') };
}

/** Null when none is missing any more. */
function withPartial(input: Input, added: readonly PsbtSignature[]) {
  const known = new Set((input.partialSig ?? []).map(([key]) => toHex(key)));
  const fresh = new Map(added.map(({ publicKey, signature }) => [publicKey, signature]));
  const missing = requiredSignatures(input) - known.size;
  const used = [...fresh].filter(([key]) => !known.has(key)).slice(0, missing);
  const partialSig = used.map(([key, signature]): [Uint8Array, Uint8Array] => [
    Buffer.from(key, 'hex'),
    Buffer.from(signature, 'hex'),
  ]);
  return partialSig.length === 0 ? null : { partialSig };
}

function requiredSignatures({ witnessScript }: Input): number {
  if (witnessScript === undefined) return 1;
  const script = OutScript.decode(witnessScript);
  if (script.type !== 'ms') throw new Error('the witness script of a PSBT is not a multisig');
  return script.m;
}

export function countSignatures(psbt: string): SignatureCount {
  const transaction = openPsbt(psbt);
  let [required, collected] = [1, Infinity];
  for (let at = 0; at < transaction.inputsLength; at += 1) {
    const input = transaction.getInput(at);
    required = requiredSignatures(input);
    const count =
      input.tapInternalKey === undefined
        ? (input.partialSig ?? []).length
        : Number(input.tapKeySig !== undefined);
    collected = Math.min(collected, count);
  }
  return { required, collected };
}

/** @throws {Error} when a signature is missing */
export function finalizePsbt(psbt: string): { readonly txid: string; readonly raw: string } {
  const transaction = openPsbt(psbt);
  transaction.finalize();
  return { txid: transaction.id, raw: transaction.hex };
}

function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
