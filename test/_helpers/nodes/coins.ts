/** What differs between the two daemons, as data. */

export type NodeCoin = 'BTC' | 'LTC';

export interface DaemonSpec {
  readonly coin: NodeCoin;
  readonly daemon: string;
  /** Where install.sh puts it, below the cache. */
  readonly folder: string;
  /** Flags on top of the common ones. */
  readonly args: readonly string[];
  /** Extra flags unless MWEB is asked for. */
  readonly withoutMweb: readonly string[];
  /** What a person does to get the daemon. */
  readonly howToInstall: string;
}

export const DAEMONS: Readonly<Record<NodeCoin, DaemonSpec>> = {
  BTC: {
    coin: 'BTC',
    daemon: 'bitcoind',
    folder: 'bitcoind',
    args: ['-addresstype=bech32', '-changetype=bech32'],
    withoutMweb: [],
    howToInstall: 'run scripts/nodes install, or put a bitcoind (29 or newer) on PATH',
  },
  LTC: {
    coin: 'LTC',
    daemon: 'litecoind',
    folder: 'litecoind-trixie',
    // Replacement is off by default in litecoind 0.21.
    args: ['-mempoolreplacement=1'],
    // Otherwise MWEB activates at height 432 and mining fails until a peg-in waits in the mempool.
    withoutMweb: ['-vbparams=mweb:3999999999:4099999999'],
    howToInstall: 'run scripts/nodes install, or put a litecoind (0.21.4 or newer) on PATH',
  },
};

export const NODE_COINS: readonly NodeCoin[] = ['BTC', 'LTC'];

/** The flags that every regtest node here runs with: loopback only, no peers, quiet. */
export const COMMON_ARGS: readonly string[] = [
  '-regtest',
  '-server',
  '-listen=0',
  '-connect=0',
  '-dnsseed=0',
  '-rpcbind=127.0.0.1',
  '-rpcallowip=127.0.0.1',
  '-rpcworkqueue=256',
  '-fallbackfee=0.0002',
  '-keypool=20',
  '-printtoconsole=0',
];
