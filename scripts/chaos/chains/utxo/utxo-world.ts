import { liveEnv } from '../../../../test/_helpers/till.ts';
import type { ChainWorld, Receipt, ReorgFate, Whereabouts } from '../../chain-world.ts';
import type { WorldClock } from '../../world-clock.ts';
import { BlockBook } from './block-book.ts';
import { utxoMischiefs } from './mischiefs.ts';
import { startNode, toAtoms, type RegtestNode } from './node.ts';

/** Share of the steps in which a block is mined. */
const BLOCK_CHANCE = 0.45;
const SETTLED = 6;
/** Amounts from `fromAtoms` on need more confirmations: about the upper half of the prices. */
const CONFIRMATIONS = {
  BTC: { base: 2, fromAtoms: 100_000n, above: 4, setting: '2,0.001:4' },
  LTC: { base: 3, fromAtoms: 12_000_000n, above: 5, setting: '3,0.12:5' },
} as const;

/** A bitcoind or litecoind on its own chain, used for several rounds. */
export async function startUtxoWorld(coin: 'BTC' | 'LTC', clock: WorldClock): Promise<ChainWorld> {
  const node = await startNode(coin);
  let book = new BlockBook(node, 0);
  const seconds = (): number => Math.floor(clock.now() / 1000);
  const tellTime = async (): Promise<void> => void (await node.rpc('setmocktime', [seconds()]));
  const restart = async (dropMempool: boolean): Promise<void> =>
    node.restart({ dropMempool, args: [`-mocktime=${seconds()}`] });
  return {
    coin,
    clock,
    target: () => new URL(node.rpcUrl),
    env: (url) => ({
      ...liveEnv({ [coin]: url }),
      [`TILLD_CONFIRMATIONS_${coin}`]: CONFIRMATIONS[coin].setting,
    }),
    ways: ['plain'],
    price: coin === 'BTC' ? { low: 20, high: 200 } : { low: 5, high: 20 },
    begin: async () => {
      await tellTime();
      await node.mine(1);
      // Flushes to disk, so that a crash loses at most the blocks of the round.
      await node.rpc('gettxoutsetinfo');
      book = new BlockBook(node, (await node.tip()).height - 1);
    },
    pass: async (ms, random) => {
      const isFound = random.chance(BLOCK_CHANCE);
      if (isFound) clock.advance(ms / 2);
      await tellTime();
      if (isFound) await node.mine(random.chance(0.2) ? 2 : 1);
      clock.advance(isFound ? ms / 2 : ms);
      await tellTime();
    },
    settle: async () => void (await node.mine(SETTLED)),
    settledHeights: async () => {
      const { height } = await node.tip();
      const { base, fromAtoms, above } = CONFIRMATIONS[coin];
      return (amount) => height - (amount >= fromAtoms ? above : base) + 1;
    },
    pay: async ({ address, amount }) => node.pay({ address, amountAtoms: amount }),
    raiseFee: async (txid) =>
      node.bumpFee(txid).then(
        (bumped) => bumped.txid,
        () => null,
      ),
    doubleSpend: async (txid) => {
      const address = await node.newAddress();
      return node.replaceTo(txid, address).then(
        () => true,
        () => false,
      );
    },
    reorg: async (depth, fate, victims) => reorganise(node, book, { depth, fate, victims }),
    loseUnconfirmed: async () => restart(true),
    crashNode: async () => {
      const blocks = await rawBlocks(node, book);
      await node.kill9();
      await restart(false);
      // Its peers send again the blocks that the crash removed from its disk.
      for (const block of blocks) await node.rpc('submitblock', [block]);
    },
    whereabouts: async (txids) => whereabouts(node, book, txids),
    received: async (address) => (await book.all()).flatMap(({ paid }) => receiptsOf(paid, address)),
    balances: async (addresses) => balances(node, addresses),
    newDestination: async () => node.foreignAddress(),
    offer: async (raw) => void (await node.sendRaw(raw).catch(() => undefined)),
    mischiefs: utxoMischiefs({ node, book: () => book }),
    stop: async () => node.stop(),
  };
}

async function rawBlocks(node: RegtestNode, book: BlockBook): Promise<string[]> {
  const blocks: string[] = [];
  for (const { hash } of await book.all()) blocks.push(await node.rpc<string>('getblock', [hash, 0]));
  return blocks;
}

async function reorganise(
  node: RegtestNode,
  book: BlockBook,
  { depth, fate, victims }: { depth: number; fate: ReorgFate; victims: readonly string[] },
): Promise<void> {
  const blocks = (await book.all()).slice(-depth);
  if (blocks.length < depth) return;
  const drop = victims.filter((txid) => blocks.some(({ txids }) => txids.has(txid)));
  if (fate === 'moved') await node.reorg({ depth, moveInto: depth });
  else if (fate === 'dropped') await node.reorg({ depth, transactions: 'mempool' });
  else await node.reorg({ depth, drop });
}

async function whereabouts(
  node: RegtestNode,
  book: BlockBook,
  txids: readonly string[],
): Promise<ReadonlyMap<string, Whereabouts>> {
  const blocks = await book.all();
  const mempool = new Set(await node.getMempool());
  return new Map(
    txids.map((txid): [string, Whereabouts] => {
      const block = blocks.find((each) => each.txids.has(txid));
      if (block === undefined) return [txid, { kind: mempool.has(txid) ? 'waiting' : 'absent' }];
      return [txid, { kind: 'mined', height: block.height, timeMs: block.timeMs }];
    }),
  );
}

function receiptsOf(
  paid: readonly { readonly address: string; readonly amount: bigint; readonly txid: string }[],
  wanted: string,
): Receipt[] {
  return paid.flatMap(({ address, amount, txid }) => (address === wanted ? [{ txid, amount }] : []));
}

async function balances(
  node: RegtestNode,
  addresses: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
  const found = new Map<string, bigint>();
  for (const address of addresses) {
    const { total_amount: total } = await node.rpc<{ total_amount: string | number }>('scantxoutset', [
      'start',
      [`addr(${address})`],
    ]);
    found.set(address, toAtoms(String(total)));
  }
  return found;
}
