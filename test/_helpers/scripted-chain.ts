/** A chain that does exactly what a test says, however unlikely: the port, without a node behind it. */
import { createHash } from 'node:crypto';
import type {
  ChainAdapter,
  ChainBlock,
  Credit,
  Debit,
  TransactionFate,
  NodeStatus,
  UnconfirmedCredit,
  UnconfirmedView,
} from '../../src/domain/chain.ts';
import type { Coin, Network } from '../../src/domain/coins.ts';

function unused(): never {
  throw new Error('this chain takes no sends');
}

export class ScriptedChain {
  readonly blocks: ChainBlock[] = [];
  unconfirmed: UnconfirmedCredit[] = [];
  /** What unconfirmed transactions spend. */
  debits: Debit[] = [];
  /** Unconfirmed transactions that do not concern us. */
  others: string[] = [];
  fates = new Map<string, TransactionFate>();
  /** Transactions asked after, look by look. */
  readonly rechecked: string[][] = [];
  /** What the node says of itself beyond its tip. */
  status: Partial<NodeStatus> = {};
  /** What the view of the mempool says of itself. */
  view: Pick<UnconfirmedView, 'isPartial' | 'hasNews' | 'left'> = {};
  /** Heights whose block the node does not show, though its chain goes on above. */
  isUnshown: (height: number) => boolean = () => false;
  /** Called before blocks or mempool are read. */
  beforeRead: () => void = () => {};
  /** Called before it is said what became of transactions. */
  beforeRecheck: () => void = () => {};
  #blockCount = 0;

  constructor(genesisTimeMs: number) {
    this.blocks.push({ ...this.#header(genesisTimeMs), credits: [], debits: [] });
  }

  get tip(): ChainBlock {
    const tip = this.blocks.at(-1);
    if (tip === undefined) throw new Error('a chain has at least one block');
    return tip;
  }

  mine(timeMs: number, credits: readonly Credit[] = [], debits: readonly Debit[] = []): ChainBlock {
    const block = { ...this.#header(timeMs), credits, debits };
    this.blocks.push(block);
    return block;
  }

  /** Drops the highest blocks; what comes next has other hashes. */
  drop(count: number): void {
    this.blocks.splice(-count);
  }

  adapter(coin: Coin, network: Network = 'regtest'): ChainAdapter {
    return {
      coin,
      mode: 'live',
      network,
      minimumPayment: 1n,
      status: async () => ({
        tip: { height: this.tip.height, hash: this.tip.hash },
        headersHeight: this.tip.height,
        syncing: false,
        pruneHeight: 0,
        peers: null,
        version: 'scripted',
        warnings: null,
        ...this.status,
      }),
      tip: async () => ({ height: this.tip.height, hash: this.tip.hash }),
      hashAt: async (height) => (this.isUnshown(height) ? null : (this.blocks[height]?.hash ?? null)),
      blockBefore: async () => this.blocks[0] ?? this.tip,
      blockAt: async (height) => {
        this.beforeRead();
        return this.blocks[height] ?? null;
      },
      unconfirmed: async () => {
        this.beforeRead();
        const credits = this.unconfirmed;
        const present = new Set([...credits.map(({ ref }) => ref.txid), ...this.others]);
        return {
          tip: { height: this.tip.height, hash: this.tip.hash },
          credits,
          debits: this.debits,
          has: (txid) => present.has(txid),
          ...this.view,
        };
      },
      recheck: async (transactions) => {
        this.beforeRecheck();
        this.rechecked.push(transactions.map(({ txid }) => txid));
        return new Map(transactions.map(({ txid }) => [txid, this.fates.get(txid) ?? 'unknown']));
      },
      validateAddress: () => null,
      watchKey: (address) => address,
      paymentUri: ({ address }) => address,
      feeQuote: unused,
      planSend: unused,
      signSend: unused,
      planReplacement: unused,
      broadcast: unused,
      close: async () => {},
    };
  }

  #header(timeMs: number): Omit<ChainBlock, 'credits' | 'debits'> {
    this.#blockCount += 1;
    const hash = createHash('sha256').update(`block ${this.#blockCount}`).digest('hex');
    const parentHash = this.blocks.at(-1)?.hash ?? '0'.repeat(64);
    return { height: this.blocks.length, hash, parentHash, timeMs };
  }
}

let transactions = 0;

export function freshTxid(): string {
  transactions += 1;
  return createHash('sha256').update(`transaction ${transactions}`).digest('hex');
}

/** Money to an address: output `index` of a transaction. */
export function creditTo(watchKey: string, amount: bigint, txid = freshTxid(), index = 0): Credit {
  return { ref: { txid, index }, watchKey, amount, maturity: 1, raw: null };
}

export function unconfirmed(credit: Credit, nodeTimeMs: number | null = null): UnconfirmedCredit {
  return { ...credit, nodeTimeMs, inputs: [{ txid: '11'.repeat(32), index: credit.ref.index }] };
}
