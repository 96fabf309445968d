/** A merchant with a real wallet, ledger and chain followers, on a real database. */
import { join } from 'node:path';
import type { ChainAdapter, ChainIndex } from '../../src/domain/chain.ts';
import type { Chains } from '../../src/domain/chains.ts';
import type { ChainId, Coin, Mode, Network } from '../../src/domain/coins.ts';
import { AppError } from '../../src/domain/errors.ts';
import type { Clock, Logger } from '../../src/domain/ports.ts';
import { createChainIndex } from '../../src/store/watch/chain-index.ts';
import type { Db } from '../../src/store/sqlite/database.ts';
import { openDatabase } from '../../src/store/sqlite/open.ts';
import type { MerchantRow } from '../../src/store/schema/merchants.ts';
import { insertUser } from '../../src/store/accounts/users.ts';
import { createMerchant } from '../../src/usecases/shops/create-merchant.ts';
import { newUuid } from '../../src/usecases/events/new-id.ts';
import type { ObserveDeps } from '../../src/usecases/chain-sync/observe-deps.ts';
import { getBalances } from '../../src/usecases/wallet/get-balances.ts';
import type { RefundPaymentDeps } from '../../src/usecases/refunds/refund-payment.ts';
import { InFlightSends } from '../../src/usecases/wallet/lifecycle/in-flight-sends.ts';
import { DEFAULT_SEND_POLICY, type SendPolicy } from '../../src/domain/send/policy.ts';
import { createWallet } from '../../src/wallet/derivation.ts';
import { openKeyring } from '../../src/wallet/keyring.ts';
import { watchAccountReader } from '../../src/wallet/watch-account.ts';
import { ChainFollower } from '../../src/workers/chain-watcher/chain-follower.ts';

/** Time that a test moves. */
export class TestClock implements Clock {
  #at = Date.now();

  now(): number {
    return this.#at;
  }

  advance(ms: number): void {
    this.#at += ms;
  }
}

export interface ConnectContext {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  index(chain: ChainId): ChainIndex;
}

export interface WalletWorldOptions {
  /** Keeps database and keyring; opening it again continues there, as after a restart. */
  readonly dir: string;
  readonly mode: Mode;
  readonly liveNetwork?: Network;
  readonly connect: (context: ConnectContext) => readonly ChainAdapter[];
  readonly policy?: Partial<SendPolicy>;
}

export const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };

export class WalletWorld {
  readonly db: Db;
  readonly clock: TestClock;
  readonly merchant: MerchantRow;
  deps: RefundPaymentDeps;
  readonly #adapters: readonly ChainAdapter[];
  readonly #followers = new Map<Coin, ChainFollower>();
  readonly #close: () => Promise<void>;

  constructor(parts: {
    db: Db;
    clock: TestClock;
    merchant: MerchantRow;
    deps: RefundPaymentDeps;
    adapters: readonly ChainAdapter[];
    close: () => Promise<void>;
  }) {
    this.db = parts.db;
    this.clock = parts.clock;
    this.merchant = parts.merchant;
    this.deps = parts.deps;
    this.#adapters = parts.adapters;
    this.#close = parts.close;
  }

  get mode(): Mode {
    return this.merchant.sandbox ? 'sandbox' : 'live';
  }

  chain(coin: Coin): ChainId {
    return { coin, mode: this.mode };
  }

  adapter(coin: Coin): ChainAdapter {
    const found = this.#adapters.find((adapter) => adapter.coin === coin);
    if (found === undefined) throw new Error(`no ${coin} adapter in this world`);
    return found;
  }

  /** The merchant's own address of a coin. */
  address(coin: Coin): string {
    const { account } = this.merchant;
    return this.deps.deriver.address({ coin, mode: this.mode, account, branch: 0, index: 0 });
  }

  /** Lets the ledger read everything the node has, blocks and mempool. */
  async sync(coin: Coin): Promise<void> {
    const follower = this.#followers.get(coin) ?? this.#follower(coin);
    this.#followers.set(coin, follower);
    for (let round = 0; round < 100; round += 1) if (!(await follower.round())) return;
    throw new Error(`the ${coin} ledger does not catch up`);
  }

  async balance(coin: Coin): Promise<string> {
    return (await getBalances({ db: this.db }, { merchant: this.merchant }))[coin];
  }

  /** Types of the events about sends, in order. */
  async sendEvents(): Promise<string[]> {
    const rows = await this.db
      .selectFrom('events')
      .select('type')
      .where('sendId', 'is not', null)
      .orderBy('seq')
      .execute();
    return rows.map((row) => row.type);
  }

  /** What a new process knows: nothing but the database. */
  restart(): void {
    this.#followers.clear();
    this.deps = { ...this.deps, inFlight: new InFlightSends() };
  }

  async close(): Promise<void> {
    for (const adapter of this.#adapters) await adapter.close();
    await this.#close();
  }

  #follower(coin: Coin): ChainFollower {
    const { db, clock, chains, logger, baseUrl, rates } = this.deps;
    const observe: ObserveDeps = {
      db,
      clock,
      logger,
      chains,
      baseUrl,
      rates,
      confirmations: () => ({ base: 1, tiers: [] }),
      wakeWebhooks: () => {},
      onPaymentChanged: () => {},
    };
    const options = { pollIntervalMs: 1_000, maxBackoffMs: 1_000, statusEveryMs: 1_000 };
    return new ChainFollower(observe, this.adapter(coin), options);
  }
}

/** Opens (creating at first) the merchant's world in a directory. */
export async function openWalletWorld(options: WalletWorldOptions): Promise<WalletWorld> {
  const { dir, mode } = options;
  const database = await openDatabase(join(dir, 'tilld.db'));
  const { db } = database;
  const clock = new TestClock();
  const { keyring } = await openKeyring({
    dataDir: dir,
    passphrase: 'correct horse',
    argon2: { memoryKiB: 8, iterations: 1, parallelism: 1 },
    mayCreate: true,
  });
  const wallet = createWallet({ keyring, liveNetwork: options.liveNetwork ?? 'regtest' });
  const adapters = options.connect({
    db,
    clock,
    logger: silent,
    index: (chain) => createChainIndex(db, chain),
  });
  const chains: Chains = {
    get: (coin, inMode) =>
      adapters.find((adapter) => adapter.coin === coin && adapter.mode === inMode) ?? null,
  };
  const deps: RefundPaymentDeps = {
    db,
    clock,
    logger: silent,
    chains,
    confirmations: () => ({ base: 1, tiers: [] }),
    baseUrl: 'http://localhost',
    rates: {
      quote: () => {
        throw new AppError('RATE_UNAVAILABLE', 'no source has a rate in this world');
      },
      ensure: async () => {},
    },
    deriver: wallet,
    readWatchAccount: watchAccountReader('regtest'),
    sign: async (adapter, plan) => adapter.signSend(plan, wallet),
    policy: { ...DEFAULT_SEND_POLICY, ...options.policy },
    inFlight: new InFlightSends(),
    wakeWebhooks: () => {},
    onPaymentChanged: () => {},
  };
  const known = await db.selectFrom('merchants').selectAll().executeTakeFirst();
  const merchant = known ?? (await addMerchant(deps, mode));
  return new WalletWorld({
    db,
    clock,
    merchant,
    deps,
    adapters,
    close: async () => database.close(),
  });
}

/** Another merchant in the same daemon; domains differ by a counter. */
export async function addMerchant(deps: RefundPaymentDeps, mode: Mode): Promise<MerchantRow> {
  const userId = newUuid();
  const now = deps.clock.now();
  await deps.db.transaction(async (tx) =>
    insertUser(tx, {
      id: userId,
      email: `${userId}@example.com`,
      emailKey: `${userId}@example.com`,
      passwordHash: 'none',
      isVerified: true,
      tokenVersion: 1,
      createdAt: now,
      updatedAt: now,
    }),
  );
  const { merchant } = await createMerchant(
    {
      db: deps.db,
      clock: deps.clock,
      deriver: deps.deriver,
      toWatchKey: (chain, address) => deps.chains.get(chain.coin, chain.mode)?.watchKey(address) ?? address,
      secretBox: { seal: (plain) => plain, open: (sealed) => sealed },
      defaults: { lifetimeMinutes: 60, toleranceBps: 50, latePolicy: 'accept' },
      shopsPerAccount: 0,
      hasLiveCoin: mode === 'live',
    },
    { userId, name: 'Shop', description: null, domain: `${userId}.example` },
  );
  return merchant;
}
