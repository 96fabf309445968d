import { openIssuedAddresses } from './issued-addresses.ts';
import { watchKeys } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Clock, Logger } from '../domain/ports.ts';
import type { OpenDatabase } from '../store/sqlite/open.ts';
import type { ObserveDeps } from '../usecases/chain-sync/index.ts';
import { extendGapLimit, type GapLimitDeps } from '../usecases/addresses/index.ts';
import { hasNativeSecp256k1 } from '../wallet/child-key.ts';
import { createWallet } from '../wallet/derivation.ts';
import { receiveBranchReader } from '../wallet/receive-branch.ts';
import { watchAccountReader } from '../wallet/watch-account.ts';
import { findListedProblem } from '../wallet/listed-address.ts';
import { withReservedAddresses } from '../wallet/issued-addresses.ts';
import type { Keyring } from '../wallet/keyring.ts';
import { LookAhead } from '../workers/chain-watcher/look-ahead.ts';

interface WalletParts {
  readonly database: OpenDatabase;
  readonly keyring: Keyring;
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Opens the keys, the address derivation and the record of issued addresses. */
export async function openWallet(parts: WalletParts) {
  const { keyring, config, database, logger } = parts;
  const { db } = database;
  const liveNetwork = config.network ?? 'mainnet';
  const toWatchKey = watchKeys(liveNetwork);
  const wallet = createWallet({ keyring, liveNetwork });
  if (!hasNativeSecp256k1) {
    logger.info({}, 'libsecp256k1 has no binary for this platform; creating payments is slower');
  }
  const issued = await openIssuedAddresses({ ...parts, db, deriver: wallet, toWatchKey });
  const deriver = withReservedAddresses(wallet, issued);
  const lookAhead = await LookAhead.open({ db, deriver, toWatchKey, logger });
  const extendLookAhead = gapLimit({ ...parts, db, deriver, toWatchKey });
  const lookAheadLeft = (chain: ChainId): number => lookAhead.left(chain);
  const readReceiveBranch = receiveBranchReader(liveNetwork);
  const readWatchAccount = watchAccountReader(liveNetwork);
  return {
    wallet,
    issued,
    lookAhead,
    deriver,
    toWatchKey,
    extendLookAhead,
    lookAheadLeft,
    readReceiveBranch,
    readWatchAccount,
    findListedProblem,
  };
}

function gapLimit(deps: GapLimitDeps): NonNullable<ObserveDeps['extendLookAhead']> {
  return async (chain, credits) => extendGapLimit(deps, chain, credits);
}
