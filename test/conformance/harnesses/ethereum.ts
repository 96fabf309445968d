import { createEthereumAdapter } from '../../../src/chains/ethereum/adapter.ts';
import type { ChainIndex } from '../../../src/domain/chain.ts';
import type { Network } from '../../../src/domain/coins.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { startFaultProxy, type FaultProxy } from '../../_helpers/nodes/index.ts';
import type { ChainHarness, ChainWorld, ReorgFate, WireFaults } from '../harness.ts';
import { OwnKeys } from '../own-keys.ts';

const BAD_ADDRESSES: Readonly<Record<string, string>> = {
  'with a wrong checksum': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAeD',
  'without 0x': '5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'that is too short': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeA',
  'in ICAP': 'XE65GB6LDNXYOFTX0NSV3FUWKOWIXAMJK36',
  'of nobody': `0x${'0'.repeat(40)}`,
  'of Bitcoin': 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
  'that is empty': '',
};

/** Two epochs, as anvil counts them by default here. */
const BLOCKS_TO_FINALITY = 70;

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

async function startWorld(): Promise<ChainWorld> {
  const anvil = await Anvil.start();
  const proxy = await startFaultProxy(anvil.rpcUrl);
  const keys = new OwnKeys('ETH', 'live', 'regtest');
  const adapter = (network: Network, index: ChainIndex) =>
    createEthereumAdapter({
      network,
      rpcUrl: proxy.url,
      index,
      clock: { now: () => Date.now() },
      logger: silent,
      rpcTimeoutMs: 5_000,
    });
  return {
    createAdapter: (index) => adapter('regtest', index),
    keys,
    amount: 10n ** 17n,
    isAccounts: true,
    newAddress: () => keys.newAddress(),
    strangerAddress: async () => anvil.newAddress(),
    pay: async (outputs) => anvil.payMany(outputs),
    mine: async (blocks) => anvil.mine(blocks),
    finalize: async () => anvil.mine(BLOCKS_TO_FINALITY),
    reorg: async ({ depth, fate, txid }) => reorganise(anvil, depth, fate, txid),
    replace: async (txid) => anvil.replace(txid),
    feeOf: async (txid) => feeOf(anvil, txid),
    outage: { begin: async () => proxy.refuse(), end: async () => proxy.accept() },
    badAddresses: BAD_ADDRESSES,
    wire: wireFaults(anvil, proxy, (index) => adapter('mainnet', index)),
    stop: async () => {
      await proxy.close();
      await anvil.stop();
    },
  };
}

async function reorganise(anvil: Anvil, depth: number, fate: ReorgFate, txid: string): Promise<void> {
  switch (fate) {
    case 'moved':
      return anvil.reorg(depth, { move: [txid] });
    case 'dropped':
      return anvil.reorg(depth);
    case 'replaced':
      return anvil.reorg(depth, { doubleSpend: txid });
  }
}

function wireFaults(
  anvil: Anvil,
  proxy: FaultProxy,
  onMainnet: (index: ChainIndex) => ReturnType<typeof createEthereumAdapter>,
): WireFaults {
  return {
    wrongChainAdapter: async (index) => onMainnet(index),
    fallBehind: async () => {
      const height = await anvil.height();
      const rewrite = (result: unknown, method: string): unknown =>
        method === 'eth_syncing' ? { currentBlock: hex(height), highestBlock: hex(height + 10) } : result;
      const fault = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['eth_syncing'] });
      return () => fault.clear();
    },
    scramble: async (how) => {
      const fault = proxy.inject({ kind: how === 'reversed' ? 'reverseBatch' : 'duplicateBatch' });
      return () => fault.clear();
    },
  };
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

async function feeOf(anvil: Anvil, txid: string): Promise<bigint> {
  const receipt = await anvil.rpc<{ gasUsed: string; effectiveGasPrice: string }>(
    'eth_getTransactionReceipt',
    [txid],
  );
  return BigInt(receipt.gasUsed) * BigInt(receipt.effectiveGasPrice);
}

export const harnesses: readonly ChainHarness[] = [
  {
    name: 'real ETH node',
    coin: 'ETH',
    available: requireAnvil(),
    wired: true,
    start: startWorld,
  },
];
