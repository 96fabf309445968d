import { join } from 'node:path';
import type { Config } from '../config/config.ts';
import { addressCounters, newestAddressId } from '../store/ledger/addresses.ts';
import { watchCounters } from '../store/ledger/watch-accounts.ts';
import { OlderDatabaseMark } from '../store/sqlite/older-database.ts';
import type { GapLimitDeps } from '../usecases/addresses/index.ts';
import { skipUsedAddresses } from '../usecases/wallet/index.ts';
import { IssuedAddresses } from '../wallet/issued-addresses.ts';
import type { Keyring } from '../wallet/keyring.ts';

/**
 * Opens the record of issued addresses outside the database. A database that knows fewer of them is an older
 * copy and is caught up before any address is issued. The file is named after the seed that its addresses
 * derive from.
 */
export async function openIssuedAddresses(
  deps: GapLimitDeps & { readonly config: Config; readonly keyring: Keyring },
): Promise<IssuedAddresses> {
  const { config, db, keyring, logger } = deps;
  const path = join(config.dataDir, `given-addresses.${keyring.fingerprint}`);
  const issued = IssuedAddresses.open(
    path,
    [...(await addressCounters(db)), ...(await watchCounters(db))],
    logger,
  );
  try {
    if (issued.isAheadOf(await newestAddressId(db))) {
      issued.markBehind();
      new OlderDatabaseMark(config.dataDir).set(deps.clock.now());
      logger.error(
        await skipUsedAddresses(deps, issued.branches),
        'database is older than the list of issued addresses: these addresses are skipped, and watched where their ' +
          'merchant is known. Payments, sends and merchants created since that copy are missing: look for sends on the ' +
          'chain before you repeat one, and restore the newest copy of tilld.sqlite if you have it. /readyz warns ' +
          'until you remove the file older-database',
      );
    }
    issued.recordIssued(await newestAddressId(db));
  } catch (error) {
    issued.close();
    throw error;
  }
  db.database.onNewAddresses = (newestId) => issued.recordIssued(newestId);
  return issued;
}
