import { createUtxoAdapter } from '../../../src/chains/utxo/adapter.ts';
import type { ChainIndex } from '../../../src/domain/chain.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import {
  type FaultProxy,
  NODE_COINS,
  type NodeCoin,
  type RegtestNode,
  requireNode,
  startFaultProxy,
  startNode,
  toAtoms,
} from '../../_helpers/nodes/index.ts';
import { blockByCore } from '../../_helpers/nodes/core-client.ts';
import type { ChainHarness, ChainWorld, ReorgFate, WireFaults } from '../harness.ts';
import { OwnKeys } from '../own-keys.ts';

/** How far below the tip a transaction and the ones it spends are looked for. */
const SEARCHED_BLOCKS = 60;

const OTHER_COIN: Readonly<Record<NodeCoin, NodeCoin>> = { BTC: 'LTC', LTC: 'BTC' };

const BAD_ADDRESSES: Readonly<Record<NodeCoin, Readonly<Record<string, string>>>> = {
  BTC: {
    'of mainnet': 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    'of testnet': 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx',
    'of Litecoin': 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea',
    'with a wrong checksum': 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefq',
    'of Ethereum': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
    'that is empty': '',
  },
  LTC: {
    'of mainnet': 'ltc1qg42tkwuuxefutzxezdkdel39gfstuap288mfea',
    'of Bitcoin regtest': 'bcrt1q6z64a43mjgkcq0ul2znwneq3spghrlau9slefp',
    'of MWEB':
      'ltcmweb1qqv0klk6p30swkrhvrz6xqc0ydqzk4xd4dgcsdntt70ctzkjff5d95qk9mvv9agzfhjmksj6ajumvr5tyz9kdgpuyeqh5wngnse08m9g2dgmyxqsz',
    'that is empty': '',
  },
};

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

async function startWorld(coin: NodeCoin): Promise<ChainWorld> {
  const node = await startNode(coin);
  const proxy = await startFaultProxy(node.rpcUrl);
  const keys = new OwnKeys(coin, 'live', 'regtest');
  const adapter = (code: NodeCoin, index: ChainIndex) =>
    createUtxoAdapter({
      coin: code,
      network: 'regtest',
      rpcUrl: proxy.url,
      index,
      clock: { now: () => Date.now() },
      logger: silent,
      rpcTimeoutMs: 5_000,
    });
  return {
    createAdapter: (index) => adapter(coin, index),
    keys,
    amount: 1_000_000n,
    newAddress: () => keys.newAddress(),
    strangerAddress: async () => node.foreignAddress(),
    pay: async (outputs) =>
      node.payMany(outputs.map(({ address, amount }) => ({ address, amountAtoms: amount }))),
    mine: async (blocks) => void (await node.mine(blocks)),
    reorg: async ({ depth, fate, txid }) => reorganise(node, depth, fate, txid),
    replace: async (txid) => (await node.replaceTo(txid, await node.foreignAddress())).txid,
    feeOf: async (txid) => feeOf(node, txid),
    blockByCore: async (height) => blockByCore(node.rpcUrl, height),
    outage: { begin: async () => proxy.refuse(), end: async () => proxy.accept() },
    badAddresses: BAD_ADDRESSES[coin],
    wire: wireFaults(proxy, (index) => adapter(OTHER_COIN[coin], index)),
    stop: async () => {
      await proxy.close();
      await node.stop();
    },
  };
}

async function reorganise(node: RegtestNode, depth: number, fate: ReorgFate, txid: string): Promise<void> {
  switch (fate) {
    case 'moved':
      await node.reorg({ depth, moveInto: depth });
      return;
    case 'dropped':
      await node.reorg({ depth, transactions: 'mempool' });
      await node.restart({ dropMempool: true });
      return;
    case 'replaced':
      await node.reorg({ depth, drop: [txid] });
  }
}

function wireFaults(
  proxy: FaultProxy,
  otherCoin: (index: ChainIndex) => ReturnType<typeof createUtxoAdapter>,
) {
  const faults: WireFaults = {
    wrongChainAdapter: async (index) => otherCoin(index),
    fallBehind: async () => {
      const fault = proxy.inject(
        {
          kind: 'rewrite',
          rewrite: (result) => {
            const info = result as { blocks: unknown };
            return { ...info, headers: Number(JSON.stringify(info.blocks)) + 10, initialblockdownload: true };
          },
        },
        { methods: ['getblockchaininfo'] },
      );
      return () => fault.clear();
    },
    scramble: async (how) => {
      const fault = proxy.inject({ kind: how === 'reversed' ? 'reverseBatch' : 'duplicateBatch' });
      return () => fault.clear();
    },
  };
  return faults;
}

interface DecodedTx {
  readonly txid: string;
  readonly vin: readonly { readonly txid?: string; readonly vout?: number }[];
  readonly vout: readonly { readonly value: string }[];
}

async function feeOf(node: RegtestNode, txid: string): Promise<bigint> {
  const { height } = await node.tip();
  const found = new Map<string, DecodedTx>();
  for (let at = height; at > Math.max(0, height - SEARCHED_BLOCKS); at -= 1) {
    const block = await node.rpc<{ tx: DecodedTx[] }>('getblock', [await node.blockHash(at), 2]);
    for (const tx of block.tx) found.set(tx.txid, tx);
  }
  const tx = found.get(txid);
  if (tx === undefined) throw new Error(`${txid} is in none of the last blocks`);
  const spent = tx.vin.map((input) => {
    const output = found.get(input.txid ?? '')?.vout[input.vout ?? 0];
    if (output === undefined) throw new Error(`${input.txid} is in none of the last blocks`);
    return toAtoms(output.value);
  });
  const paid = tx.vout.map((output) => toAtoms(output.value));
  return sum(spent) - sum(paid);
}

function sum(amounts: readonly bigint[]): bigint {
  return amounts.reduce((total, amount) => total + amount, 0n);
}

export const harnesses: readonly ChainHarness[] = NODE_COINS.map((coin) => ({
  name: `real ${coin} node`,
  coin,
  available: requireNode(coin),
  hasIndependentClient: true,
  wired: true,
  start: async () => startWorld(coin),
}));
