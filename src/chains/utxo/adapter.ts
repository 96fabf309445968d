import type { BlockRef, ChainAdapter, ChainIndex, OutputRef, PsbtSupport } from '../../domain/chain.ts';
import { UTXO_COINS, type Mode, type Network, type UtxoCoinCode } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { addressScript, keyHashScript, parseAddress } from './address.ts';
import { BlockFetcher } from './blocks/block-fetcher.ts';
import { type FeeLimits, estimateFeeRate } from './sends/fee-rate.ts';
import { blockBefore } from './rpc/headers.ts';
import { nodeStatus } from './rpc/identity.ts';
import { createMempoolCache, type MempoolCache } from './mempool/mempool-cache.ts';
import { createMempool } from './mempool/mempool.ts';
import { createNodeClient, type NodeClient } from './rpc/node-client.ts';
import { bip21Uri } from './payment-uri.ts';
import { planRbfBump } from './sends/plan-rbf.ts';
import { planSend } from './sends/plan-send.ts';
import { readBlock } from './blocks/read-block.ts';
import { createRpc, type Rpc } from './rpc/rpc.ts';
import { FeeSourceHealth } from '../shared/fee-source-health.ts';
import { createRecheck } from '../shared/recheck.ts';
import { createRpcTransport, type RpcTransportOptions } from '../shared/rpc-transport.ts';
import { UnreadTransactions } from '../shared/unread-transactions.ts';
import { scanUnspent } from './scan-unspent.ts';
import { signSend } from './sends/sign-send.ts';
import { dustLimit, feeFor, inputVsize, maxInputs } from './sends/size.ts';
import { decodeInputs } from './mempool/transaction-status.ts';
import { createSubmitter } from './sends/submit.ts';

export interface UtxoAdapterOptions {
  readonly coin: UtxoCoinCode;
  readonly network: Network;
  /** `live` unless a sandbox runs on its own node. */
  readonly mode?: Mode | undefined;
  /** http(s) URL of the node's RPC; may carry user:pass. */
  readonly rpcUrl: string;
  /** Path of the node's `.cookie`, instead of user:pass. */
  readonly cookieFile?: string | undefined;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onAnswer?: RpcTransportOptions['onAnswer'];
  /** Atoms per 1,000 vB; where unset, the node's relay minimum and the coin's cap. */
  readonly feeFloorRate?: bigint | undefined;
  readonly feeCapRate?: bigint | undefined;
  /** Blocks within which sends should confirm. */
  readonly confirmTarget?: number | undefined;
  readonly rpcTimeoutMs?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
  /** Where to keep which transactions of the mempool were read; absent: nowhere. */
  readonly mempoolCacheFile?: string | undefined;
}

/** Scripts of the largest address type (P2WSH, P2TR): a destination and change. */
const LARGEST_OUTPUTS = [new Uint8Array(34), new Uint8Array(34)];
const RPC_TIMEOUT_MS = 30_000;
/** The largest block is 8 MB as hex; a mempool of a million ids is 67 MB. */
const MAX_RESPONSE_BYTES = 96 * 1024 * 1024;
/** A scan of the whole set of unspent outputs reads some 15 GB on a Bitcoin node. */
const SCAN_TIMEOUT_MS = 30 * 60_000;

/** Adapter of a Bitcoin-family coin over the RPC of a full node, pruned or not; needs no wallet, index or ZMQ. */
export function createUtxoAdapter(options: UtxoAdapterOptions): ChainAdapter {
  const { network, index, clock, logger } = options;
  const coin = UTXO_COINS[options.coin];
  const limits: FeeLimits = {
    floorRate: options.feeFloorRate ?? 0n,
    fallbackRate: coin.fallbackFeeRate,
    capRate: options.feeCapRate ?? coin.feeCapRate,
    confirmTarget: options.confirmTarget ?? coin.confirmTarget,
  };
  const rpcWithin = (timeoutMs: number): Rpc =>
    createRpc(
      createRpcTransport({
        url: options.rpcUrl,
        cookieFile: options.cookieFile,
        timeoutMs,
        maxResponseBytes: options.maxResponseBytes ?? MAX_RESPONSE_BYTES,
        logger,
        onAnswer: options.onAnswer,
      }),
    );
  const client = createNodeClient(rpcWithin(options.rpcTimeoutMs ?? RPC_TIMEOUT_MS));
  const slowRpc = rpcWithin(SCAN_TIMEOUT_MS);
  const unread = new UnreadTransactions({ coin: options.coin, clock, logger });
  const mempool = createMempool({ client, index, mweb: coin.hasMweb, unread, cache: createCache(options) });
  const submitter = createSubmitter(client, coin.hasMweb, logger);
  const reader = { client, coin, index };
  const blockFetcher = new BlockFetcher(reader);
  const recheck = createRecheck(logger);
  const feeSources = new FeeSourceHealth(options.coin, logger);

  return {
    coin: options.coin,
    mode: options.mode ?? 'live',
    network,
    minimumPayment: dustLimit(keyHashScript(coin.scriptType), coin.dustRelayRate),
    status: async () => unread.withWarning(feeSources.withWarning(await nodeStatus(client, coin, network))),
    tip: () => client.tip(),
    inputsOf: (raw) => decodeInputs(raw, coin.hasMweb),
    hashAt: (height) => blockFetcher.hashAt(height),
    blockBefore: (timeMs) => blockBefore(client, timeMs),
    blockAt: (height) => readBlock(reader, height),
    blockBatches: { blocksFrom: (height) => blockFetcher.blocksFrom(height) },
    unconfirmed: () => mempool.view(),
    recheck: (transactions, ledger, proof) =>
      recheck(transactions, (each) => submitter.getTransactionStatus(each, ledger, proof)),
    validateAddress(address) {
      const parsed = parseAddress(coin, network, address);
      return 'problem' in parsed ? parsed.problem : null;
    },
    watchKey: (address) => addressScript(coin, network, address).toString('hex'),
    paymentUri: (request) => bip21Uri(coin, request),
    feeQuote: () => estimateFeeRate(client, limits, { at: clock.now(), sources: feeSources }),
    funds: {
      model: 'outputs',
      mostInputs: maxInputs(coin.scriptType, LARGEST_OUTPUTS, 0n),
      inputCost: (rate) => feeFor(inputVsize(coin.scriptType), rate),
      scanUnspent: (query) => scanUnspent(slowRpc, query),
    },
    ...(coin.scriptType === 'p2wpkh' ? { psbt: psbtSupport(client) } : {}),
    planSend: (request) => planSend(coin, network, request),
    signSend: async (plan, keys) => signSend(coin, network, plan, keys),
    planReplacement: (request) => planRbfBump(coin, network, { ...request, capRate: limits.capRate }),
    broadcast: (transaction) => submitter.broadcast(transaction),
    close: async () => {
      await Promise.all([client.close(), slowRpc.close()]);
      // Afterwards, because the open connections would keep a view waiting.
      await mempool.close();
    },
  };
}

function psbtSupport(client: NodeClient): PsbtSupport {
  return {
    previousTransactions: async (of) => previousTransactions(client, of),
    unspentAt: async (txid, outputs) => unspentAt(client, txid, outputs),
  };
}

async function previousTransactions(
  client: Pick<NodeClient, 'minedTransactions'>,
  of: Parameters<NodeClient['minedTransactions']>[0],
): Promise<ReadonlyMap<string, string>> {
  const found = await client.minedTransactions(of);
  return new Map(
    of.flatMap(({ txid }, at) => {
      const raw = found[at];
      return typeof raw === 'string' ? [[txid, raw] as const] : [];
    }),
  );
}

async function unspentAt(
  client: Pick<NodeClient, 'transactionState'>,
  txid: string,
  outputs: readonly OutputRef[],
): Promise<BlockRef | null> {
  const state = await client.transactionState(txid, outputs);
  if (state === null || state.inMempool || !state.unspent.every(Boolean)) return null;
  const { blocks, headers, bestblockhash, initialblockdownload } = state.info;
  return initialblockdownload || headers > blocks ? null : { height: blocks, hash: bestblockhash };
}

/** A restored database may lack addresses and sends of the one that the cache was made with. */
function createCache({
  mempoolCacheFile: path,
  coin,
  network,
  index,
  logger,
}: UtxoAdapterOptions): MempoolCache | undefined {
  if (path === undefined) return undefined;
  const context = async (): Promise<string> =>
    `${coin} ${network} ${(await index.restoredAt?.()) ?? 'original'}`;
  return createMempoolCache({ path, context, logger });
}
