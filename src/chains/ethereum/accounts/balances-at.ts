import { type BalanceReading, type BlockRef, ChainError } from '../../../domain/chain.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/** Balances as of exactly the ledger's block. @throws {ChainError} also when the node keeps no state of it. */
export async function balancesAt(
  client: NodeClient,
  accounts: readonly string[],
  { height, hash }: BlockRef,
): Promise<BalanceReading> {
  const { answers, trouble } = await client.balances(accounts, hash);
  if (trouble !== null) throw trouble;
  const balances = new Map<string, bigint>();
  for (const [at, account] of accounts.entries()) {
    const balance = answers[at];
    if (balance === undefined || balance === 'unknown') {
      throw new ChainError('unavailable', `the node keeps no balances of block ${height}`);
    }
    balances.set(account, balance);
  }
  return { height, hash, balances };
}
