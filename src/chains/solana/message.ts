import { base58 } from '@scure/base';
import {
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  Transaction,
  VersionedTransaction,
} from '@solana/web3.js';

/** What a signed transaction says about itself. */
export interface WireFacts {
  readonly signature: string;
  readonly blockhash: string;
  readonly staticKeys: readonly string[];
  readonly signers: readonly string[];
  /** Its "blockhash" is a stored nonce, which does not expire by itself. */
  readonly isDurable: boolean;
}

/** One movement of lamports between accounts of the system program. */
export interface Transfer {
  readonly from: string;
  readonly to: string;
  readonly lamports: bigint;
}

export interface TransferMessage {
  readonly feePayer: string;
  readonly transfers: readonly Transfer[];
  readonly computeUnits: number;
  /** Millionths of a lamport per compute unit. */
  readonly unitPrice: bigint;
  readonly blockhash: string;
  readonly lastValidHeight: number;
}

/** Most bytes of a transaction: one UDP packet. */
export const MAX_TRANSACTION_BYTES = 1_232;
/** First bytes of the system program's AdvanceNonceAccount instruction. */
const ADVANCE_NONCE = 4;

/** Reads signed bytes (base64); null when this library does not know their version. */
export function readWire(raw: string): WireFacts | null {
  try {
    const transaction = VersionedTransaction.deserialize(Buffer.from(raw, 'base64'));
    const { message } = transaction;
    const staticKeys = message.staticAccountKeys.map((key) => key.toBase58());
    const [first] = message.compiledInstructions;
    return {
      signature: base58.encode(transaction.signatures[0] ?? new Uint8Array()),
      blockhash: message.recentBlockhash,
      staticKeys,
      signers: staticKeys.slice(0, message.header.numRequiredSignatures),
      isDurable:
        first !== undefined &&
        staticKeys[first.programIdIndex] === SystemProgram.programId.toBase58() &&
        first.data[0] === ADVANCE_NONCE,
    };
  } catch {
    return null;
  }
}

/** Signs with 32-byte ed25519 seeds, one for each account that pays. Deterministic (RFC 8032). */
export function signTransfers(
  message: TransferMessage,
  seedOf: (address: string) => Uint8Array,
): { signature: string; raw: string } {
  const transaction = compile(message);
  const payers = new Set([message.feePayer, ...message.transfers.map(({ from }) => from)]);
  transaction.sign(...[...payers].map((address) => keypair(address, seedOf(address))));
  const { signature } = transaction;
  if (signature === null) throw new Error('a signed transaction has a signature');
  return { signature: base58.encode(signature), raw: transaction.serialize().toString('base64') };
}

/** The same transaction with its signatures left blank, as base64: to be tried, not to be sent. */
export function unsignedTransfers(message: TransferMessage): string {
  const blank = { requireAllSignatures: false, verifySignatures: false };
  return compile(message).serialize(blank).toString('base64');
}

/** Bytes that the signed message will have. */
export function transactionSize(message: TransferMessage): number {
  const compiled = compile(message).compileMessage();
  return 1 + 64 * compiled.header.numRequiredSignatures + compiled.serialize().length;
}

function compile(message: TransferMessage): Transaction {
  const transaction = new Transaction({
    feePayer: new PublicKey(message.feePayer),
    blockhash: message.blockhash,
    lastValidBlockHeight: message.lastValidHeight,
  });
  transaction.add(
    ComputeBudgetProgram.setComputeUnitLimit({ units: message.computeUnits }),
    ComputeBudgetProgram.setComputeUnitPrice({ microLamports: message.unitPrice }),
    ...message.transfers.map(({ from, to, lamports }) =>
      SystemProgram.transfer({ fromPubkey: new PublicKey(from), toPubkey: new PublicKey(to), lamports }),
    ),
  );
  return transaction;
}

function keypair(address: string, seed: Uint8Array): Keypair {
  const pair = Keypair.fromSeed(seed);
  if (pair.publicKey.toBase58() !== address) throw new Error(`the key of ${address} is another one`);
  return pair;
}
