import { join } from 'node:path';
import { Agent } from 'undici';
import { createUtxoAdapter } from '../../src/chains/utxo/adapter.ts';
import { createChainIndex } from '../../src/store/watch/chain-index.ts';
import { startBitcoind, type RegtestNode } from '../../test/_helpers/nodes/index.ts';
import { openWalletWorld } from '../../test/_helpers/wallet-world.ts';
import { alternate, compare } from './harness/alternate.ts';
import type { Bench, Question } from './harness/question.ts';

const BLOCKS = 2_000;
/** Height of the chain of a node that was started without funds. */
const START = 1;

/** How fast a daemon is at the tip again after two weeks offline. */
export const question: Question = {
  asks: `catch-up over ${BLOCKS} regtest blocks of bitcoind, every one checked and on disk`,
  against: 'plain HTTP: getblockhash and getblock of each in turn over one keep-alive connection, discarded',
  run: async (bench) => {
    const node = await startBitcoind({ funded: false });
    bench.onEnd(async () => node.stop());
    const count = bench.quick ? 500 : BLOCKS;
    bench.progress(`mining ${count} blocks`);
    for (let mined = 0; mined < count + START; mined += 100)
      await node.mine(Math.min(100, count + START - mined));
    const rounds = await alternate({
      rounds: bench.quick ? 3 : 5,
      ours: async () => catchUp(bench, node, count),
      baseline: async () => fetchAll(node, count),
    });
    return {
      comparisons: [
        compare(rounds, { what: 'all blocks', unit: 's', figure: (s) => s, target: { atMost: 1.5 } }),
      ],
    };
  },
};

/** Seconds from an empty ledger at the first block to the tip. */
async function catchUp(bench: Bench, node: RegtestNode, count: number): Promise<number> {
  const world = await openWalletWorld({
    dir: join(bench.newDir()),
    mode: 'live',
    connect: ({ db, clock, logger }) => {
      const index = createChainIndex(db, { coin: 'BTC', mode: 'live' });
      return [
        createUtxoAdapter({
          coin: 'BTC',
          network: 'regtest',
          rpcUrl: node.rpcUrl,
          index,
          clock,
          logger,
        }),
      ];
    },
  });
  try {
    const hash = await node.blockHash(START);
    await world.db
      .insertInto('chain_cursors')
      .values({
        coin: 'BTC',
        mode: 'live',
        height: START,
        hash,
        safeHeight: null,
        finalizedHeight: null,
        updatedAt: 1,
      })
      .execute();
    const started = performance.now();
    await world.sync('BTC');
    const seconds = (performance.now() - started) / 1000;
    const cursor = await world.db.selectFrom('chain_cursors').select('height').executeTakeFirstOrThrow();
    if (cursor.height < START + count) throw new Error(`the daemon is only at block ${cursor.height}`);
    return seconds;
  } finally {
    await world.close();
  }
}

async function fetchAll(node: RegtestNode, count: number): Promise<number> {
  const url = new URL(node.rpcUrl);
  const agent = new Agent({ connections: 1 });
  const authorization = `Basic ${Buffer.from(`${url.username}:${url.password}`).toString('base64')}`;
  const call = async (method: string, params: readonly unknown[]): Promise<string> => {
    const answer = await agent.request({
      origin: url.origin,
      path: '/',
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify({ id: 1, method, params }),
    });
    return answer.body.text();
  };
  const started = performance.now();
  for (let height = START + 1; height <= START + count; height += 1) {
    const { result } = JSON.parse(await call('getblockhash', [height])) as { result: string };
    await call('getblock', [result, 0]);
  }
  const seconds = (performance.now() - started) / 1000;
  await agent.close();
  return seconds;
}
