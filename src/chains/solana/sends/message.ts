import { createRequire } from 'node:module';
import { base58 } from '@scure/base';
import type * as Web3 from '@solana/web3.js';

/**
 * The library, loaded at the first transaction: with its bundled, unused clients it takes about
 * 10 MB, which a daemon that only watches or simulates never needs.
 */
let library: typeof Web3 | null = null;

function web3(): typeof Web3 {
  library ??= createRequire(import.meta.url)('@solana/web3.js') as typeof Web3;
  return library;
}

/** Facts read from a signed transaction. */
export interface WireFacts {
  readonly signature: string;
  readonly blockhash: string;
  readonly staticKeys: readonly string[];
  readonly signers: readonly string[];
  /** Its "blockhash" is a durable nonce, which does not expire. */
  readonly isDurable: boolean;
}

/** A system-program transfer of lamports between accounts. */
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

/** Maximum transaction size in bytes: one UDP packet. */
export const MAX_TRANSACTION_BYTES = 1_232;
/** First bytes of the system program's AdvanceNonceAccount instruction. */
const ADVANCE_NONCE = 4;

/** Decodes signed bytes (base64); null when the library does not know their version. */
export function readWire(raw: string): WireFacts | null {
  const { SystemProgram, VersionedTransaction } = web3();
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

/** Signs with 32-byte ed25519 seeds, one for each paying account. Deterministic (RFC 8032). */
export function signTransfers(
  message: TransferMessage,
  seedOf: (address: string) => Uint8Array,
): { signature: string; raw: string } {
  const transaction = compile(message);
  const payers = new Set([message.feePayer, ...message.transfers.map(({ from }) => from)]);
  transaction.sign(...[...payers].map((address) => keypair(address, seedOf(address))));
  const { signature } = transaction;
  if (signature === null) throw new Error('the signed transaction has no signature');
  return { signature: base58.encode(signature), raw: transaction.serialize().toString('base64') };
}

/** The same transaction with blank signatures, as base64: for simulation, not for sending. */
export function unsignedTransfers(message: TransferMessage): string {
  const blank = { requireAllSignatures: false, verifySignatures: false };
  return compile(message).serialize(blank).toString('base64');
}

/** Size in bytes of the signed message. */
export function transactionSize(message: TransferMessage): number {
  const compiled = compile(message).compileMessage();
  return 1 + 64 * compiled.header.numRequiredSignatures + compiled.serialize().length;
}

function compile(message: TransferMessage): Web3.Transaction {
  const { ComputeBudgetProgram, PublicKey, SystemProgram, Transaction } = web3();
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

function keypair(address: string, seed: Uint8Array): Web3.Keypair {
  const pair = web3().Keypair.fromSeed(seed);
  if (pair.publicKey.toBase58() !== address) throw new Error(`the key of ${address} is another one`);
  return pair;
}
