import type { ChainAdapter } from '../domain/chain.ts';
import type { AddressBranch } from '../store/ledger/addresses.ts';
import { allWatchAccounts, type WatchAccount } from '../store/ledger/watch-accounts.ts';
import { allMerchants } from '../store/merchants/merchants.ts';
import type { MerchantRow } from '../store/schema/merchants.ts';
import { type GapLimitDeps, watchAccountUntil, watchPath, watchUntil } from '../usecases/addresses/index.ts';

/** Addresses per scan: the node reads its whole UTXO set for each scan. */
const PER_SCAN = 500_000;

type Scanned = Pick<ChainAdapter, 'coin' | 'mode' | 'funds' | 'close'>;

interface Place {
  readonly merchant: MerchantRow;
  readonly at: AddressBranch;
  readonly index: number;
  /** Null: the account of the merchant itself. */
  readonly watched: WatchAccount | null;
}

/**
 * Scans the nodes' UTXO sets for the first addresses of every merchant's branches, beyond any gap limit, and
 * watches each branch up to the last address with money.
 * @param depth addresses of each branch
 * @throws {ChainError} if a node does not answer: its balances are then unknown.
 */
export async function watchUnspent(
  deps: GapLimitDeps,
  chains: readonly Scanned[],
  depth: number,
): Promise<number> {
  let watched = 0;
  for (const chain of chains) {
    if (chain.funds?.model !== 'outputs') continue;
    const furthest = new Map<string, Place>();
    for await (const places of batches(deps, chain, depth)) {
      deps.logger.info(
        { coin: chain.coin, addresses: places.size },
        'restore: scanning the UTXO set of the node for wallet addresses',
      );
      const scan = await chain.funds.scanUnspent({ watchKeys: [...places.keys()], known: [] });
      if (!scan.isComplete) {
        deps.logger.warn(
          { coin: chain.coin },
          'restore: node does not support scantxoutset; money beyond the gap limit cannot be found',
        );
        break;
      }
      for (const { watchKey = '' } of scan.outputs) {
        const place = places.get(watchKey);
        if (place === undefined) continue;
        const branch = `${place.at.merchantId} ${place.watched?.number ?? ''} ${place.at.branch}`;
        if (place.index > (furthest.get(branch)?.index ?? -1)) furthest.set(branch, place);
      }
    }
    for (const { merchant, at, index, watched: account } of furthest.values())
      watched +=
        account === null
          ? await watchUntil(deps, merchant, at, index + 1)
          : await watchAccountUntil(deps, account.number, at.branch, index + 1);
  }
  return watched;
}

/** The addresses to search for, by watch key, a scan at a time. */
async function* batches(
  deps: GapLimitDeps,
  { coin, mode }: Scanned,
  depth: number,
): AsyncGenerator<ReadonlyMap<string, Place>> {
  let places = new Map<string, Place>();
  const accounts = await allWatchAccounts(deps.db);
  for (const merchant of await allMerchants(deps.db)) {
    deps.logger.info(
      { coin, account: merchant.account },
      'restore: deriving the addresses of an account for the UTXO scan',
    );
    const own = accounts.filter(
      (one) => one.merchantId === merchant.id && one.coin === coin && one.mode === mode,
    );
    for (const watched of [null, ...own]) {
      for (const branch of [0, 1] as const) {
        const at = { merchantId: merchant.id, coin, mode, branch };
        for (let index = 0; index < depth; index += 1) {
          const path = { coin, mode, account: merchant.account, branch, index };
          const address = deps.deriver.address(watched === null ? path : watchPath(watched, branch, index));
          places.set(deps.toWatchKey({ coin, mode }, address), { merchant, at, index, watched });
          if (places.size < PER_SCAN) continue;
          yield places;
          places = new Map();
        }
      }
    }
  }
  if (places.size > 0) yield places;
}
