import { join } from 'node:path';
import type { Argon2Cost } from '../domain/argon2-cost.ts';
import { emailKey } from '../domain/email.ts';
import type { ChainAdapter } from '../domain/chain.ts';
import type { ChainId, Network } from '../domain/coins.ts';
import type { LatePolicy } from '../domain/payment/types.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { Db } from '../store/sqlite/database.ts';
import { writeMeta } from '../store/meta.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { insertUser } from '../store/accounts/users.ts';
import { createMerchant } from '../usecases/shops/index.ts';
import { newUuid } from '../usecases/events/index.ts';
import { reserveGapLimit } from '../usecases/addresses/index.ts';
import { createWallet } from '../wallet/derivation.ts';
import { restoreKeyring, type Keyring } from '../wallet/keyring.ts';
import { loadOrCreatePassphrase } from '../wallet/passphrase.ts';
import { createSecretBox } from '../wallet/secret-box.ts';
import { fillDataDir } from './stage.ts';
import { watchUnspent } from './watch-unspent.ts';

export interface RestoreSeedOptions {
  readonly dataDir: string;
  readonly words: string;
  /** Null: one is generated and stored in the data directory. */
  readonly passphrase: string | null;
  readonly cost: Argon2Cost;
  readonly liveNetwork: Network;
  /** The owner of all money found. */
  readonly email: string;
  readonly passwordHash: string;
  /** Number of merchants: one each for accounts 0, 1, and so on. */
  readonly accounts: number;
  /** Gap limit: consecutive addresses without a payment. */
  readonly gap: number;
  /** Addresses of each branch to search in the nodes' UTXO sets, whatever the gap limit; 0: none. */
  readonly depth: number;
  /** The nodes to search; closed afterwards. */
  readonly connect: (db: Db) => readonly ChainAdapter[];
  /** No payment is older than this time. */
  readonly birthdayMs: number;
  readonly defaults: { lifetimeMinutes: number; toleranceBps: number; latePolicy: LatePolicy };
  readonly toWatchKey: (chain: ChainId, address: string) => string;
  readonly clock: Clock;
  readonly logger: Logger;
}

/**
 * Fills an empty data directory from the 24 words alone: the same keyring, and a merchant for each account
 * with the same addresses, all of them watched. The next start reads the chains from the birthday on and
 * credits the money as the merchants' own; payments and their history cannot be restored from a seed. Unspent
 * outputs far beyond the gap limit are watched as well.
 * @throws {BackupError} {KeyringError} {ChainError}
 */
export async function restoreSeed(options: RestoreSeedOptions): Promise<{ recovered: number }> {
  return fillDataDir(options.dataDir, async (stage) => {
    const { passphrase } = await loadOrCreatePassphrase({ dataDir: stage, configured: options.passphrase });
    const { words, cost } = options;
    const keyring = await restoreKeyring({ dataDir: stage, passphrase, argon2: cost, words });
    try {
      const database = await openDatabase(join(stage, 'tilld.sqlite'));
      try {
        return { recovered: await repopulate(options, database.db, keyring) };
      } finally {
        await database.close();
      }
    } finally {
      keyring.wipe();
    }
  });
}

async function repopulate(options: RestoreSeedOptions, db: Db, keyring: Keyring): Promise<number> {
  const { toWatchKey, liveNetwork, birthdayMs, logger, defaults, gap } = options;
  const now = options.clock.now();
  const userId = newUuid();
  await writeMeta(db, 'keyring_fingerprint', keyring.fingerprint);
  await db.transaction(async (tx) => {
    await insertUser(tx, {
      id: userId,
      email: options.email,
      emailKey: emailKey(options.email),
      passwordHash: options.passwordHash,
      isVerified: false,
      tokenVersion: 0,
      createdAt: now,
      updatedAt: now,
    });
  });
  // A chain is read from the creation time of its oldest address.
  const clock: Clock = { now: () => birthdayMs };
  const deriver = createWallet({ keyring, liveNetwork });
  const secretBox = createSecretBox(keyring);
  const deps = {
    db,
    deriver,
    secretBox,
    toWatchKey,
    clock,
    logger,
    defaults,
    shopsPerAccount: 0,
    hasLiveCoin: true,
  };
  for (let account = 0; account < options.accounts; account += 1) {
    const shop = account + 1;
    await createMerchant(deps, {
      userId,
      name: `Recovered shop ${shop}`,
      description: null,
      domain: `recovered-${shop}.invalid`,
    });
  }
  await writeMeta(db, 'restored_at', String(now));
  const chains = options.depth > 0 ? options.connect(db) : [];
  try {
    const found = await watchUnspent(deps, chains, options.depth);
    return found + (await reserveGapLimit(deps, gap));
  } finally {
    await Promise.all(chains.map(async (chain) => chain.close()));
  }
}
