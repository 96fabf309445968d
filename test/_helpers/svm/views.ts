import { base58 } from '@scure/base';
import type { Block, LedgerTransaction } from './ledger.ts';
import type { AccountState } from './machine.ts';
import { invalidParams, versionNotSupported } from './rpc-error.ts';

export type TransactionEncoding = 'json' | 'base64' | 'base58' | 'jsonParsed';

export interface ViewOptions {
  readonly encoding: TransactionEncoding;
  /** Highest transaction version that the caller reads; null for legacy only. */
  readonly maxVersion: number | null;
}

/** An account as getAccountInfo answers it; the data cut to the slice that was asked for. */
export function viewAccount(
  account: AccountState | null,
  options: { readonly encoding: string; readonly slice: { offset: number; length: number } | undefined },
): unknown {
  if (account === null) return null;
  const { slice } = options;
  const data =
    slice === undefined ? account.data : account.data.subarray(slice.offset, slice.offset + slice.length);
  return {
    data:
      options.encoding === 'base58'
        ? base58.encode(data)
        : [
            Buffer.from(data).toString('base64'),
            options.encoding === 'jsonParsed' ? 'base64' : options.encoding,
          ],
    executable: account.executable,
    lamports: account.lamports,
    owner: account.owner,
    rentEpoch: 18_446_744_073_709_551_615n,
    space: account.data.length,
  };
}

/** A transaction with its meta, as getTransaction and full blocks have it. */
export function viewTransaction(transaction: LedgerTransaction, options: ViewOptions): object {
  const { version } = transaction.wire;
  if (version !== 'legacy' && (options.maxVersion === null || version > options.maxVersion)) {
    throw versionNotSupported(version);
  }
  return {
    transaction: viewBody(transaction, options.encoding),
    meta: viewMeta(transaction),
    ...(options.maxVersion === null ? {} : { version }),
  };
}

function viewBody({ wire }: LedgerTransaction, encoding: TransactionEncoding): unknown {
  switch (encoding) {
    case 'base64':
      return [Buffer.from(wire.bytes).toString('base64'), 'base64'];
    case 'base58':
      return [base58.encode(wire.bytes), 'base58'];
    case 'json': {
      const { message } = wire;
      return {
        signatures: wire.signatures,
        message: {
          header: message.header,
          accountKeys: wire.staticKeys,
          recentBlockhash: message.recentBlockhash,
          instructions: message.compiledInstructions.map((instruction) => ({
            programIdIndex: instruction.programIdIndex,
            accounts: instruction.accountKeyIndexes,
            data: base58.encode(instruction.data),
            stackHeight: 1,
          })),
          ...(wire.version === 'legacy'
            ? {}
            : {
                addressTableLookups: message.addressTableLookups.map((lookup) => ({
                  accountKey: lookup.accountKey.toBase58(),
                  writableIndexes: lookup.writableIndexes,
                  readonlyIndexes: lookup.readonlyIndexes,
                })),
              }),
        },
      };
    }
    case 'jsonParsed':
    default:
      throw invalidParams('this test node does not parse instructions');
  }
}

function viewMeta(transaction: LedgerTransaction): object {
  const { err, fee, preBalances, postBalances, innerInstructions, logs, unitsConsumed, wire } = transaction;
  return {
    err,
    status: err === null ? { Ok: null } : { Err: err },
    fee,
    preBalances,
    postBalances,
    innerInstructions,
    logMessages: logs,
    preTokenBalances: [],
    postTokenBalances: [],
    rewards: [],
    loadedAddresses: wire.loaded,
    computeUnitsConsumed: unitsConsumed,
    costUnits: unitsConsumed,
  };
}

/** A block as getBlock answers it. */
export function viewBlock(
  block: Block,
  options: ViewOptions & { readonly details: 'full' | 'signatures' | 'none'; readonly rewards: boolean },
): object {
  const { slot: _slot, transactions, before: _before, height, ...header } = block;
  return {
    ...header,
    blockHeight: height,
    ...(options.details === 'full'
      ? { transactions: transactions.map((transaction) => viewTransaction(transaction, options)) }
      : {}),
    ...(options.details === 'signatures'
      ? { signatures: transactions.map(({ wire }) => wire.signature) }
      : {}),
    ...(options.rewards ? { rewards: [] } : {}),
  };
}
