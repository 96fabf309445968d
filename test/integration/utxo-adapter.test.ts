/** The Bitcoin and Litecoin adapter on real nodes: what the conformance suite, equal for all chains, leaves open. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUtxoAdapter } from '../../src/chains/utxo/adapter.ts';
import { UTXO_COINS } from '../../src/domain/coins.ts';
import { addressScript } from '../../src/chains/utxo/address.ts';
import { dustLimit } from '../../src/chains/utxo/sends/size.ts';
import {
  type ChainAdapter,
  ChainError,
  type ChainIndex,
  type Fund,
  type SendPlan,
} from '../../src/domain/chain.ts';
import {
  type FaultProxy,
  NODE_COINS,
  type NodeCoin,
  type RegtestNode,
  requireNode,
  startBitcoind,
  startFaultProxy,
  startLitecoind,
  startNode,
  toAtoms,
} from '../_helpers/nodes/index.ts';
import { hogExOf, mwebAddress, pegIn, pegOut } from '../_helpers/nodes/mweb.ts';
import { MemoryIndex } from '../conformance/memory-index.ts';
import { type OwnedAddress, OwnKeys } from '../conformance/own-keys.ts';
import { NO_ACCOUNTS } from '../_helpers/no-accounts.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const AMOUNT = 1_000_000n;

function adapterOn(coin: NodeCoin, rpcUrl: string, index: ChainIndex): ChainAdapter {
  return createUtxoAdapter({
    coin,
    network: 'regtest',
    rpcUrl,
    index,
    clock: { now: () => Date.now() },
    logger: silent,
    rpcTimeoutMs: 10_000,
  });
}

/** Everything that a test with money of its own needs. */
class Shop {
  readonly index = new MemoryIndex();
  readonly keys: OwnKeys;
  readonly adapter: ChainAdapter;
  readonly node: RegtestNode;

  constructor(coin: NodeCoin, node: RegtestNode, rpcUrl: string = node.rpcUrl) {
    this.node = node;
    this.keys = new OwnKeys(coin, 'live', 'regtest');
    this.adapter = adapterOn(coin, rpcUrl, this.index);
  }

  newAddress(): OwnedAddress {
    const owned = this.keys.newAddress();
    this.index.watch(this.adapter.watchKey(owned.address));
    return owned;
  }

  async tipBlock() {
    const block = await this.adapter.blockAt((await this.adapter.tip()).height);
    if (block === null) throw new Error('no block at the tip');
    this.index.record(block.credits);
    return block;
  }

  async earn(amount: bigint): Promise<Fund> {
    const owned = this.newAddress();
    await this.node.pay({ address: owned.address, amountAtoms: amount });
    await this.node.mine();
    const credit = (await this.tipBlock()).credits[0]!;
    return { ...owned, ref: credit.ref, amount: credit.amount };
  }

  async plan(
    funds: readonly Fund[],
    wish: { amount?: bigint; destination?: string } = {},
  ): Promise<SendPlan> {
    return this.adapter.planSend({
      funds,
      destination: wish.destination ?? (await this.node.foreignAddress()),
      amount: wish.amount ?? AMOUNT,
      subtractFee: false,
      changeAddress: this.newAddress().address,
      quote: await this.adapter.feeQuote(),
    });
  }
}

/** Watches everything: every output of a chain is then a credit. */
const EVERYTHING: ChainIndex = {
  ...NO_ACCOUNTS,
  watched: async (keys) => new Set(keys),
  ownOutputs: async () => new Set(),
};

interface DecodedBlock {
  readonly tx: readonly {
    readonly txid: string;
    readonly hex: string;
    readonly vout: readonly {
      readonly value: string;
      readonly n: number;
      readonly scriptPubKey: { readonly hex: string };
    }[];
  }[];
}

async function expectedCredits(node: RegtestNode, hash: string) {
  const block = await node.rpc<DecodedBlock>('getblock', [hash, 2]);
  return block.tx.flatMap(({ txid, vout }) =>
    vout
      .filter(({ scriptPubKey: { hex } }) => hex.length >= 8 && hex.length <= 84)
      .map(({ n, value, scriptPubKey }) => ({
        ref: { txid, index: n },
        watchKey: scriptPubKey.hex,
        amount: toAtoms(value),
      })),
  );
}

for (const coin of NODE_COINS) {
  describe.skipIf(!requireNode(coin))(`${coin} adapter on a real node`, () => {
    let node: RegtestNode;
    let proxy: FaultProxy;
    beforeAll(async () => {
      node = await startNode(coin);
      proxy = await startFaultProxy(node.rpcUrl);
    });
    afterAll(async () => {
      await proxy.close();
      await node.stop();
    });

    it('reads every output of every block as the node returns it', async () => {
      const adapter = adapterOn(coin, node.rpcUrl, EVERYTHING);
      const { height } = await adapter.tip();
      for (let at = 1; at <= height; at += 1) {
        const block = await adapter.blockAt(at);
        const hash = await node.blockHash(at);
        expect(block?.hash).toBe(hash);
        const credits = block?.credits.map(({ ref, watchKey, amount }) => ({ ref, watchKey, amount }));
        expect(credits).toEqual(await expectedCredits(node, hash));
      }
    });

    it('identifies the node, and refuses the other coin by its genesis block', async () => {
      const status = await adapterOn(coin, node.rpcUrl, EVERYTHING).status();
      expect(status).toMatchObject({ tip: await node.tip(), pruneHeight: 0 });
      expect(status.version).toMatch(/^\/\w+/);
      const other = NODE_COINS.find((code) => code !== coin)!;
      const error: unknown = await adapterOn(other, node.rpcUrl, EVERYTHING)
        .status()
        .catch((caught) => caught);
      expect(error).toBeInstanceOf(ChainError);
      expect((error as ChainError).kind).toBe('wrong_chain');
      const [expected, found] = [UTXO_COINS[other].name, UTXO_COINS[coin].name];
      expect((error as ChainError).message).toMatch(
        new RegExp(`^expected ${expected} regtest .*, found ${found} regtest`),
      );
    });

    it('quotes a minimum fee rate when the node has no estimate', async () => {
      const quote = await adapterOn(coin, node.rpcUrl, EVERYTHING).feeQuote();
      expect(quote.rate >= 1_000n).toBe(true);
      expect(quote.source).not.toMatch(/estimatesmartfee/);
    });

    it('returns the dust limit of the node', async () => {
      for (const type of ['legacy', 'p2sh-segwit', 'bech32'] as const) {
        const address = await node.newAddress(type);
        const script = addressScript(UTXO_COINS[coin], 'regtest', address);
        const limit = dustLimit(script, UTXO_COINS[coin].dustRelayRate);
        await node.pay({ address, amountAtoms: limit });
        await expect(node.pay({ address, amountAtoms: limit - 1n })).rejects.toThrow(/dust|amount too small/);
      }
      await node.mine();
    });

    it('finds the last block before a given time, like a scan of every header', async () => {
      const adapter = adapterOn(coin, node.rpcUrl, EVERYTHING);
      const { height } = await adapter.tip();
      const times: number[] = [];
      for (let at = 0; at <= height; at += 1) {
        const { time } = await node.rpc<{ time: number }>('getblockheader', [await node.blockHash(at)]);
        times.push(time * 1000);
      }
      const moments = [0, times[0]!, ...times.slice(-30), times[40]! - 1, Date.now() + 86_400_000];
      for (const moment of moments) {
        const wanted = Math.max(
          0,
          times.findLastIndex((time) => time <= moment),
        );
        const found = await adapter.blockBefore(moment);
        expect(found).toMatchObject({
          height: wanted,
          hash: await node.blockHash(wanted),
          timeMs: times[wanted],
        });
      }
    });

    it('makes mining rewards spendable after a hundred blocks', async () => {
      const shop = new Shop(coin, node);
      const { address } = shop.newAddress();
      await node.mine(1, address);
      const [credit] = (await shop.tipBlock()).credits;
      expect(credit).toMatchObject({ maturity: 100, raw: null });
    });

    it('bumps the fee of a stuck send (RBF), and then reports the first version as replaced', async () => {
      const shop = new Shop(coin, node);
      const fund = await shop.earn(5n * AMOUNT);
      const first = await shop.plan([fund]);
      const stuck = await shop.adapter.signSend(first, shop.keys);
      expect(await shop.adapter.broadcast(stuck)).toEqual({ kind: 'accepted' });
      const bump = shop.adapter.planReplacement({
        previous: first,
        funds: [],
        changeAddress: shop.newAddress().address,
        quote: { rate: first.feeRate + 500n, source: 'test', at: 0 },
      })!;
      const faster = await shop.adapter.signSend(bump, shop.keys);
      expect(await shop.adapter.broadcast(faster)).toEqual({ kind: 'accepted' });
      expect(await node.getMempool()).toEqual([faster.txid]);
      const entry = await node.rpc<{ fees: { base: string } }>('getmempoolentry', [faster.txid]);
      expect(toAtoms(entry.fees.base)).toBe(bump.fee);
      expect((await shop.adapter.broadcast(stuck)).kind).toBe('unknown');
      await node.mine();
      expect((await shop.adapter.broadcast(stuck)).kind).toBe('rejected');
      expect((await shop.adapter.recheck([stuck, faster])).get(stuck.txid)).toBe('gone');
      const paid = (await shop.tipBlock()).debits;
      expect(paid.map(({ ref, byTxid }) => ({ ref, byTxid }))).toEqual([
        { ref: fund.ref, byTxid: faster.txid },
      ]);
    });

    it('rebroadcasts a transaction to a node that forgot it', async () => {
      const shop = new Shop(coin, node, proxy.url);
      const { address } = shop.newAddress();
      const txid = await node.pay({ address, amountAtoms: AMOUNT });
      const [credit] = (await shop.adapter.unconfirmed()).credits;
      await node.restart({ dropMempool: true });
      expect((await shop.adapter.unconfirmed()).has(txid)).toBe(false);
      expect((await shop.adapter.recheck([{ txid, raw: credit!.raw }])).get(txid)).toBe('present');
      expect((await shop.adapter.unconfirmed()).credits).toEqual([
        expect.objectContaining({ ref: credit!.ref }),
      ]);
      await node.mine();
    });

    it('does not report a payment as gone that was mined and spent within one block', async () => {
      const shop = new Shop(coin, node);
      const owned = shop.newAddress();
      const txid = await node.pay({ address: owned.address, amountAtoms: AMOUNT });
      const [credit] = (await shop.adapter.unconfirmed()).credits;
      const tx = await node.rpc<{ vout: { n: number; value: string; scriptPubKey: { hex: string } }[] }>(
        'getrawtransaction',
        [txid, true],
      );
      const change = tx.vout.find(({ n }) => n !== credit!.ref.index);
      const spend = await shop.adapter.signSend(
        shop.adapter.planSend({
          funds: [{ ...owned, ref: credit!.ref, amount: AMOUNT }],
          destination: await node.foreignAddress(),
          amount: AMOUNT,
          subtractFee: true,
          changeAddress: owned.address,
          quote: await shop.adapter.feeQuote(),
        }),
        shop.keys,
      );
      expect(await shop.adapter.broadcast(spend)).toEqual({ kind: 'accepted' });
      // The payer spends the change as well: no output of the payment is left to prove it by.
      await spendOutput(node, { txid, vout: change!.n, amount: toAtoms(change!.value) });
      await node.mine();
      expect((await shop.adapter.recheck([{ txid, raw: credit!.raw }])).get(txid)).toBe('present');
      expect((await shop.adapter.broadcast({ txid, raw: credit!.raw })).kind).toBe('accepted');
    });

    it('reports no transaction as gone while the node lags behind', async () => {
      const shop = new Shop(coin, node, proxy.url);
      const { address } = shop.newAddress();
      const txid = await node.pay({ address, amountAtoms: AMOUNT });
      const [credit] = (await shop.adapter.unconfirmed()).credits;
      await node.replaceTo(txid, await node.foreignAddress());
      await node.mine();
      const behind = proxy.inject(
        { kind: 'rewrite', rewrite: (result) => Object.assign({}, result, { headers: 10_000_000 }) },
        { methods: ['getblockchaininfo'] },
      );
      expect((await shop.adapter.recheck([{ txid, raw: credit!.raw }])).get(txid)).toBe('unknown');
      behind.clear();
      expect((await shop.adapter.recheck([{ txid, raw: credit!.raw }])).get(txid)).toBe('gone');
    });

    it('reports a broadcast as unknown when the response is lost, and as accepted on the retry', async () => {
      const shop = new Shop(coin, node, proxy.url);
      const signed = await shop.adapter.signSend(await shop.plan([await shop.earn(3n * AMOUNT)]), shop.keys);
      const lost = proxy.inject({ kind: 'dropResponse' }, { methods: ['sendrawtransaction'] });
      expect((await shop.adapter.broadcast(signed)).kind).toBe('unknown');
      lost.clear();
      expect(await node.getMempool()).toContain(signed.txid);
      expect(await shop.adapter.broadcast(signed)).toEqual({ kind: 'accepted' });
      const warming = proxy.inject({ kind: 'rpcError', code: -28, message: 'Loading block index...' });
      expect((await shop.adapter.broadcast(signed)).kind).toBe('unknown');
      warming.clear();
      await node.mine();
    });

    it('returns mempool and tip of the same moment although blocks arrive all the time', async () => {
      const shop = new Shop(coin, node);
      const { address } = shop.newAddress();
      const mining = (async () => {
        for (let count = 0; count < 15; count += 1) {
          await node.pay({ address, amountAtoms: AMOUNT });
          await node.mine();
        }
      })();
      const state = { done: false };
      void mining.finally(() => (state.done = true));
      while (!state.done) {
        const view = await shop.adapter.unconfirmed();
        const block = await shop.adapter.blockAt(view.tip.height);
        const mined = new Set(block?.credits.map(({ ref }) => ref.txid));
        expect(view.credits.filter(({ ref }) => mined.has(ref.txid))).toEqual([]);
      }
      await mining;
    });
  });
}

/** Spends one output of the miner's wallet completely, as an unconfirmed transaction. */
async function spendOutput(
  node: RegtestNode,
  output: { txid: string; vout: number; amount: bigint },
): Promise<void> {
  const amount = `${(output.amount - 10_000n) / 100_000_000n}.${((output.amount - 10_000n) % 100_000_000n).toString().padStart(8, '0')}`;
  const raw = await node.rpc<string>('createrawtransaction', [
    [{ txid: output.txid, vout: output.vout }],
    [{ [await node.foreignAddress()]: amount }],
  ]);
  const signed = await node.walletRpc<{ hex: string }>('signrawtransactionwithwallet', [raw]);
  await node.sendRaw(signed.hex);
}

describe.skipIf(!requireNode('BTC'))('a pruned node', () => {
  it('is refused with an error for pruned blocks, naming the missing range', async () => {
    await using node = await startBitcoind({ pruned: true });
    await node.mine(600);
    await node.rpc('pruneblockchain', [500]);
    const adapter = adapterOn('BTC', node.rpcUrl, EVERYTHING);
    const { pruneHeight } = await adapter.status();
    expect(pruneHeight).toBeGreaterThan(1);
    const error: unknown = await adapter.blockAt(1).catch((caught) => caught);
    expect(error).toBeInstanceOf(ChainError);
    expect((error as ChainError).kind).toBe('pruned');
    expect((error as ChainError).message).toContain(`blocks 1 to ${pruneHeight - 1}`);
    expect((await adapter.blockAt(pruneHeight))?.height).toBe(pruneHeight);
    expect((await adapter.blockBefore(0)).height).toBe(0);
  });
});

describe.skipIf(!requireNode('LTC'))('Litecoin with MWEB', () => {
  let node: RegtestNode;
  beforeAll(async () => {
    node = await startLitecoind({ mweb: true });
  });
  afterAll(async () => node.stop());

  it('credits a peg-out once, under the mined HogEx transaction, spendable after six blocks', async () => {
    const shop = new Shop('LTC', node);
    const owned = shop.newAddress();
    const out = await pegOut(node, owned.address, 50_000_000n);
    const view = await shop.adapter.unconfirmed();
    expect(view.credits).toEqual([]);
    expect(view.has(out.txid)).toBe(true);
    const [hash = ''] = await node.mine();
    const [credit, ...others] = (await shop.tipBlock()).credits;
    expect(others).toEqual([]);
    expect(credit).toMatchObject({ amount: 50_000_000n, maturity: 6, raw: null });
    expect(credit!.ref.txid).toBe(await hogExOf(node, hash));

    const fund = { ...owned, ref: credit!.ref, amount: credit!.amount };
    const spend = await shop.adapter.signSend(await shop.plan([fund]), shop.keys);
    await node.mine(4);
    expect((await shop.adapter.broadcast(spend)).kind).toBe('unknown');
    await node.mine();
    expect(await shop.adapter.broadcast(spend)).toEqual({ kind: 'accepted' });
    await node.mine();
  });

  it('reads blocks with peg-ins, including the extension block, and unconfirmed peg-ins', async () => {
    const adapter = adapterOn('LTC', node.rpcUrl, EVERYTHING);
    // More than the miner has inside already, so that transparent coins move in.
    const txid = await pegIn(node, 2_000_000_000n);
    const view = await adapter.unconfirmed();
    expect(view.has(txid)).toBe(true);
    expect(view.credits.some(({ ref }) => ref.txid === txid)).toBe(true);
    await node.mine();
    const { height } = await adapter.tip();
    for (let at = height - 12; at <= height; at += 1) {
      const hash = await node.blockHash(at);
      const credits = (await adapter.blockAt(at))?.credits;
      expect(credits?.map(({ ref, watchKey, amount }) => ({ ref, watchKey, amount }))).toEqual(
        await expectedCredits(node, hash),
      );
    }
  });

  it('refuses MWEB destinations with the reason', async () => {
    const adapter = adapterOn('LTC', node.rpcUrl, EVERYTHING);
    expect(adapter.validateAddress(await mwebAddress(node))).toMatch(/MWEB/);
  });
});
