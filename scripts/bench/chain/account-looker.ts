import { randomBytes } from 'node:crypto';
import { createEthereumAdapter } from '../../../src/chains/ethereum/adapter.ts';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import type { BlockRef, ChainAdapter, ChainIndex } from '../../../src/domain/chain.ts';
import { strangerAddress } from '../../../test/_helpers/svm/payer.ts';
import { silent } from '../../../test/_helpers/wallet-world.ts';
import { openPayments } from './open-payments.ts';
import { costOfEach } from './spell.ts';

/**
 * Our side of the benchmark of many open addresses: a process with a shop whose payments are pending at them. It
 * receives commands one by one and responds to each.
 */
export type LookerStep =
  /** Sets the node for the following commands. */
  | { readonly do: 'open'; readonly url: string }
  /** Returns the current position of a follower. */
  | { readonly do: 'tip' }
  /** One poll from that position, as in the follower; returns its cost. */
  | { readonly do: 'look'; readonly from: BlockRef };

/** anvil takes a minute or more to trace a block. */
const TIMEOUT_MS = 170_000;
const clock = { now: () => Date.now() };

interface Chain {
  readonly addresses: () => string;
  readonly adapter: (rpcUrl: string, index: ChainIndex) => ChainAdapter;
  readonly look: (adapter: ChainAdapter, from: BlockRef) => Promise<void>;
}

const CHAINS: Readonly<Record<'ETH' | 'SOL', Chain>> = {
  ETH: {
    addresses: () => `0x${randomBytes(20).toString('hex')}`,
    adapter: (rpcUrl, index) =>
      createEthereumAdapter({
        network: 'regtest',
        rpcUrl,
        index,
        clock,
        logger: silent,
        rpcTimeoutMs: TIMEOUT_MS,
      }),
    look: async (adapter, from) => {
      const block = await adapter.blockAt(from.height + 1);
      if (block === null) throw new Error('the block was not read');
    },
  },
  SOL: {
    addresses: strangerAddress,
    adapter: (rpcUrl, index) =>
      createSolanaAdapter({ network: 'regtest', rpcUrl, index, clock, logger: silent }),
    look: async (adapter, from) => {
      await adapter.hashAt(from.height);
      for (let at = await adapter.sparse?.blockAfter(from); at; at = await adapter.sparse?.blockAfter(at));
      await adapter.unconfirmed();
    },
  },
};

const { coin, open } = JSON.parse(process.argv[2] ?? '') as { coin: 'ETH' | 'SOL'; open: number };
const chain = CHAINS[coin];
const closing: (() => Promise<void> | void)[] = [];
const index = await openPayments(
  { onEnd: (close) => void closing.push(close) },
  coin,
  Array.from({ length: open }, chain.addresses),
);
let adapter: ChainAdapter | null = null;

async function take(step: LookerStep): Promise<unknown> {
  if (step.do === 'open') {
    await adapter?.close();
    adapter = chain.adapter(step.url, index);
    return {};
  }
  if (adapter === null) throw new Error('the command open must come first');
  if (step.do === 'tip') return adapter.tip();
  const [looking, { from }] = [adapter, step];
  return costOfEach([async () => chain.look(looking, from)]);
}

process.on('message', (step: LookerStep) => void take(step).then((answer) => process.send?.(answer)));
process.once('SIGTERM', () => {
  void Promise.all(closing.map(async (close) => close())).then(() => process.exit());
});
process.send?.({});
