import { createUtxoAdapter } from '../../../src/chains/utxo/adapter.ts';
import { createRpcTransport } from '../../../src/chains/shared/rpc-transport.ts';
import { NO_ACCOUNTS } from '../../../test/_helpers/no-accounts.ts';
import { silent } from '../../../test/_helpers/wallet-world.ts';

/**
 * One side of the question what a look at a large mempool costs, in a process of its own: `ours` takes the view of the
 * adapter, `bare` receives the bytes of the list and throws them away. Told to look, it answers the cost.
 */
export interface LookCost {
  /** Processor time of all threads, ms. */
  readonly cpuMs: number;
  /** The longest stretch of the main thread's processor time between two turns of the event loop, ms. */
  readonly stallMs: number;
  /** Transactions that are still unread. */
  readonly left: number;
}

const METHODS = ['getbestblockhash', 'getrawmempool', 'getbestblockhash', 'getmempoolinfo'];
const LIMIT_BYTES = 96 * 1024 * 1024;

const { side, url } = JSON.parse(process.argv[2] ?? '') as { side: 'ours' | 'bare'; url: string };
const look = side === 'ours' ? ours() : bare();

function ours(): () => Promise<number> {
  const adapter = createUtxoAdapter({
    coin: 'BTC',
    network: 'regtest',
    rpcUrl: url,
    index: { ...NO_ACCOUNTS, watched: async () => new Set(), ownOutputs: async () => new Set() },
    clock: { now: () => Date.now() },
    logger: silent,
  });
  return async () => (await adapter.unconfirmed()).left ?? 0;
}

function bare(): () => Promise<number> {
  const transport = createRpcTransport({
    url,
    timeoutMs: 30_000,
    maxResponseBytes: LIMIT_BYTES,
    logger: silent,
  });
  const body = JSON.stringify(METHODS.map((method, id) => ({ jsonrpc: '1.0', id, method, params: [] })));
  return async () => {
    await transport.postForBytes(body, 'getrawmempool');
    return 0;
  };
}

const mainThreadMs = (): number => {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
};

async function measure(): Promise<LookCost> {
  let stallMs = 0;
  let last = mainThreadMs();
  const notice = (): void => {
    const now = mainThreadMs();
    stallMs = Math.max(stallMs, now - last);
    last = now;
  };
  const probe = setInterval(notice, 1);
  const before = process.cpuUsage();
  const left = await look();
  notice();
  const { user, system } = process.cpuUsage(before);
  clearInterval(probe);
  return { cpuMs: (user + system) / 1000, stallMs, left };
}

process.on('message', () => void measure().then((cost) => process.send?.(cost)));
process.once('SIGTERM', () => process.exit());
process.send?.({});
