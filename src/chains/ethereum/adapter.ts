import type { ChainAdapter, ChainIndex, NodeStatus } from '../../domain/chain.ts';
import type { Network } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { UnknownTransactionTypes, withUnknownTypes } from '../shared/unknown-transaction-types.ts';
import { FeeSourceHealth } from '../shared/fee-source-health.ts';
import { createRecheck } from '../shared/recheck.ts';
import { createRpcTransport, type RpcTransportOptions } from '../shared/rpc-transport.ts';
import { accountKey, validateAddress } from './address.ts';
import { readBlock } from './blocks/block.ts';
import { quoteFee } from './sends/eip1559-fees.ts';
import { blockBefore } from './rpc/headers.ts';
import { nodeStatus } from './rpc/identity.ts';
import { ETHEREUM_CHAINS } from './rpc/networks.ts';
import { accountReads } from './accounts/account-reads.ts';
import { BalanceReader } from './accounts/balance-reads.ts';
import { BalanceRotation } from './accounts/balance-rotation.ts';
import { blockReads } from './blocks/block-reads.ts';
import type { NodeClient } from './rpc/node-client.ts';
import { balancesAt, readableBalancesAt } from './accounts/balances-at.ts';
import { eip681Uri } from './payment-uri.ts';
import { readPending } from './blocks/pending.ts';
import { planReplacement, planSend } from './sends/plan-send.ts';
import { createRpc } from './rpc/rpc.ts';
import { Shortfalls } from './accounts/shortfalls.ts';
import { signSend } from './sends/sign-send.ts';
import { createSubmitter } from './sends/submit.ts';
import { createTracer } from './blocks/traces.ts';
import { UnreadBlocks } from './blocks/unread-blocks.ts';
import { recordTransactionTypes } from './blocks/transaction-types.ts';

export interface EthereumAdapterOptions {
  readonly network: Network;
  /** http(s) URL of the node's RPC; may carry user:pass. */
  readonly rpcUrl: string;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onAnswer?: RpcTransportOptions['onAnswer'];
  /** Fee cap for our own transactions, in wei per 1,000 gas. */
  readonly feeCapRate?: bigint | undefined;
  readonly rpcTimeoutMs?: number | undefined;
  /** Maximum calls per batch request. */
  readonly rpcBatchSize?: number | undefined;
  /** Maximum calls per second; 0 or absent: no limit. */
  readonly rpcPerSecond?: number | undefined;
}

const RPC_TIMEOUT_MS = 30_000;
/** Most providers allow a hundred calls per batch, a few allow less. */
const RPC_BATCH_SIZE = 100;
/**
 * Limit for a block's trace, the largest answer: anyone can pay to inflate it, and it must fit into the heap.
 */
const MAX_RESPONSE_BYTES = 64 * 1024 * 1024;
/** 200 gwei. */
const FEE_CAP_RATE = 200_000_000_000_000n;
/** Cost of moving a deposit at about 5 gwei: a smaller payment would not be worth its own sweep. */
const MINIMUM_PAYMENT = 100_000_000_000_000n;

/**
 * Ether over the JSON-RPC of any node: geth, reth, Nethermind, Erigon, anvil. Requires no archive, traces, pending
 * block or sockets; uses traces and pending blocks where available.
 */
export function createEthereumAdapter(options: EthereumAdapterOptions): ChainAdapter {
  const { network, index, clock, logger } = options;
  const capRate = options.feeCapRate ?? FEE_CAP_RATE;
  const client = createClient(options);
  const now = (): number => clock.now();
  const novelties = new UnknownTransactionTypes({ coin: 'ETH', what: 'type', clock, logger });
  const reader = {
    client: recordTransactionTypes(client, novelties),
    index,
    tracer: createTracer({ client, clock, logger }),
    shortfalls: new Shortfalls(),
    turns: new BalanceRotation(logger),
    unread: new UnreadBlocks({ index, clock, logger }),
    logger,
    now,
  };
  const submitter = createSubmitter({
    client,
    logger,
    wasRead: (watchKey, height) => (reader.turns.readAt(watchKey) ?? -1) >= height,
  });
  const recheck = createRecheck(logger);
  const feeSources = new FeeSourceHealth('ETH', logger);
  let { chainId } = ETHEREUM_CHAINS[network][0];

  return {
    coin: 'ETH',
    mode: 'live',
    network,
    minimumPayment: MINIMUM_PAYMENT,
    async status() {
      const { status, chain } = await nodeStatus(client, network, now());
      ({ chainId } = chain);
      const told = withWarning(withUnknownTypes(status, novelties), reader.turns.warning());
      return reader.unread.withWarning(feeSources.withWarning(reader.shortfalls.withWarning(told)));
    },
    async tip() {
      const { number: height, hash } = await client.tip();
      return { height, hash };
    },
    finality: { finalBlocks: (wanted) => client.finalBlocks(wanted) },
    hashAt: async (height) => (await client.headerAt(height))?.hash ?? null,
    blockBefore: (timeMs) => blockBefore(client, timeMs),
    async blockAt(height) {
      await reader.unread.retry(client);
      return readBlock(reader, height);
    },
    async unconfirmed() {
      const { view, byNonce } = await readPending(client, index);
      submitter.saw(byNonce);
      return view;
    },
    recheck: (transactions, ledger, proof) =>
      recheck(transactions, (each) => submitter.getTransactionStatus(each, ledger, proof)),
    validateAddress,
    watchKey: accountKey,
    paymentUri: ({ address, amount }) => eip681Uri({ address, amount, chainId }),
    feeQuote: (intent) => quoteFee(client, network, { capRate, at: now(), intent, sources: feeSources }),
    planSend,
    signSend,
    planReplacement: (request) => planReplacement({ ...request, capRate }),
    broadcast: (transaction) => submitter.broadcast(transaction),
    funds: {
      model: 'accounts',
      balancesAt: (accounts, ledger) => balancesAt(client, accounts, ledger),
      heldAfter: async (accounts, block) => readableBalancesAt(client, accounts, block),
      usedAmong: (accounts) => client.usedAmong(accounts),
    },
    close: () => client.close(),
  };
}

function createClient({ rpcUrl, clock, logger, ...options }: EthereumAdapterOptions): NodeClient {
  const callsPerSecond = options.rpcPerSecond ?? 0;
  const rpc = createRpc(
    createRpcTransport({
      url: rpcUrl,
      timeoutMs: options.rpcTimeoutMs ?? RPC_TIMEOUT_MS,
      maxResponseBytes: MAX_RESPONSE_BYTES,
      callsPerSecond,
      logger,
      onAnswer: options.onAnswer,
    }),
  );
  const wanted = options.rpcBatchSize ?? RPC_BATCH_SIZE;
  // A batch larger than one second's quota would always be rejected.
  const batchSize = callsPerSecond === 0 ? wanted : Math.min(wanted, callsPerSecond);
  const balances = new BalanceReader(rpc, { batchSize, clock, logger });
  return {
    ...blockReads(rpc),
    ...accountReads({ rpc, balances, batchSize }),
    close: async () => rpc.close(),
  };
}

function withWarning(status: NodeStatus, warning: string | null): NodeStatus {
  if (warning === null) return status;
  return { ...status, warnings: status.warnings === null ? warning : `${status.warnings}; ${warning}` };
}
