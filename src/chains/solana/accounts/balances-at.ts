import type { BalanceReading } from '../../../domain/chain.ts';
import { ACCOUNTS_PER_REQUEST, type NodeClient } from '../rpc/node-client.ts';

/**
 * Finalized balances. Nodes keep no older ones, and the ledger may count a missed transaction under a later
 * slot: a differing balance may still agree some slots later.
 */
export async function balancesAt(client: NodeClient, accounts: readonly string[]): Promise<BalanceReading> {
  const balances = new Map<string, bigint>();
  let height = 0;
  for (let at = 0; at < accounts.length; at += ACCOUNTS_PER_REQUEST) {
    const { slot, lamports } = await client.finalizedBalances(accounts.slice(at, at + ACCOUNTS_PER_REQUEST));
    height = Math.max(height, slot);
    for (const [account, balance] of lamports) balances.set(account, balance);
  }
  return { height, hash: null, balances };
}
