import {
  type ChainAdapter,
  type ChainBlock,
  ChainError,
  type ChainIndex,
  type Fate,
  type StoredTransaction,
} from '../../domain/chain.ts';
import type { Mode, Network } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { addressScript, parseAddress } from './address.ts';
import { bytesOfHex, scanBlock } from './block.ts';
import type { UtxoCoin, UtxoCoinCode } from './coin.ts';
import { UTXO_COINS } from './coins.ts';
import { type FeeLimits, quoteFee } from './fees.ts';
import { blockBefore } from './headers.ts';
import { nodeStatus } from './identity.ts';
import { COINBASE_MATURITY, type MatchTransaction, matchTransactions, PEGOUT_MATURITY } from './match.ts';
import { createMempool } from './mempool.ts';
import { createNodeClient, type NodeClient } from './node-client.ts';
import { bip21Uri } from './payment-uri.ts';
import { planBump } from './plan-bump.ts';
import { planSend } from './plan-send.ts';
import { createRpc, type Rpc } from './rpc.ts';
import { createRpcTransport } from '../rpc-transport.ts';
import { Novelties, withNovelties } from '../novelties.ts';
import { scanUnspent } from './scan-unspent.ts';
import { signSend } from './sign-send.ts';
import { dustLimit } from './size.ts';
import { createSubmitter, type Submitter } from './submit.ts';
import { newVersion } from './transaction.ts';

export interface UtxoAdapterOptions {
  readonly coin: UtxoCoinCode;
  readonly network: Network;
  /** `live` unless a sandbox runs on a node of its own. */
  readonly mode?: Mode | undefined;
  /** http(s) URL of the node's RPC; may carry user:pass. */
  readonly rpcUrl: string;
  /** Path of the node's `.cookie`, instead of user:pass. */
  readonly cookieFile?: string | undefined;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Atoms per 1,000 vB; the coin's own limits where unset. */
  readonly feeFloorRate?: bigint | undefined;
  readonly feeCapRate?: bigint | undefined;
  /** Blocks within which sends should confirm. */
  readonly confirmTarget?: number | undefined;
  readonly rpcTimeoutMs?: number | undefined;
  readonly maxResponseBytes?: number | undefined;
}

const RPC_TIMEOUT_MS = 30_000;
/** The largest block is 8 MB as hex; a mempool of a million ids is 67 MB. */
const MAX_RESPONSE_BYTES = 96 * 1024 * 1024;
/** A scan of the whole set of unspent outputs reads some 15 GB on a Bitcoin node. */
const SCAN_TIMEOUT_MS = 30 * 60_000;
const ONE_CONFIRMATION = 1;

/** Bitcoin and Litecoin over the RPC of a full node, pruned or not; no wallet, index or ZMQ needed. */
export function createUtxoAdapter(options: UtxoAdapterOptions): ChainAdapter {
  const { network, index, clock, logger } = options;
  const coin = UTXO_COINS[options.coin];
  const limits: FeeLimits = {
    floorRate: options.feeFloorRate ?? coin.feeFloorRate,
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
      }),
    );
  const client = createNodeClient(rpcWithin(options.rpcTimeoutMs ?? RPC_TIMEOUT_MS));
  const slowRpc = rpcWithin(SCAN_TIMEOUT_MS);
  const mempool = createMempool({ client, index, mweb: coin.hasMweb, clock, logger });
  const submitter = createSubmitter(client, coin.hasMweb, logger);
  const novelties = new Novelties({ coin: coin.code, what: 'version', clock, logger });

  return {
    coin: coin.code,
    mode: options.mode ?? 'live',
    network,
    minimumPayment: dustLimit(Buffer.from(`0014${'00'.repeat(20)}`, 'hex'), coin.dustRelayRate),
    status: async () => withNovelties(await nodeStatus(client, coin, network), novelties),
    tip: () => client.tip(),
    hashAt: (height) => client.blockHash(height),
    blockBefore: (timeMs) => blockBefore(client, timeMs),
    blockAt: (height) => blockAt({ client, coin, index, novelties }, height),
    unconfirmed: () => mempool.view(),
    recheck: (transactions) => recheck(submitter, transactions, logger),
    addressProblem(address) {
      const parsed = parseAddress(coin, network, address);
      return 'problem' in parsed ? parsed.problem : null;
    },
    watchKey: (address) => addressScript(coin, network, address).toString('hex'),
    paymentUri: (request) => bip21Uri(coin, request),
    feeQuote: () => quoteFee(client, limits, clock.now()),
    planSend: (request) => planSend(coin, network, request),
    signSend: (plan, keys) => signSend(coin, network, plan, keys),
    planBump: (request) => planBump(coin, network, { ...request, capRate: limits.capRate }),
    broadcast: (transaction) => submitter.broadcast(transaction),
    scanUnspent: (query) => scanUnspent(slowRpc, query),
    close: async () => {
      await Promise.all([client.close(), slowRpc.close()]);
    },
  };
}

interface BlockDeps {
  readonly client: NodeClient;
  readonly coin: UtxoCoin;
  readonly index: ChainIndex;
  readonly novelties: Novelties;
}

async function blockAt(
  { client, coin, index, novelties }: BlockDeps,
  height: number,
): Promise<ChainBlock | null> {
  const hash = await client.blockHash(height);
  if (hash === null) return null;
  const raw = await client.rawBlock(hash);
  if (raw === null) throw await prunedError(client, height);
  const block = scanBlock(bytesOfHex(raw), hash, coin.hasMweb);
  const transactions = block.transactions.map((scanned, position): MatchTransaction => {
    const version = newVersion(block.bytes, scanned);
    if (version !== null) novelties.saw(version, height);
    const isCoinbase = position === 0;
    const maturity = isCoinbase ? COINBASE_MATURITY : scanned.isHogEx ? PEGOUT_MATURITY : ONE_CONFIRMATION;
    return { bytes: block.bytes, scanned, maturity, relayable: !isCoinbase && !scanned.isHogEx };
  });
  const { credits, debits } = await matchTransactions(transactions, index);
  return { height, hash, parentHash: block.parentHash, timeMs: block.timeMs, credits, debits };
}

async function prunedError(client: NodeClient, height: number): Promise<ChainError> {
  const { pruneheight = height + 1 } = await client.chainInfo();
  return new ChainError(
    'pruned',
    `the node pruned blocks ${height} to ${Math.max(height, pruneheight - 1)}: they are needed to find payments`,
  );
}

/** Bounded by the caller's list. Trouble with the node leaves the rest unknown rather than waiting for each. */
async function recheck(
  submitter: Submitter,
  transactions: readonly StoredTransaction[],
  logger: Logger,
): Promise<ReadonlyMap<string, Fate>> {
  const fates = new Map<string, Fate>(transactions.map(({ txid }) => [txid, 'unknown']));
  try {
    for (const transaction of transactions) {
      fates.set(transaction.txid, await submitter.fateOf(transaction));
    }
  } catch (error) {
    if (!(error instanceof ChainError)) throw error;
    logger.warn({ error: error.message }, 'could not find out what became of unconfirmed transactions');
  }
  return fates;
}
