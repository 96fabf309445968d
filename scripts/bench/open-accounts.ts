import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { createEthereumAdapter } from '../../src/chains/ethereum/adapter.ts';
import { createSolanaAdapter } from '../../src/chains/solana/adapter.ts';
import type { BlockRef, ChainAdapter } from '../../src/domain/chain.ts';
import { Anvil } from '../../test/_helpers/anvil/anvil.ts';
import { strangerAddress } from '../../test/_helpers/svm/payer.ts';
import { silent } from '../../test/_helpers/wallet-world.ts';
import { alternate, compare } from './harness/alternate.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';
import { openPayments } from './chain/open-payments.ts';
import { bareCaller, startRecorder, startReplayServer } from './chain/recorder.ts';
import { nextMessage, startNode } from './harness/child.ts';

const OPEN = 10_000;
const TRANSACTIONS = 300;
/** anvil traces such a block for a minute or more. */
const TRACE_TIMEOUT_MS = 170_000;
/** New ones of Solana from look to look: a second and a bit. */
const BLOCKS = 3;
/** Looks before the first that counts: a daemon looks every few seconds for months, in compiled code. */
const WARM_UP_LOOKS = 10;
const clock = { now: () => Date.now() };

interface Chain {
  readonly what: string;
  readonly nodeUrl: string;
  readonly adapterAt: (url: string) => ChainAdapter;
  /** Where a follower stands, and something new on the chain: not measured. */
  readonly prepare: (adapter: ChainAdapter) => Promise<BlockRef>;
  /** One look from there, as the follower takes it. */
  readonly look: (adapter: ChainAdapter, cursor: BlockRef) => Promise<void>;
}

/** What looking at many open addresses costs besides what the node needs to answer. */
export const question: Question = {
  asks: `an Ethereum block of ${TRANSACTIONS} transactions and a Solana tick, with ${OPEN} open addresses`,
  against: 'the same requests, bare, as many at once over as many kept connections, answers thrown away',
  run: async (bench) => {
    const comparisons: Comparison[] = [];
    const notes: string[] = [
      'the ledger is read (open payments, what is held), nothing is written: no block pays any of them',
    ];
    for (const chain of [await ethereum(bench), await solana(bench)]) {
      const recorder = await startRecorder(bench, chain.nodeUrl);
      const observed = chain.adapterAt(recorder.url);
      // The first look also finds out what the node can do.
      await chain.look(observed, await chain.prepare(observed));
      const cursor = await chain.prepare(observed);
      recorder.asked.length = 0;
      await chain.look(observed, cursor);
      const asked = [...recorder.asked];
      await observed.close();
      const adapter = chain.adapterAt(chain.nodeUrl);
      const bare = bareCaller(chain.nodeUrl);
      const sides = {
        ours: async () => {
          const from = await chain.prepare(adapter);
          const started = performance.now();
          await chain.look(adapter, from);
          return performance.now() - started;
        },
        baseline: async () => bare.put(asked),
      };
      await alternate({ rounds: WARM_UP_LOOKS, ...sides });
      const rounds = await alternate({ rounds: bench.quick ? 3 : 15, ...sides });
      await adapter.close();
      await bare.close();
      comparisons.push(
        compare(rounds, { what: chain.what, unit: 'ms', figure: (ms) => ms, target: { atMost: 1.5 } }),
      );
      notes.push(`${chain.what}: ${asked.length} HTTP requests`);
    }
    return { comparisons, notes };
  },
};

/** Real answers of an anvil, replayed: what it takes to trace a block is no cost of ours. */
async function ethereum(bench: Bench): Promise<Chain> {
  const node = await Anvil.start();
  bench.onEnd(async () => node.stop());
  bench.progress(`anvil mines ${TRANSACTIONS} transactions and traces them`);
  for (let at = 0; at < TRANSACTIONS; at += 1) {
    const address = `0x${randomBytes(20).toString('hex')}`;
    // Every fourth pays through a contract.
    const output = { address, amount: 1_000_000n };
    await (at % 4 === 0 ? node.payInside([output, output]) : node.pay(output));
  }
  await node.mine();
  const height = await node.height();
  const addresses = Array.from({ length: OPEN }, () => `0x${randomBytes(20).toString('hex')}`);
  const index = await openPayments(bench, 'ETH', addresses);
  const adapterAt = (rpcUrl: string): ChainAdapter =>
    createEthereumAdapter({
      network: 'regtest',
      rpcUrl,
      index,
      clock,
      logger: silent,
      rpcTimeoutMs: TRACE_TIMEOUT_MS,
    });
  const cursor = { height: height - 1, hash: '' };
  const look = async (adapter: ChainAdapter): Promise<void> => {
    const block = await adapter.blockAt(height);
    if (block === null) throw new Error('the block was not read');
  };
  const recorder = await startRecorder(bench, node.rpcUrl);
  const recording = adapterAt(recorder.url);
  await look(recording);
  await recording.close();
  return {
    what: `Ethereum block, ${TRANSACTIONS} transactions`,
    nodeUrl: await startReplayServer(bench, recorder.exchanges),
    adapterAt,
    prepare: async () => Promise.resolve(cursor),
    look,
  };
}

async function solana(bench: Bench): Promise<Chain> {
  const script = fileURLToPath(new URL('chain/solana-node.ts', import.meta.url));
  const node = startNode(bench, [script], {});
  const { url } = (await nextMessage(node)) as { url: string };
  const index = await openPayments(bench, 'SOL', Array.from({ length: OPEN }, strangerAddress));
  return {
    what: 'Solana tick',
    nodeUrl: url,
    adapterAt: (rpcUrl) => createSolanaAdapter({ network: 'regtest', rpcUrl, index, clock, logger: silent }),
    prepare: async (adapter) => {
      const cursor = await adapter.tip();
      const made = nextMessage(node);
      node.process.send(BLOCKS);
      await made;
      return cursor;
    },
    look: async (adapter, cursor) => {
      await adapter.hashAt(cursor.height);
      for (let at = await adapter.blockAfter?.(cursor); at; at = await adapter.blockAfter?.(at));
      await adapter.unconfirmed();
    },
  };
}
