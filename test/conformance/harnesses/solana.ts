import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { ChainIndex } from '../../../src/domain/chain.ts';
import type { Network } from '../../../src/domain/coins.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import type { ChainHarness, ChainWorld, ReorgFate } from '../harness.ts';
import { OwnKeys } from '../own-keys.ts';

const AMOUNT = 100_000_000n;
/** Blocks after which nothing signed before can land, seen from the finalized block as well. */
const LIFETIME = 200;

const BAD_ADDRESSES: Readonly<Record<string, string>> = {
  'of 31 bytes': '7DUeBUtEcb7nujVZRJmeBju3X1mo6PpnWNtJ9EBhdY',
  'with letters outside base58': '0OIl5sYaDGqkAMDwZ6KLG4i9VZ2yGCpZwFBUPmMhtYy',
  'of the system program': '1'.repeat(32),
  'of Ethereum': '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed',
  'that is empty': '',
};

const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

async function startWorld(): Promise<ChainWorld> {
  // Confirmed at once and finalized 32 blocks later: a payment is shown in a block once its slot is over.
  const node = await SvmNode.start({ confirmedLag: 0, finalizedLag: 32 });
  const payer = new Payer(node);
  const keys = new OwnKeys('SOL', 'live', 'regtest');
  const adapter = (index: ChainIndex, network: Network) =>
    createSolanaAdapter({
      network,
      rpcUrl: node.url,
      index,
      clock: { now: () => Date.now() },
      logger: silent,
      rpcTimeoutMs: 5_000,
    });
  return {
    createAdapter: (index) => adapter(index, 'regtest'),
    keys,
    amount: AMOUNT,
    creditsByAccount: true,
    knowsOnlyOwn: true,
    newAddress: () => keys.newAddress(),
    strangerAddress: async () => strangerAddress(),
    pay: async (outputs) => payer.pay(outputs),
    mine: async (blocks) => node.advance(blocks),
    reorg: async ({ depth, fate, txid }) => reorganise(node, depth, fate, txid),
    replace: async (txid) => {
      node.fork({ depth: 0, drop: [txid], sameSlots: true });
      node.advance(LIFETIME);
      return payer.pay([{ address: strangerAddress(), amount: AMOUNT }]);
    },
    feeOf: async (txid) => {
      const landed = node.ledger.transaction(txid);
      if (landed === undefined) throw new Error(`${txid} is not on the chain`);
      return landed.fee;
    },
    expire: async () => node.advance(LIFETIME),
    outage: { begin: async () => node.down(), end: async () => node.up() },
    badAddresses: BAD_ADDRESSES,
    wire: {
      wrongChainAdapter: async (index) => adapter(index, 'mainnet'),
      fallBehind: async () => {
        const message = 'Node is behind by 10 slots';
        const data = { numSlotsBehind: 10 };
        const fault = node.inject({ kind: 'error', code: -32005, message, data }, { methods: ['getHealth'] });
        return () => fault.clear();
      },
      scramble: async (how) => {
        const rewrite = (result: unknown): unknown => {
          const entries = result as unknown[];
          return how === 'reversed' ? entries.toReversed() : entries.flatMap((entry) => [entry, entry]);
        };
        const scope = { methods: ['getSignaturesForAddress'] };
        const fault = node.inject({ kind: 'rewrite', rewrite }, scope);
        return () => fault.clear();
      },
    },
    stop: async () => node.stop(),
  };
}

async function reorganise(node: SvmNode, depth: number, fate: ReorgFate, txid: string): Promise<void> {
  node.fork({ depth, drop: fate === 'moved' ? [] : [txid], sameSlots: true });
  if (fate === 'replaced') node.advance(LIFETIME);
}

export const harnesses: readonly ChainHarness[] = [
  {
    name: 'Solana test node',
    coin: 'SOL',
    available: true,
    wired: true,
    expiring: true,
    start: startWorld,
  },
];
