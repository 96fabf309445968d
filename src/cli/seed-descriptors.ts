import { join } from 'node:path';
import { isFile } from '../backup/files.ts';
import type { Config } from '../config/config.ts';
import { UTXO_CODES, type UtxoCoinCode } from '../domain/coins.ts';
import { addressCounters } from '../store/ledger/addresses.ts';
import { allMerchants } from '../store/merchants/merchants.ts';
import type { Db } from '../store/sqlite/database.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { accountDescriptors } from '../wallet/descriptors.ts';
import type { Keyring } from '../wallet/keyring.ts';
import { printLine, UsageError, warn } from './command.ts';

/** Addresses beyond the last one issued that the other wallet watches too. */
const AHEAD = 1_000;

/** An account of this daemon, and the part of its tree that another wallet must read. */
interface ExportedAccount {
  readonly name: string;
  readonly account: number;
  /** Unix time in seconds: no address of it was issued earlier. */
  readonly createdAt: number;
  /** The next unissued index of each branch. */
  readonly nextIndexes: Readonly<Record<0 | 1, number>>;
}

/** @throws {UsageError} */
export function parseUtxoCoin(code: string | undefined): UtxoCoinCode {
  const coin = UTXO_CODES.find((known) => known === code);
  if (coin === undefined) throw new UsageError(`--coin must be one of ${UTXO_CODES.join(', ')}`);
  return coin;
}

/**
 * Prints the request of `importdescriptors` (Bitcoin Core) or `importmulti` (Litecoin Core) as one line of JSON:
 * both commands read the same fields.
 */
export async function printDescriptors(
  config: Config,
  keyring: Keyring,
  order: {
    readonly coin: UtxoCoinCode;
    readonly merchantId: string | undefined;
    readonly isPrivate: boolean;
  },
): Promise<void> {
  const { coin, merchantId, isPrivate } = order;
  const file = join(config.dataDir, 'tilld.sqlite');
  if (!(await isFile(file)))
    throw new UsageError(`${config.dataDir} has no tilld.sqlite, which lists the accounts: restore it first`);
  const { db } = await openDatabase(file, { mayMigrate: false });
  try {
    const accounts = await exportedAccounts(db, coin, merchantId);
    const network = config.network ?? 'mainnet';
    const requests = accounts.flatMap((one) => {
      const { receive, change } = accountDescriptors({
        keyring,
        coin,
        network,
        account: one.account,
        withPrivateKeys: isPrivate,
      });
      return [importRequest(receive, one, 0, isPrivate), importRequest(change, one, 1, isPrivate)];
    });
    for (const { account, name } of accounts) warn(`account ${account}: ${JSON.stringify(name)}`);
    printLine(JSON.stringify(requests));
  } finally {
    await db.close();
  }
}

async function exportedAccounts(
  db: Db,
  coin: UtxoCoinCode,
  merchantId: string | undefined,
): Promise<ExportedAccount[]> {
  const merchants = (await allMerchants(db)).filter(
    ({ id }) => merchantId === undefined || id === merchantId,
  );
  if (merchants.length === 0)
    throw new UsageError(merchantId === undefined ? 'there is no shop' : `there is no shop ${merchantId}`);
  const counters = (await addressCounters(db)).filter((one) => one.coin === coin && one.mode === 'live');
  const nextIndex = (account: number, branch: 0 | 1): number =>
    counters.find((one) => one.account === account && one.branch === branch)?.index ?? 0;
  return merchants.map(({ name, account, createdAt }) => ({
    name,
    account,
    createdAt: Math.floor(createdAt / 1_000),
    nextIndexes: { 0: nextIndex(account, 0), 1: nextIndex(account, 1) },
  }));
}

function importRequest(desc: string, account: ExportedAccount, branch: 0 | 1, isPrivate: boolean): object {
  return {
    desc,
    timestamp: account.createdAt,
    range: [0, account.nextIndexes[branch] + AHEAD],
    internal: branch === 1,
    // importmulti requires the word for descriptors without private keys; importdescriptors ignores it.
    ...(isPrivate ? {} : { watchonly: true }),
  };
}
