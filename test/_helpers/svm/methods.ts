import { base58 } from '@scure/base';
import { COMMITMENTS, type Commitment, type Ledger, type LedgerTransaction } from './ledger.ts';
import {
  addressAt,
  asAddress,
  configAt,
  isBase58Encoding,
  optionalSlotAt,
  type RpcConfig,
  slotAt,
  textAt,
  textsAt,
} from './params.ts';
import {
  badSignature,
  blockNotAvailable,
  contextNotReached,
  invalidParams,
  preflightFailed,
  slotSkipped,
} from './rpc-error.ts';
import type { WireTransaction } from './transaction.ts';
import { type TransactionEncoding, viewAccount, viewBlock, viewTransaction } from './views.ts';

/** What the methods need besides the ledger. */
export interface MethodDeps {
  readonly ledger: Ledger;
  /** Takes a transaction that passed its checks to the leader. */
  readonly submit: (wire: WireTransaction) => void;
  readonly airdrop: (address: string, lamports: bigint) => string;
}

export type Method = (params: readonly unknown[]) => unknown;

const MAX_ACCOUNTS = 100;
const MAX_BLOCK_RANGE = 500_000;

/** The JSON-RPC methods, answering in Agave's shapes. */
export function createMethods(deps: MethodDeps): Readonly<Record<string, Method>> {
  return { ...chainMethods(deps), ...accountMethods(deps), ...historyMethods(deps), ...sendMethods(deps) };
}

function chainMethods({ ledger }: MethodDeps): Record<string, Method> {
  const tip = (params: readonly unknown[], index: number) =>
    ledger.tip(commitmentOf(configAt(params, index)));
  return {
    getHealth: () => 'ok',
    getVersion: () => ({ 'feature-set': 1, 'solana-core': '4.2.2' }),
    getGenesisHash: () => ledger.genesisHash,
    getFirstAvailableBlock: () => ledger.firstSlot,
    minimumLedgerSlot: () => ledger.firstSlot,
    getSlot: (params) => tip(params, 0).slot,
    getBlockHeight: (params) => tip(params, 0).height,
    getEpochInfo: (params) => {
      const { slot, height } = tip(params, 0);
      return {
        absoluteSlot: slot,
        blockHeight: height,
        epoch: 0,
        slotIndex: slot,
        slotsInEpoch: 432_000,
        transactionCount: null,
      };
    },
    getLatestBlockhash: (params) => {
      const block = tip(params, 0);
      const lastValidBlockHeight = ledger.lastValidHeight(block.blockhash);
      return inContext(block.slot, { blockhash: block.blockhash, lastValidBlockHeight });
    },
    isBlockhashValid: (params) => {
      const block = tip(params, 1);
      requireContext(block.slot, configAt(params, 1));
      const lastValid = ledger.lastValidHeight(textAt(params, 0));
      return inContext(block.slot, lastValid !== null && block.height <= lastValid);
    },
    getBlocks: (params) => {
      const end = optionalSlotAt(params, 1);
      const confirmed = ledger.tip(historic(configAt(params, end === null ? 1 : 2))).slot;
      const first = slotAt(params, 0);
      if (end !== null && end - first > MAX_BLOCK_RANGE)
        throw invalidParams('Slot range too large; max 500000');
      return ledger.blocksBetween(first, Math.min(end ?? confirmed, confirmed)).map(({ slot }) => slot);
    },
    getBlock: (params) => {
      const slot = slotAt(params, 0);
      const options = configAt(params, 1);
      const block = ledger.blockAt(slot);
      if (slot > ledger.tip(historic(options)).slot) throw blockNotAvailable(slot);
      if (block === undefined) {
        throw slot <= ledger.tip('finalized').slot ? slotSkipped(slot) : blockNotAvailable(slot);
      }
      return viewBlock(block, {
        details: options.transactionDetails ?? 'full',
        rewards: options.rewards ?? true,
        ...viewOptions(options),
      });
    },
    getBlockTime: (params) => {
      const block = ledger.blockAt(slotAt(params, 0));
      if (block === undefined) throw slotSkipped(slotAt(params, 0));
      return block.blockTime;
    },
    getRecentPrioritizationFees: () =>
      ledger
        .blocksBetween(0, ledger.top.slot)
        .slice(-BLOCKS_OF_FEES)
        .map(({ slot }) => ({ slot, prioritizationFee: 0 })),
  };
}

const BLOCKS_OF_FEES = 150;

function accountMethods({ ledger, airdrop }: MethodDeps): Record<string, Method> {
  const view = (address: string, options: RpcConfig) =>
    viewAccount(ledger.accountAt(address, commitmentOf(options)), {
      encoding: options.encoding ?? 'base64',
      slice: options.dataSlice,
    });
  const context = (options: RpcConfig) => {
    const { slot } = ledger.tip(commitmentOf(options));
    requireContext(slot, options);
    return slot;
  };
  return {
    getBalance: (params) => {
      const options = configAt(params, 1);
      const account = ledger.accountAt(addressAt(params, 0), commitmentOf(options));
      return inContext(context(options), account?.lamports ?? 0);
    },
    getAccountInfo: (params) => {
      const options = configAt(params, 1);
      return inContext(context(options), view(addressAt(params, 0), options));
    },
    getMultipleAccounts: (params) => {
      const options = configAt(params, 1);
      const addresses = textsAt(params, 0).map(asAddress);
      if (addresses.length > MAX_ACCOUNTS)
        throw invalidParams(`Too many inputs provided; max ${MAX_ACCOUNTS}`);
      return inContext(
        context(options),
        addresses.map((address) => view(address, options)),
      );
    },
    getMinimumBalanceForRentExemption: (params) => ledger.machine.rentMinimum(slotAt(params, 0)),
    requestAirdrop: (params) => airdrop(addressAt(params, 0), BigInt(slotAt(params, 1))),
  };
}

function historyMethods({ ledger }: MethodDeps): Record<string, Method> {
  return {
    getSignaturesForAddress: (params) => {
      const options = configAt(params, 1);
      const { slot } = ledger.tip(historic(options));
      requireContext(slot, options);
      const all = ledger
        .transactionsOf(addressAt(params, 0))
        .filter((each) => each.slot <= slot)
        .toReversed();
      return page(all, options).map(({ wire, err, blockTime, slot: at }) => ({
        signature: wire.signature,
        slot: at,
        err,
        memo: null,
        blockTime,
        confirmationStatus: ledger.commitmentOf(at),
      }));
    },
    getTransaction: (params) => {
      const options = configAt(params, 1);
      const found = ledger.transaction(textAt(params, 0));
      if (found === undefined || found.slot > ledger.tip(historic(options)).slot) return null;
      const { slot, blockTime } = found;
      return { slot, blockTime, ...viewTransaction(found, viewOptions(options)) };
    },
    getSignatureStatuses: (params) =>
      inContext(
        ledger.top.slot,
        textsAt(params, 0).map((signature) => {
          const found = ledger.transaction(signature);
          if (found === undefined) return null;
          const confirmationStatus = ledger.commitmentOf(found.slot);
          return {
            slot: found.slot,
            confirmations: confirmationStatus === 'finalized' ? null : ledger.top.slot - found.slot,
            err: found.err,
            status: found.err === null ? { Ok: null } : { Err: found.err },
            confirmationStatus,
          };
        }),
      ),
  };
}

function sendMethods({ ledger, submit }: MethodDeps): Record<string, Method> {
  const read = (params: readonly unknown[], options: RpcConfig): WireTransaction => {
    const text = textAt(params, 0);
    try {
      const bytes = isBase58Encoding(options) ? base58.decode(text) : Buffer.from(text, 'base64');
      return ledger.read(bytes);
    } catch (error) {
      throw invalidParams((error as Error).message);
    }
  };
  return {
    sendTransaction: (params) => {
      const options = configAt(params, 1);
      const wire = read(params, options);
      if (options.skipPreflight !== true) {
        const { err, logs } = ledger.simulate(wire, { sigVerify: true, anyBlockhash: false });
        if (err === 'SignatureFailure') throw badSignature();
        if (err !== null) throw preflightFailed(err, logs);
      }
      submit(wire);
      return wire.signature;
    },
    simulateTransaction: (params) => {
      const options = configAt(params, 1);
      const { sigVerify = false, replaceRecentBlockhash: anyBlockhash = false } = options;
      if (sigVerify && anyBlockhash) {
        throw invalidParams('sigVerify may not be used with replaceRecentBlockhash');
      }
      const execution = ledger.simulate(read(params, options), { sigVerify, anyBlockhash });
      return inContext(ledger.top.slot, {
        err: execution.err,
        logs: execution.logs,
        accounts: null,
        unitsConsumed: execution.unitsConsumed,
        returnData: null,
        innerInstructions: null,
      });
    },
  };
}

function inContext(slot: number, value: unknown): object {
  return { context: { apiVersion: '4.2.2', slot }, value };
}

function commitmentOf({ commitment }: RpcConfig): Commitment {
  return commitment ?? 'finalized';
}

/** History is served from confirmed on: what is only processed may still vanish without a trace. */
function historic(options: RpcConfig): Commitment {
  const commitment = commitmentOf(options);
  if (commitment === COMMITMENTS[0])
    throw invalidParams('Method does not support commitment below `confirmed`');
  return commitment;
}

function requireContext(slot: number, { minContextSlot }: RpcConfig): void {
  if (minContextSlot !== undefined && slot < minContextSlot) throw contextNotReached(slot);
}

function viewOptions(options: RpcConfig): { encoding: TransactionEncoding; maxVersion: number | null } {
  return {
    encoding: (options.encoding ?? 'json') as TransactionEncoding,
    maxVersion: options.maxSupportedTransactionVersion ?? null,
  };
}

function page(newestFirst: readonly LedgerTransaction[], options: RpcConfig): readonly LedgerTransaction[] {
  const position = (signature: string | null | undefined) =>
    newestFirst.findIndex(({ wire }) => wire.signature === signature);
  const before = position(options.before);
  // As on a real node: nothing comes before what it does not know.
  if (before === -1 && typeof options.before === 'string') return [];
  const until = position(options.until);
  const rest = newestFirst.slice(before + 1, until === -1 ? undefined : until);
  return rest.slice(0, options.limit ?? 1000);
}
