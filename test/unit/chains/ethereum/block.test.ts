import { expect, it } from 'vitest';
import { BalanceRotation } from '../../../../src/chains/ethereum/accounts/balance-rotation.ts';
import { UnreadBlocks } from '../../../../src/chains/ethereum/blocks/unread-blocks.ts';
import { readBlock } from '../../../../src/chains/ethereum/blocks/block.ts';
import type { Block, Receipt } from '../../../../src/chains/ethereum/rpc/node-answers.ts';
import { Shortfalls } from '../../../../src/chains/ethereum/accounts/shortfalls.ts';
import type { BalanceAnswer, NodeClient } from '../../../../src/chains/ethereum/rpc/node-client.ts';
import {
  ChainError,
  type ChainIndex,
  type Credit,
  type Holding,
  type NodeStatus,
} from '../../../../src/domain/chain.ts';

const SHOP = `0x${'a'.repeat(40)}`;
const PAYER = `0x${'b'.repeat(40)}`;
const hash = (digit: number): string => `0x${String(digit).repeat(64)}`;
const FOUND = `balance:5:${hash(5)}:${SHOP}`;

interface Scene {
  readonly transactions?: Block['transactions'];
  readonly balances: Readonly<Record<string, BalanceAnswer>>;
  readonly held?: readonly Holding[];
  readonly since?: number;
  readonly isForeign?: true;
  readonly unsettled?: readonly Pick<Credit, 'ref' | 'watchKey'>[];
  /** Null: the node dropped the receipts. */
  readonly status?: number | null;
  readonly isClosed?: boolean;
  readonly shortfalls?: Shortfalls;
  readonly turn?: readonly string[];
  readonly turns?: BalanceRotation;
  readonly number?: number;
  /** Transactions of the account by the final block, and those of them that the ledger knows. */
  readonly nonce?: number | null;
  readonly outgoing?: number;
  /** Null: the node does not tell it. */
  readonly final?: number | null;
}

const LOGGER = { debug() {}, info() {}, warn() {}, error() {} };

/** Block 5, mined at 50 s on block 4 of 40 s, to a shop with one open account. */
async function read(scene: Scene) {
  const { transactions = [], balances, held = [], since = 0, unsettled = [], status = 1 } = scene;
  const { isClosed = false, turn = [], shortfalls = new Shortfalls() } = scene;
  const { number = 5, nonce = 0, outgoing = 0, final = 3, turns = new BalanceRotation(LOGGER) } = scene;
  const foreign = scene.isForeign === true ? { isForeign: true as const } : {};
  const block: Block = { number, hash: hash(5), parentHash: hash(4), timestamp: 50, transactions };
  const client: Partial<NodeClient> = {
    blockAt: async () => block,
    tip: async () => block,
    finalBlocks: async () => {
      if (final === null) throw new ChainError('unavailable', 'no such block');
      return new Map([['finalized', { height: final, hash: hash(3) }]]);
    },
    nonceAt: async () => nonce,
    headerAt: async () => ({ number: 4, hash: hash(4), parentHash: hash(3), timestamp: 40 }),
    balances: async (accounts, at) => ({
      answers: accounts.map((key) => (key === SHOP ? balances[at] : undefined) ?? 'unknown'),
      failure: null,
    }),
    balanceAlone: async (_key, at) => balances[at] ?? 'unknown',
    balancesPerCall: () => 700,
    receipts: async (txids) =>
      txids.map((txid): Receipt | null =>
        status === null
          ? null
          : {
              transactionHash: txid,
              blockHash: hash(5),
              blockNumber: 5,
              status,
              gasUsed: 21_000n,
              effectiveGasPrice: 1n,
            },
      ),
  };
  const index: ChainIndex = {
    watched: async (keys) => new Set(keys.filter((key) => key === SHOP)),
    ownOutputs: async () => new Set(),
    holdings: async () => new Map([[SHOP, held]]),
    outgoing: async () => outgoing,
    open: async () => (isClosed ? [] : [{ watchKey: SHOP, since, ...foreign }]),
    turn: async () => turn.map((watchKey) => ({ watchKey, since: 0 })),
    watchKeysAfter: async () => [],
    newestPosition: async () => 0,
    unsettled: async () => unsettled,
  };
  const logger = LOGGER;
  const tracer = { transfers: async () => null };
  const result = await readBlock(
    {
      client: client as NodeClient,
      index,
      tracer,
      logger,
      now: () => 60_000,
      shortfalls,
      turns,
      unread: new UnreadBlocks({ index, clock: { now: () => 60_000 }, logger }),
    },
    5,
  );
  if (result === null) throw new Error('no block');
  return result;
}

const transaction = (fields: Partial<Block['transactions'][number]>) => ({
  hash: hash(1),
  from: PAYER,
  to: SHOP,
  value: 7n,
  nonce: 0,
  ...fields,
});
const holding = (amount: bigint): Holding => ({ ref: { txid: hash(2), index: 0 }, amount });

it('readBlock credits a balance increase that no transaction explains, under a reference made of block and account', async () => {
  const { credits } = await read({ balances: { [hash(5)]: 9n }, held: [holding(4n)] });
  expect(credits).toMatchObject([{ ref: { txid: FOUND, index: 0 }, watchKey: SHOP, amount: 5n }]);
  expect(credits[0]).not.toHaveProperty('remainder');
});

it('readBlock reads the balance of an account without an open payment in rotation, and of one with an open payment in every block', async () => {
  const balances = { [hash(5)]: 9n };
  expect((await read({ balances, isClosed: true })).credits).toEqual([]);
  expect((await read({ balances, isClosed: true, turn: [SHOP] })).credits).toMatchObject([{ amount: 9n }]);
  expect((await read({ balances, turn: [SHOP] })).credits).toMatchObject([{ amount: 9n }]);
});

it('readBlock credits a transfer once, as a transaction and not again as a balance increase', async () => {
  const { credits } = await read({ transactions: [transaction({})], balances: { [hash(5)]: 7n } });
  expect(credits).toMatchObject([{ ref: { txid: hash(1), index: 0 }, amount: 7n }]);
});

it('readBlock credits nothing for a failed transaction', async () => {
  const { credits } = await read({
    transactions: [transaction({})],
    balances: { [hash(5)]: 0n },
    status: 0,
  });
  expect(credits).toEqual([]);
});

it('readBlock credits a plain transfer whose receipt was pruned, because a transfer to an account without code cannot fail', async () => {
  const { credits } = await read({ transactions: [transaction({})], balances: {}, status: null });
  expect(credits).toMatchObject([{ ref: { txid: hash(1), index: 0 }, amount: 7n }]);
});

it('readBlock refuses a block in which the receipt of an outgoing transaction was pruned, and names the node setting to change', async () => {
  const scene = { transactions: [transaction({ from: SHOP, to: PAYER })], balances: {}, status: null };
  await expect(read(scene)).rejects.toMatchObject({
    kind: 'pruned',
    message: expect.stringContaining('TILLD_ETH_RPC_URL') as string,
  });
});

it('readBlock credits no balance difference while the node has pruned the state of the block', async () => {
  expect((await read({ balances: {} })).credits).toEqual([]);
});

it('readBlock does not count the balance that an address had before its order as a payment', async () => {
  const scene = { balances: { [hash(4)]: 3n, [hash(5)]: 8n }, since: 45_000 };
  const { credits } = await read(scene);
  expect(credits).toMatchObject([
    { ref: { txid: FOUND, index: 1 }, amount: 3n, remainder: true },
    { ref: { txid: FOUND, index: 0 }, amount: 5n },
  ]);
  // What the ledger knows of is not found a second time.
  const known = await read({ ...scene, held: [holding(3n)] });
  expect(known.credits).toMatchObject([{ ref: { txid: FOUND, index: 0 }, amount: 5n }]);
});

it('readBlock counts money on an address of another wallet as its own where no block shows the balance before its order', async () => {
  const own = [{ ref: { txid: FOUND, index: 1 }, amount: 8n, remainder: true }];
  const pruned = { balances: { [hash(5)]: 8n }, since: 45_000 };
  expect((await read({ ...pruned, isForeign: true })).credits).toMatchObject(own);
  expect((await read(pruned)).credits).toMatchObject([{ ref: { index: 0 }, amount: 8n }]);
});

it('readBlock does not count the earlier balance of another wallet as a payment after a payment was found first', async () => {
  const scene = { balances: { [hash(4)]: 3n, [hash(5)]: 10n }, since: 45_000, held: [holding(7n)] };
  const { credits } = await read({ ...scene, isForeign: true });
  expect(credits).toMatchObject([{ ref: { txid: FOUND, index: 1 }, amount: 3n, remainder: true }]);
  expect(credits).toHaveLength(1);
});

it('readBlock credits money found one block late in full, although the clock of the daemon is ahead of the block times', async () => {
  const turns = new BalanceRotation(LOGGER);
  const [number, parentHash] = [3, hash(2)];
  const account = { watchKey: SHOP, since: 45_000, holdings: [], isAwaited: true };
  const earlier = { number, hash: hash(3), parentHash };
  const candidates = { open: [account], turn: [] };
  const chosen = turns.choose(earlier, candidates, { isTraced: false, perCall: 1 });
  const entered = { differing: new Set<string>(), undecided: new Set<string>() };
  turns.done(earlier, chosen, { answers: [0n], failure: null }, entered);
  // Block 4 contains the money, but its balances were not answered.
  turns.choose({ number: 4, hash: hash(4), parentHash: hash(3) }, candidates, {
    isTraced: false,
    perCall: 1,
  });
  const balances = { [hash(4)]: 8n, [hash(5)]: 8n };
  const { credits } = await read({ balances, since: 45_000, turns });
  expect(credits).toMatchObject([{ ref: { txid: FOUND, index: 0 }, amount: 8n }]);
});

it('readBlock records the whole balance as spent by an outgoing transaction, and the remainder as change', async () => {
  const { credits, debits } = await read({
    transactions: [transaction({ from: SHOP, to: PAYER, value: 10n })],
    balances: { [hash(5)]: 40_000n },
    held: [holding(61_010n)],
  });
  const outcome = { fee: 21_000n, succeeded: true };
  expect(debits).toEqual([{ ref: holding(1n).ref, byTxid: hash(1), outcome }]);
  expect(credits).toMatchObject([{ ref: { txid: hash(1) }, amount: 40_000n, remainder: true }]);
});

it('readBlock records only the gas as spent by a reverted outgoing transaction', async () => {
  const { credits, debits } = await read({
    transactions: [transaction({ from: SHOP, to: PAYER, value: 10n })],
    balances: { [hash(5)]: 40_010n },
    held: [holding(61_010n)],
    status: 0,
  });
  expect(debits).toMatchObject([{ outcome: { succeeded: false } }]);
  expect(credits).toMatchObject([{ amount: 40_010n, remainder: true }]);
});

it('readBlock marks a balance credit as gone when a later balance does not contain it', async () => {
  const shown = { ref: { txid: `balance:4:${hash(4)}:${SHOP}`, index: 0 }, amount: 5n };
  const scene = { balances: { [hash(5)]: 8n }, held: [holding(8n), shown] };
  expect(await read(scene)).toMatchObject({ credits: [], debits: [], disproved: [shown.ref] });
  // In part it proves nothing about the whole.
  const part = await read({ ...scene, balances: { [hash(5)]: 10n } });
  expect(part).toMatchObject({ credits: [], debits: [], disproved: [] });
});

it('readBlock does not write off the credit of a transaction because of one wrong balance, so that it is not credited twice', async () => {
  const shortfalls = new Shortfalls();
  const held = [holding(8n)];
  const low = { balances: { [hash(5)]: 3n }, held, shortfalls };
  expect(await read(low)).toMatchObject({ credits: [], debits: [], disproved: [] });
  expect(await read({ ...low, balances: { [hash(5)]: 8n } })).toMatchObject({ credits: [], debits: [] });
  expect(shortfalls.seen(SHOP, 6, 5n).checks).toBe(1);
});

/** The tenth look in a row at an account that holds 5 less than known. */
async function tenthLook(scene: Omit<Scene, 'balances'>, times = 10) {
  const shortfalls = new Shortfalls();
  for (let number = 6; number < 5 + times; number += 1) {
    const { debits } = await read({ ...low, ...scene, number, shortfalls });
    expect(debits).toEqual([]);
  }
  return read({ ...low, ...scene, shortfalls });
}
const low = { balances: { [hash(5)]: 3n }, held: [holding(8n)] };

it('readBlock records a balance that is repeatedly too low as spent once the node shows an unknown outgoing transaction', async () => {
  const { credits, debits } = await tenthLook({ nonce: 2, outgoing: 1 });
  expect(debits).toEqual([{ ref: holding(8n).ref, byTxid: FOUND }]);
  expect(credits).toMatchObject([{ amount: 3n, remainder: true }]);
  expect((await tenthLook({ nonce: 2, outgoing: 1 }, 9)).debits).toEqual([]);
});

it.each([
  ['the account has sent no transaction', { nonce: 0 }],
  ['all transactions of the account are known', { nonce: 3, outgoing: 3 }],
  ['the node has pruned the state of the finalized block', { nonce: null }],
  ['the node does not report a finalized block', { nonce: 2, outgoing: 1, final: null }],
])('readBlock never writes off a balance that is too low when %s', async (_why, scene) => {
  expect(await tenthLook(scene, 15)).toMatchObject({ credits: [], debits: [], disproved: [] });
});

it('readBlock does not mark a balance credit of a finalized block as gone', async () => {
  const shown = { ref: { txid: `balance:4:${hash(4)}:${SHOP}`, index: 0 }, amount: 5n };
  const scene = { balances: { [hash(5)]: 8n }, held: [holding(8n), shown] };
  expect(await read({ ...scene, final: 4 })).toMatchObject({ credits: [], debits: [], disproved: [] });
});

it('readBlock warns of a balance that is repeatedly too low, and clears the warning once the balance matches the ledger', async () => {
  const shortfalls = new Shortfalls();
  const told = () => shortfalls.withWarning({ warnings: null } as NodeStatus).unexplained;
  for (let number = 6; number < 9; number += 1) await read({ ...low, number, shortfalls });
  expect(told()).toEqual({ accounts: 1, amount: 5n });
  await read({ ...low, balances: { [hash(5)]: 8n }, shortfalls });
  expect(told()).toEqual({ accounts: 0, amount: 0n });
});

it('readBlock replaces a balance credit of a reorged block when the balance shows the money in another block', async () => {
  const lost = [
    { ref: { txid: `balance:5:${hash(6)}:${SHOP}`, index: 0 }, watchKey: SHOP },
    { ref: { txid: hash(7), index: 2 }, watchKey: SHOP },
    { ref: { txid: hash(8), index: 0 }, watchKey: SHOP },
    { ref: { txid: `balance:5:${hash(6)}:${PAYER}`, index: 0 }, watchKey: PAYER },
  ];
  const { replaces } = await read({ balances: { [hash(5)]: 5n }, unsettled: lost });
  expect(replaces).toEqual([lost[0]?.ref, lost[1]?.ref]);
});

it('readBlock removes an unconfirmed payment whose transaction fails in its block', async () => {
  const seen = { ref: { txid: hash(1), index: 0 }, watchKey: SHOP };
  const scene = { transactions: [transaction({})], unsettled: [seen] };
  expect((await read({ ...scene, balances: { [hash(5)]: 0n }, status: 0 })).replaces).toEqual([seen.ref]);
  expect((await read({ ...scene, balances: { [hash(5)]: 7n } })).replaces).toEqual([]);
});
