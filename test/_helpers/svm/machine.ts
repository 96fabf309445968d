import { base58 } from '@scure/base';
import {
  Account,
  FailedTransactionMetadata,
  LiteSvm,
  type TransactionMetadata,
} from 'litesvm/dist/internal.js';
import type { WireTransaction } from './transaction.ts';

const SYSTEM_PROGRAM = new Uint8Array(32);

export interface AccountState {
  readonly lamports: bigint;
  readonly data: Uint8Array;
  readonly owner: string;
  readonly executable: boolean;
}

/** What running a transaction did; `landed` is false when no block would hold it. */
export interface Execution {
  readonly landed: boolean;
  /** Agave's TransactionError, null on success. */
  readonly err: unknown;
  readonly logs: readonly string[];
  readonly unitsConsumed: bigint;
  readonly innerInstructions: readonly InnerInstructions[];
}

export interface InnerInstructions {
  readonly index: number;
  readonly instructions: readonly {
    readonly programIdIndex: number;
    readonly accounts: readonly number[];
    readonly data: string;
    readonly stackHeight: number;
  }[];
}

/** Errors after which the fee was taken and the transaction is in its block all the same. */
const LANDED_ERRORS = ['InstructionError', 'InsufficientFundsForRent', 'DuplicateInstruction'];

/** The virtual machine: real execution of fees, rent, signatures and programs, one state, no history. */
export class Machine {
  readonly #svm = new LiteSvm();

  constructor() {
    this.#svm.setTransactionHistory(0n);
    this.#svm.setBlockhashCheck(false);
    this.#svm.setSigverify(true);
  }

  account(address: string): AccountState | null {
    const account = this.#svm.getAccount(base58.decode(address));
    if (account === null || account.lamports() === 0n) return null;
    return {
      lamports: account.lamports(),
      data: account.data(),
      owner: base58.encode(account.owner()),
      executable: account.executable(),
    };
  }

  lamports(address: string): bigint {
    return this.#svm.getBalance(base58.decode(address)) ?? 0n;
  }

  put(address: string, state: AccountState | null): void {
    const account =
      state === null
        ? new Account(0n, new Uint8Array(), SYSTEM_PROGRAM, false, 0n)
        : new Account(state.lamports, state.data, base58.decode(state.owner), state.executable, 0n);
    this.#svm.setAccount(base58.decode(address), account);
  }

  execute(transaction: WireTransaction): Execution {
    const { bytes, version } = transaction;
    return outcome(
      version === 'legacy'
        ? this.#svm.sendLegacyTransaction(bytes)
        : this.#svm.sendVersionedTransaction(bytes),
    );
  }

  simulate({ bytes, version }: WireTransaction, options: { readonly sigVerify: boolean }): Execution {
    this.#svm.setSigverify(options.sigVerify);
    const result =
      version === 'legacy'
        ? this.#svm.simulateLegacyTransaction(bytes)
        : this.#svm.simulateVersionedTransaction(bytes);
    this.#svm.setSigverify(true);
    return outcome(result instanceof FailedTransactionMetadata ? result : result.meta());
  }

  /** Deploys an ELF file past the loader's own transactions, at an address of the caller's choice. */
  addProgram(address: string, elf: Uint8Array): void {
    this.#svm.addProgram(base58.decode(address), elf);
  }

  rentMinimum(dataLength: number): bigint {
    return this.#svm.minimumBalanceForRentExemption(BigInt(dataLength));
  }

  warp(slot: number, unixTimestamp: number): void {
    const clock = this.#svm.getClock();
    clock.slot = BigInt(slot);
    clock.unixTimestamp = BigInt(unixTimestamp);
    this.#svm.setClock(clock);
  }
}

function outcome(result: TransactionMetadata | FailedTransactionMetadata): Execution {
  const failed = result instanceof FailedTransactionMetadata;
  const meta = failed ? result.meta() : result;
  const err = failed ? errorOf(result) : null;
  const name = typeof err === 'string' ? err : Object.keys((err as object | null) ?? {})[0];
  return {
    landed: err === null || LANDED_ERRORS.includes(name ?? ''),
    err,
    logs: meta.logs(),
    unitsConsumed: meta.computeUnitsConsumed(),
    innerInstructions: meta
      .innerInstructions()
      .map((inner, index) => ({
        index,
        instructions: inner.map((each) => {
          const instruction = each.instruction();
          return {
            programIdIndex: instruction.programIdIndex(),
            accounts: [...instruction.accounts()],
            data: base58.encode(instruction.data()),
            stackHeight: each.stackHeight(),
          };
        }),
      }))
      .filter(({ instructions }) => instructions.length > 0),
  };
}

/** litesvm prints errors as Rust does; the RPC speaks the JSON form of the same enum. */
function errorOf(failed: FailedTransactionMetadata): unknown {
  const [, text = ''] = /err: (.*?), meta: /s.exec(failed.toString()) ?? [];
  const instruction = /^InstructionError\((\d+), (\w+)(?:\((\d+)\))?\)$/.exec(text);
  if (instruction !== null) {
    const [, index, name = '', code] = instruction;
    return { InstructionError: [Number(index), code === undefined ? name : { [name]: Number(code) }] };
  }
  const rent = /^InsufficientFundsForRent \{ account_index: (\d+) \}$/.exec(text);
  if (rent !== null) return { InsufficientFundsForRent: { account_index: Number(rent[1]) } };
  const duplicate = /^DuplicateInstruction\((\d+)\)$/.exec(text);
  if (duplicate !== null) return { DuplicateInstruction: Number(duplicate[1]) };
  return text;
}
