/** Real nodes whose blocks have room only for transactions that pay the current rate. */
import { createEthereumAdapter } from '../../../src/chains/ethereum/adapter.ts';
import { createUtxoAdapter } from '../../../src/chains/utxo/adapter.ts';
import type { ChainAdapter } from '../../../src/domain/chain.ts';
import { Anvil } from '../../../test/_helpers/anvil/anvil.ts';
import { type RegtestNode, startNode, toAtoms } from '../../../test/_helpers/nodes/index.ts';
import { type ConnectContext, silent } from '../../../test/_helpers/wallet-world.ts';

export type PathCoin = 'BTC' | 'ETH';

export interface PathChain {
  readonly coin: PathCoin;
  connect(context: ConnectContext): ChainAdapter;
  /** From now on the network asks for this rate: sat per vB, or gwei of base fee. */
  setRate(rate: bigint): Promise<void>;
  pay(address: string, amounts: readonly bigint[]): Promise<void>;
  /** One block with what pays the rate. */
  mine(): Promise<void>;
  stranger(): Promise<string>;
  stop(): Promise<void>;
}

/** The default of 500 sat per vB would bind before some budgets do. */
const CAP_RATE = 2_000_000n;

export async function openBitcoin(): Promise<PathChain> {
  const node = await startNode('BTC');
  let rate = 1n;
  return {
    coin: 'BTC',
    connect: (context) => {
      const { clock } = context;
      const chain = { coin: 'BTC', mode: 'live' } as const;
      const { rpcUrl } = node;
      const options = { ...chain, network: 'regtest', rpcUrl, clock, logger: silent } as const;
      const adapter = createUtxoAdapter({ ...options, index: context.index(chain), feeCapRate: CAP_RATE });
      const feeQuote = async () => ({ ...(await adapter.feeQuote()), rate: rate * 1_000n });
      return { ...adapter, feeQuote };
    },
    setRate: async (next) => void (rate = next),
    pay: async (address, amounts) => {
      // The miner's own payments enter the next block at any rate.
      await node.mineOnly([await node.pay({ address, amounts })]);
    },
    mine: async () => void (await node.mineOnly(await affordable(node, rate))),
    stranger: async () => node.foreignAddress(),
    stop: async () => node.stop(),
  };
}

/** A transaction is mined at this percentage of the rate, its unconfirmed ancestors included. */
const MINED_PERCENT = 90n;

interface Entry {
  readonly ancestorcount: number;
  readonly ancestorsize: number;
  readonly fees: { readonly ancestor: string };
  readonly depends: readonly string[];
}

async function affordable(node: RegtestNode, rate: bigint): Promise<string[]> {
  const mempool = new Map(Object.entries(await node.rpc<Record<string, Entry>>('getrawmempool', [true])));
  const chosen = new Map<string, Entry>();
  const choose = (txid: string): void => {
    const entry = mempool.get(txid);
    if (entry === undefined || chosen.has(txid)) return;
    chosen.set(txid, entry);
    for (const parent of entry.depends) choose(parent);
  };
  for (const [txid, { fees, ancestorsize }] of mempool)
    if (toAtoms(fees.ancestor) * 100n >= rate * MINED_PERCENT * BigInt(ancestorsize)) choose(txid);
  return [...chosen].toSorted(([, a], [, b]) => a.ancestorcount - b.ancestorcount).map(([txid]) => txid);
}

const GWEI = 1_000_000_000n;
/** Payments of payers are mined at any rate of the path. */
const PAYER_PRICE = 1_000n * GWEI;

export async function openEthereum(started?: Anvil): Promise<PathChain> {
  const anvil = started ?? (await Anvil.start());
  let baseFee = GWEI;
  const block = async (): Promise<void> => {
    await anvil.rpc('anvil_setNextBlockBaseFeePerGas', [`0x${baseFee.toString(16)}`]);
    await anvil.mine(1);
  };
  return {
    coin: 'ETH',
    connect: (context) => {
      const { clock } = context;
      const { rpcUrl } = anvil;
      const options = { network: 'regtest', rpcUrl, clock, logger: silent } as const;
      return createEthereumAdapter({ ...options, index: context.index({ coin: 'ETH', mode: 'live' }) });
    },
    setRate: async (gwei) => {
      baseFee = gwei * GWEI;
      await block();
    },
    pay: async (to, amounts) => {
      const price = { maxFeePerGas: PAYER_PRICE, maxPriorityFeePerGas: GWEI };
      for (const value of amounts) await anvil.send({ to, value, data: '0x', ...price });
      await block();
    },
    mine: block,
    stranger: async () => anvil.newAddress(),
    stop: async () => anvil.stop(),
  };
}
