import type { ChainAdapter, ChainIndex, SparseBlocks } from '../../domain/chain.ts';
import type { Mode, Network } from '../../domain/coins.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { FeeSourceHealth } from '../shared/fee-source-health.ts';
import { createRpcTransport, type RpcTransportOptions } from '../shared/rpc-transport.ts';
import { AccountSubscriptions } from './accounts/account-subscriptions.ts';
import { AccountWatch } from './accounts/account-watch.ts';
import { validateAddress } from './address.ts';
import { balancesAt } from './accounts/balances-at.ts';
import { ChainView } from './blocks/chain-view.ts';
import { CAP_RATE, estimatePriorityFee } from './sends/fees.ts';
import { NodeHealthReader } from './rpc/node-health.ts';
import { HistoryGap } from './blocks/history-gap.ts';
import { simulateComputeUnits } from './sends/simulate-compute-units.ts';
import { readWire } from './sends/message.ts';
import { createNodeClient, type NodeClient } from './rpc/node-client.ts';
import { solanaPayUri } from './payment-uri.ts';
import { planRenewal, planSend } from './sends/plan-send.ts';
import { createRpc } from './rpc/rpc.ts';
import { signSend } from './sends/sign-send.ts';
import { createSubmitter } from './sends/submit.ts';
import { blockBefore, finalAfter } from './rpc/tip.ts';

export interface SolanaAdapterOptions {
  readonly network: Network;
  /** `live` unless a sandbox uses its own node. */
  readonly mode?: Mode | undefined;
  /** http(s) URL of the node's RPC; may carry user:pass. */
  readonly rpcUrl: string;
  readonly index: ChainIndex;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly onAnswer?: RpcTransportOptions['onAnswer'];
  /** Fee cap in lamports per 1,000 compute units. */
  readonly feeCapRate?: bigint | undefined;
  readonly rpcTimeoutMs?: number | undefined;
  /** Maximum calls per second; 0 or absent: no limit. */
  readonly rpcPerSecond?: number | undefined;
  /** ws(s) URL of the node's subscriptions, if it serves them; they only reduce latency. */
  readonly wsUrl?: string | undefined;
  /** Makes fewer calls, for a provider's plan; by default everywhere except on regtest. See docs/solana.md. */
  readonly savesCalls?: boolean | undefined;
}

const RPC_TIMEOUT_MS = 30_000;
/** Fits a page of a thousand signatures with their memos, or all signatures of the largest block. */
const MAX_RESPONSE_BYTES = 16 * 1024 * 1024;
/** Current rent-exempt minimum of an account without data; the daemon reads the actual one from the node. */
const RENT_EXEMPT_MINIMUM = 890_880n;

/** Native SOL over the JSON-RPC of a full node. Heights are slots; 32 confirmations mean finalized. */
export function createSolanaAdapter(options: SolanaAdapterOptions): ChainAdapter {
  const { network, index, clock, logger } = options;
  const savesCalls = options.savesCalls ?? network !== 'regtest';
  const client = createClient(options);
  const hints = options.wsUrl === undefined ? null : new AccountSubscriptions({ url: options.wsUrl, logger });
  const follow = hints?.follow.bind(hints);
  const watch = new AccountWatch({ client, index, clock, logger, savesCalls, follow });
  const view = new ChainView({ client, index, watch, savesCalls });
  const health = new NodeHealthReader({ client, network, clock, savesCalls });
  const lostHistory = new HistoryGap({ clock, logger });
  const seenSlot = () => view.seenSlot;
  const submitter = createSubmitter(client, { index, seenSlot, lostHistory, logger });
  const capRate = options.feeCapRate ?? CAP_RATE;
  const feeSources = new FeeSourceHealth('SOL', logger);
  let rentExemptMinimum = RENT_EXEMPT_MINIMUM;

  return {
    coin: 'SOL',
    mode: options.mode ?? 'live',
    network,
    get minimumPayment() {
      return rentExemptMinimum;
    },
    status: async () => {
      const { rent, ...status } = await health.read(async () => view.recentTip());
      rentExemptMinimum = rent;
      return feeSources.withWarning(watch.withWarning(lostHistory.withWarning(status)));
    },
    tip: () => view.tip(),
    sparse: sparseBlocks(client, view),
    hashAt: (height) => view.hashAt(height),
    blockBefore: async (timeMs) => blockBefore(client, timeMs),
    blockAt: (height) => view.blockAt(height),
    unconfirmed: () => view.unconfirmed(),
    recheck: (transactions) => submitter.recheck(transactions),
    validateAddress,
    watchKey: (address) => address,
    paymentUri: solanaPayUri,
    feeQuote: (intent) => {
      const writable = intent === undefined ? [] : [intent.from, intent.destination];
      return estimatePriorityFee(client, { capRate, at: clock.now(), writable, sources: feeSources });
    },
    wholeAccounts: {
      measure: async (draft, quote) => simulateComputeUnits({ client, logger }, draft, quote),
      heldNow: async (accounts) => (await client.balances(accounts, 0)).lamports,
    },
    funds: {
      model: 'accounts',
      // Omits unreadable accounts: their state is unknown and does not affect the others.
      heldAfter: async (accounts, { height }) => (await client.readableBalances(accounts, height)).lamports,
      balancesAt: (accounts) => balancesAt(client, accounts),
    },
    planSend: (request) => planSend(request, rentExemptMinimum),
    signSend,
    // A transaction cannot be replaced: while it can be executed, a second one would pay twice.
    planReplacement: () => null,
    expiry: {
      planRenewal: (previous, quote, terms) =>
        planRenewal(previous, quote, { ...terms, capRate, rentExemptMinimum }),
    },
    broadcast: async (transaction) => {
      const wire = transaction.raw === null ? null : readWire(transaction.raw);
      watch.expect([...(await index.watched(wire?.staticKeys ?? []))], transaction.txid);
      return submitter.broadcast(transaction);
    },
    ...(hints === null ? {} : { hints: { listen: (wake: () => void) => hints.start(wake) } }),
    close: async () => {
      hints?.close();
      await client.close();
    },
  };
}

function sparseBlocks(client: NodeClient, view: ChainView): SparseBlocks {
  return {
    finalizedHeight: () => client.slot('finalized'),
    finalAfter: async (height) => finalAfter(client, height),
    blockAfter: (cursor) => view.blockAfter(cursor),
    isChecked: (cursor) => view.isChecked(cursor),
  };
}

function createClient(options: SolanaAdapterOptions): NodeClient {
  const { rpcUrl, rpcTimeoutMs, rpcPerSecond, logger, onAnswer } = options;
  return createNodeClient(
    createRpc(
      createRpcTransport({
        url: rpcUrl,
        timeoutMs: rpcTimeoutMs ?? RPC_TIMEOUT_MS,
        maxResponseBytes: MAX_RESPONSE_BYTES,
        callsPerSecond: rpcPerSecond,
        logger,
        onAnswer,
      }),
    ),
  );
}
