import type { ChainIndex, OpenAccount } from '../../domain/chain.ts';

/** The open accounts with the ledger's holdings, in pages as the index reads them. */
export async function* openAccounts(
  index: ChainIndex,
  closedAfterMs: number,
): AsyncGenerator<readonly OpenAccount[], void> {
  if (index.openAccounts === undefined) {
    const open = await index.open(closedAfterMs);
    const holdings = await index.holdings(open.map(({ watchKey }) => watchKey));
    yield open.map((key) => ({ ...key, holdings: holdings.get(key.watchKey) ?? [], isAwaited: true }));
  } else yield* index.openAccounts(closedAfterMs);
}
