import { FakeUtxoNode } from './fake-utxo-node.ts';
import { freePort } from './nodes/proc.ts';
import { eventually } from './poll.ts';
import { liveEnv, Till, type Env } from './till.ts';
import { Shop } from './api-client.ts';
import { GENESIS, genesisBlock } from '../vectors/utxo/genesis.ts';

interface CoinState {
  readonly coin: string;
  readonly state: string;
}

const RECIPE = GENESIS['BTC regtest']!;

/**
 * A daemon with nodes in every state: Bitcoin's is followed, Litecoin's serves another network (it is Bitcoin's),
 * nothing listens where Ethereum's should be, and Solana has none.
 */
export class TillBesideNodes implements AsyncDisposable {
  readonly till: Till;
  readonly node: FakeUtxoNode;
  readonly shop: Shop;

  private constructor(till: Till, node: FakeUtxoNode, shop: Shop) {
    this.till = till;
    this.node = node;
    this.shop = shop;
  }

  static async start(env: Env = {}): Promise<TillBesideNodes> {
    const node = await FakeUtxoNode.start({ ...genesisBlock(RECIPE), time: RECIPE.time }, '/Satoshi:29.2.0/');
    node.mine();
    const nothing = `http://127.0.0.1:${await freePort()}/`;
    const till = await Till.start({
      ...liveEnv({ BTC: node.rpcUrl, LTC: node.rpcUrl, ETH: nothing }),
      TILLD_CONFIRMATIONS_BTC: '2',
      ...env,
    });
    const world = new TillBesideNodes(till, node, await Shop.open(till.api));
    await world.until('BTC', 'ready');
    await world.until('LTC', 'wrong_network');
    await world.until('ETH', 'unreachable');
    return world;
  }

  /** Waits until the daemon knows a coin to be in a state. */
  async until(coin: string, state: string): Promise<void> {
    await eventually(
      `${coin} to be ${state}`,
      async () => {
        const { coins } = await this.till.api.must<{ coins: CoinState[] }>('GET', '/merchant/setup', {
          token: this.shop.secretKey,
        });
        return coins.find((one) => one.coin === coin)?.state;
      },
      (found) => found === state,
    );
  }

  /** Lets Bitcoin's node know of so many headers beyond its blocks. */
  async setHeadersAhead(count: number): Promise<void> {
    this.node.headersAhead = count;
    this.node.mine();
    // A node that is in step is asked for its status only now and then.
    this.till.clock.advance(31_000);
    await this.until('BTC', count === 0 ? 'ready' : 'syncing');
  }

  async switchTo(mode: 'live' | 'sandbox') {
    return this.till.api.call('POST', '/merchant/sandbox', {
      token: this.shop.secretKey,
      body: { sandboxMode: mode === 'sandbox' },
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.till.end();
    await this.node.close();
  }
}
