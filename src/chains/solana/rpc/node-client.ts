import { z } from 'zod';
import { ChainError } from '../../../domain/chain.ts';
import { RpcRefusal } from '../../shared/json-rpc.ts';
import { balances, readableBalances } from './account-balances.ts';
import {
  block,
  inContext,
  jsonTransaction,
  lamports,
  type Commitment,
  rawTransaction,
  slot,
} from './node-answers.ts';
import type { Rpc } from './rpc.ts';
import { aboutSignature, readStatus, requireSlot, type Statuses } from '../sends/signature-status.ts';

/** Maximum number of accounts per getMultipleAccounts request. */
export const ACCOUNTS_PER_REQUEST = 100;
/** Maximum number of signatures per getSignaturesForAddress page. */
export const SIGNATURES_PER_PAGE = 1_000;
/** Version 1 is live on mainnet; newer versions raise an alarm instead of being parsed by guess. */
const READABLE_VERSION = 1;

export interface BlockHeader {
  readonly slot: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly parentSlot: number;
  /** Block height, which does not count skipped slots; null where the node does not report it. */
  readonly height: number | null;
  /** Null where the node does not return it: see block-times. */
  readonly timeMs: number | null;
  /** In order of execution; empty unless requested. */
  readonly signatures: readonly string[];
}

const NO_SUCH_BLOCK: ReadonlySet<number> = new Set([-32004, -32007, -32009]);
const CLEANED_UP = -32001;

export type NodeClient = ReturnType<typeof createNodeClient>;

/** The calls the adapter makes, typed and checked. */
export function createNodeClient(rpc: Rpc) {
  const call: Rpc['call'] = async (...request) => answered(rpc.call(...request));
  const asking = { ...rpc, call };
  const transaction = async <T>(signature: string, encoding: string, schema: z.ZodType<T>) =>
    call(
      'getTransaction',
      [signature, { encoding, commitment: 'confirmed', maxSupportedTransactionVersion: READABLE_VERSION }],
      schema.nullable(),
    );
  return {
    genesisHash: async () => call('getGenesisHash', [], z.string()),
    version: async () =>
      (await call('getVersion', [], z.object({ 'solana-core': z.string().optional() })))['solana-core'] ??
      'unknown',
    health: async () => nodeHealth(rpc),
    slot: async (commitment: Commitment) => call('getSlot', [{ commitment }], slot),
    height: async (commitment: Commitment) => call('getBlockHeight', [{ commitment }], slot),
    firstBlock: async () => call('getFirstAvailableBlock', [], slot),
    blocks: async (first: number, last: number) =>
      call('getBlocks', [first, last, { commitment: 'confirmed' }], z.array(slot)),
    block: async (at: number, details: 'none' | 'signatures') => blockHeader(rpc, at, details),
    getMinimumBalanceForRentExemption: async () => call('getMinimumBalanceForRentExemption', [0], lamports),
    ...datingCalls(call),
    priorityFees: async (writable: readonly string[]) =>
      (
        await call(
          'getRecentPrioritizationFees',
          [writable],
          z.array(z.object({ prioritizationFee: lamports })),
        )
      ).map(({ prioritizationFee }) => prioritizationFee),
    /** Confirmed balances at `minContextSlot` or later; 0n for nonexistent accounts. */
    balances: async (addresses: readonly string[], minContextSlot: number) =>
      balances(asking, addresses, { minContextSlot, commitment: 'confirmed' }),
    /** Like balances, without the accounts whose entry is malformed: those are `unread`, with the reason. */
    readableBalances: async (addresses: readonly string[], minContextSlot: number) =>
      readableBalances(asking, addresses, { minContextSlot, commitment: 'confirmed' }),
    /** Like balances, at the finalized level. */
    finalizedBalances: async (addresses: readonly string[]) =>
      balances(asking, addresses, { commitment: 'finalized' }),
    /** Newest first. */
    signatures: async (address: string, options: { before: string | null; minContextSlot: number }) =>
      call(
        'getSignaturesForAddress',
        [
          address,
          {
            commitment: 'confirmed',
            limit: SIGNATURES_PER_PAGE,
            minContextSlot: options.minContextSlot,
            ...(options.before === null ? {} : { before: options.before }),
          },
        ],
        z.array(z.object({ signature: z.string(), slot })),
      ),
    rawTransaction: async (signature: string) => transaction(signature, 'base64', rawTransaction),
    jsonTransaction: async (signature: string) => transaction(signature, 'json', jsonTransaction),
    ...signatureCalls(rpc, call),
    // Never retried: after a broken connection a second backend could reject what the first one accepted.
    send: async (base64: string) =>
      rpc.call(
        'sendTransaction',
        [base64, { encoding: 'base64', preflightCommitment: 'confirmed', maxRetries: 0 }],
        z.string(),
        { once: true },
      ),
    /** Simulated compute units of an unsigned transaction; null when it fails or they are not reported. */
    simulate: async (base64: string) => simulate(rpc, base64),
    close: async () => rpc.close(),
  };
}

/** Turns an RPC error into a failure of the node, or of a gateway in front of it. */
async function answered<T>(response: Promise<T>): Promise<T> {
  try {
    return await response;
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    throw new ChainError('unavailable', error.message, { cause: error });
  }
}

/** Calls about the lifetime of transactions: block hashes and heights. */
function datingCalls(call: Rpc['call']) {
  return {
    /** The latest block hash with the slot of its block. */
    latestBlockhash: async (commitment: Commitment) => {
      const latest = z.object({ blockhash: z.string(), lastValidBlockHeight: slot });
      const { context, value } = await call('getLatestBlockhash', [{ commitment }], inContext(latest));
      return { ...value, slot: context.slot };
    },
    /**
     * Validity at `minContextSlot` or later: a lagging node reports a new hash as unknown, exactly like an
     * expired one.
     */
    isBlockhashValid: async (blockhash: string, commitment: Commitment, minContextSlot: number) => {
      const params = [blockhash, { commitment, minContextSlot }];
      const { context, value } = await call('isBlockhashValid', params, inContext(z.boolean()));
      requireSlot('isBlockhashValid', context, minContextSlot);
      return value;
    },
    /** Slot and height of the newest finalized block, from one answer. */
    finalizedBlock: async () => {
      const block = z.object({ absoluteSlot: slot, blockHeight: slot });
      const { absoluteSlot, blockHeight } = await call(
        'getEpochInfo',
        [{ commitment: 'finalized' satisfies Commitment }],
        block,
      );
      return { slot: absoluteSlot, height: blockHeight };
    },
  };
}

/** Calls about the fate of a transaction. */
function signatureCalls(rpc: Rpc, call: Rpc['call']) {
  return {
    /** The status from the full history of a node that has seen `minContextSlot`; null for an unknown transaction. */
    status: async (signature: string, minContextSlot: number) => {
      const { method, params, schema } = aboutSignature(signature);
      return readStatus(await call(method, params, schema), minContextSlot);
    },
    /**
     * The status with the first slot of the searched history and the finalized blocks of a range: from one
     * backend, as far as a gateway allows.
     */
    history: async (
      signature: string,
      within: { readonly first: number; readonly last: number; readonly minContextSlot: number },
    ) => {
      const range = [within.first, within.last, { commitment: 'finalized' satisfies Commitment }];
      const [first, blocks, statuses] = await answered(
        rpc.batch<[number, number[], Statuses]>([
          { method: 'getFirstAvailableBlock', params: [], schema: slot },
          { method: 'getBlocks', params: range, schema: z.array(slot) },
          aboutSignature(signature),
        ]),
      );
      return { first, blocks, status: readStatus(statuses, within.minContextSlot) };
    },
  };
}

async function blockHeader(
  rpc: Rpc,
  at: number,
  transactionDetails: 'none' | 'signatures',
): Promise<BlockHeader | null> {
  const options = {
    commitment: 'confirmed',
    transactionDetails,
    rewards: false,
    maxSupportedTransactionVersion: READABLE_VERSION,
  };
  try {
    const found = await rpc.call('getBlock', [at, options], block.nullable());
    // Some gateways answer null for a block that their backend does not have.
    if (found === null) return null;
    return {
      slot: at,
      hash: found.blockhash,
      parentHash: found.previousBlockhash,
      parentSlot: found.parentSlot,
      height: found.blockHeight ?? null,
      // Some nodes return 0 for an unknown time.
      timeMs: (found.blockTime ?? 0) > 0 ? (found.blockTime ?? 0) * 1_000 : null,
      signatures: found.signatures ?? [],
    };
  } catch (error) {
    if (!(error instanceof RpcRefusal)) throw error;
    if (NO_SUCH_BLOCK.has(error.code)) return null;
    if (error.code === CLEANED_UP) throw new ChainError('pruned', `the node no longer has slot ${at}`);
    throw new ChainError('unavailable', error.message, { cause: error });
  }
}

async function simulate(rpc: Rpc, base64: string): Promise<number | null> {
  const options = {
    encoding: 'base64',
    commitment: 'confirmed',
    sigVerify: false,
    replaceRecentBlockhash: true,
  };
  const outcome = z.object({ err: z.unknown().optional(), unitsConsumed: z.int().min(1).nullish() });
  const { value } = await rpc.call('simulateTransaction', [base64, options], inContext(outcome));
  return (value.err ?? null) === null ? (value.unitsConsumed ?? null) : null;
}

/** The node's own report of its lag behind the cluster; `slots` is null when it reports only that it lags. */
export interface NodeHealth {
  readonly isHealthy: boolean;
  readonly slots: number | null;
  /** Why the lag is unknown. */
  readonly problem: string | null;
}

async function nodeHealth(rpc: Rpc): Promise<NodeHealth> {
  try {
    await rpc.call('getHealth', [], z.literal('ok'));
    return { isHealthy: true, slots: 0, problem: null };
  } catch (error) {
    // A gateway without the call: the age of the newest block also shows the lag.
    if (error instanceof RpcRefusal) return { isHealthy: true, slots: null, problem: error.message };
    const cause = error instanceof ChainError ? error.cause : null;
    if (!(cause instanceof RpcRefusal)) throw error;
    const details = z.object({ numSlotsBehind: slot }).safeParse(cause.data);
    return { isHealthy: false, slots: details.data?.numSlotsBehind ?? null, problem: cause.message };
  }
}
