import {
  AddressLookupTableAccount,
  ComputeBudgetProgram,
  Keypair,
  PublicKey,
  SystemProgram,
  TransactionInstruction,
  TransactionMessage,
  VersionedTransaction,
} from '@solana/web3.js';
import { forwarderProgram } from './forwarder.ts';
import type { SvmNode } from './node.ts';

const TOKEN_PROGRAM = 'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA';
const WRAPPED_SOL = 'So11111111111111111111111111111111111111112';
const CLOSE_ACCOUNT = 9;
const TOKEN_ACCOUNT_BYTES = 165;

/** A fresh foreign address. */
export function strangerAddress(): string {
  return Keypair.generate().publicKey.toBase58();
}

/** A foreign wallet, which pays in every supported way. */
export class Payer {
  readonly #node: SvmNode;
  readonly #key = Keypair.generate();
  #payments = 0;
  #forwarder: string | null = null;

  constructor(node: SvmNode, lamports = 1_000_000_000_000n) {
    this.#node = node;
    node.airdrop(this.address, lamports);
    node.advance(40);
  }

  get address(): string {
    return this.#key.publicKey.toBase58();
  }

  /** One transaction with a transfer for each output. Answers its signature. */
  pay(outputs: readonly { address: string; amount: bigint }[]): string {
    return this.#land(outputs.map((output) => this.#transfer(output)));
  }

  /** A version 0 transaction that names the receivers through a lookup table only. */
  payThroughTable(outputs: readonly { address: string; amount: bigint }[]): string {
    const table = this.#node.putLookupTable(outputs.map(({ address }) => address));
    this.#node.advance();
    return this.#land(
      outputs.map((output) => this.#transfer(output)),
      [table],
    );
  }

  /** Closes a wrapped SOL account of ours in favour of an address: the token program moves the lamports. */
  unwrapTo(address: string, lamports: bigint): string {
    const account = strangerAddress();
    const data = Buffer.alloc(TOKEN_ACCOUNT_BYTES);
    data.set(new PublicKey(WRAPPED_SOL).toBytes(), 0);
    data.set(this.#key.publicKey.toBytes(), 32);
    const rent = this.#node.ledger.machine.rentMinimum(TOKEN_ACCOUNT_BYTES);
    data.writeBigUInt64LE(lamports - rent, 64);
    data[108] = 1;
    data[109] = 1;
    data.writeBigUInt64LE(rent, 113);
    this.#node.ledger.put(account, { lamports, data, owner: TOKEN_PROGRAM, executable: false });
    return this.#land([
      new TransactionInstruction({
        programId: new PublicKey(TOKEN_PROGRAM),
        keys: [
          { pubkey: new PublicKey(account), isSigner: false, isWritable: true },
          { pubkey: new PublicKey(address), isSigner: false, isWritable: true },
          { pubkey: this.#key.publicKey, isSigner: true, isWritable: false },
        ],
        data: Buffer.from([CLOSE_ACCOUNT]),
      }),
    ]);
  }

  /** Each output is paid by a program, by cross-program invocation: no instruction of the transaction itself is a transfer. */
  payByProgram(outputs: readonly { address: string; amount: bigint }[]): string {
    return this.#land(outputs.map((output) => this.#forward(output)));
  }

  /** The same, in a transaction whose last instruction fails: it lands, and every payment in it is undone. */
  failAfterPaying(outputs: readonly { address: string; amount: bigint }[]): string {
    const tooMuch = { address: strangerAddress(), amount: 1n << 62n };
    const instructions = [...outputs.map((output) => this.#forward(output)), this.#transfer(tooMuch)];
    return this.#land(instructions);
  }

  #forward({ address, amount }: { address: string; amount: bigint }): TransactionInstruction {
    this.#forwarder ??= this.#node.putProgram(forwarderProgram());
    const data = Buffer.alloc(8);
    data.writeBigUInt64LE(amount);
    return new TransactionInstruction({
      programId: new PublicKey(this.#forwarder),
      keys: [
        { pubkey: this.#key.publicKey, isSigner: true, isWritable: true },
        { pubkey: new PublicKey(address), isSigner: false, isWritable: true },
        { pubkey: SystemProgram.programId, isSigner: false, isWritable: false },
      ],
      data,
    });
  }

  #transfer({ address, amount }: { address: string; amount: bigint }): TransactionInstruction {
    const toPubkey = new PublicKey(address);
    return SystemProgram.transfer({ fromPubkey: this.#key.publicKey, toPubkey, lamports: amount });
  }

  #land(instructions: readonly TransactionInstruction[], tables: readonly string[] = []): string {
    this.#payments += 1;
    const { ledger } = this.#node;
    // A compute limit of its own makes every payment a transaction of its own.
    const units = ComputeBudgetProgram.setComputeUnitLimit({ units: 100_000 + this.#payments });
    const message = new TransactionMessage({
      payerKey: this.#key.publicKey,
      recentBlockhash: ledger.tip('finalized').blockhash,
      instructions: [units, ...instructions],
    });
    const transaction = new VersionedTransaction(
      tables.length === 0
        ? message.compileToLegacyMessage()
        : message.compileToV0Message(tables.map((table) => this.#table(table))),
    );
    transaction.sign([this.#key]);
    const wire = ledger.read(transaction.serialize());
    const outcome = ledger.send(wire);
    if (outcome.kind === 'refused') throw new Error(`refused: ${JSON.stringify(outcome.execution.err)}`);
    return wire.signature;
  }

  #table(address: string): AddressLookupTableAccount {
    const data = this.#node.ledger.machine.account(address)?.data ?? new Uint8Array();
    const key = new PublicKey(address);
    return new AddressLookupTableAccount({ key, state: AddressLookupTableAccount.deserialize(data) });
  }
}
