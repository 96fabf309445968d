import { type BalanceReading, type BlockRef, ChainError } from '../../../domain/chain.ts';
import type { NodeClient } from '../rpc/node-client.ts';

/**
 * Balances as of exactly the ledger's block. @throws {ChainError} also when the node keeps no state of it, or
 * a balance cannot be parsed.
 */
export async function balancesAt(
  client: NodeClient,
  accounts: readonly string[],
  block: BlockRef,
): Promise<BalanceReading> {
  const { height, hash } = block;
  const balances = await readableBalancesAt(client, accounts, block);
  if (accounts.some((account) => !balances.has(account)))
    throw new ChainError('bad_answer', `eth_getBalance: a balance of block ${height} cannot be read`);
  return { height, hash, balances };
}

/**
 * Like balancesAt, without the accounts whose balance is malformed: their balances stay unknown. @throws
 * {ChainError}
 */
export async function readableBalancesAt(
  client: NodeClient,
  accounts: readonly string[],
  { height, hash }: BlockRef,
): Promise<ReadonlyMap<string, bigint>> {
  const { answers, failure } = await client.balances(accounts, hash);
  if (failure !== null) throw failure;
  const balances = new Map<string, bigint>();
  for (const [at, account] of accounts.entries()) {
    const balance = answers[at];
    if (balance === undefined || balance === 'unknown') {
      throw new ChainError('unavailable', `the node keeps no balances of block ${height}`);
    }
    if (balance !== 'unreadable') balances.set(account, balance);
  }
  return balances;
}
