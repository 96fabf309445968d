import { accountsPerSend } from '../../domain/accounts.ts';
import type { ChainAdapter, FeeQuote, Fund, SendPlan } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { spendableFunds } from '../../store/ledger/spendable.ts';
import { spendableAccounts } from '../../store/ledger/spendable-accounts.ts';

/** Accounts per request to the node. */
const ACCOUNTS_ASKED = 100;

interface Drawer extends ChainId {
  readonly merchantId: string;
}

/**
 * On chains where a send empties whole accounts: adds to the quote the current on-chain balances of the
 * accounts it may draw on. Elsewhere returns the quote unchanged. Waits for the network.
 * @param first accounts to ask about in any case
 * @throws {ChainError} when the node does not answer.
 */
export async function withHeld(
  db: Db,
  adapter: ChainAdapter,
  { wallet, first = [] }: { readonly wallet: Drawer; readonly first?: readonly string[] },
  quote: FeeQuote,
): Promise<FeeQuote> {
  if (adapter.wholeAccounts === undefined || accountsPerSend(wallet) === null) return quote;
  const spendable = await spendableAccounts(db, wallet, ACCOUNTS_ASKED);
  const accounts = new Set([...first, ...spendable.map(({ fund }) => fund.address)]);
  if (accounts.size === 0) return quote;
  return { ...quote, held: await adapter.wholeAccounts.heldNow([...accounts].slice(0, ACCOUNTS_ASKED)) };
}

/**
 * Funds a send may draw on. An account whose on-chain balance differs from the ledger (money that just
 * arrived, lamports that no transaction brought) is left out: emptying it would leave the difference
 * behind, and the network refuses accounts that hold so little. The merchant's own account keeps
 * the rest anyway, so it is left out only when it holds too little.
 */
export async function drawableFunds(
  db: Db,
  wallet: Drawer & { readonly from?: string | undefined },
  { held, changeAddress }: { readonly held: FeeQuote['held']; readonly changeAddress: string },
): Promise<Fund[]> {
  const perSend = wallet.from === undefined ? accountsPerSend(wallet) : null;
  if (perSend === null || held === undefined) return spendableFunds(db, wallet);
  const accounts = await spendableAccounts(db, wallet, ACCOUNTS_ASKED);
  return accounts
    .map(({ fund }) => fund)
    .filter((fund) => isAsHeld(fund, { held, keeper: changeAddress }))
    .slice(0, perSend);
}

/** Whether the accounts of a plan hold on the chain what the plan assumes, so that each emptied one ends at zero. */
export function fitsHeld(plan: SendPlan, held: FeeQuote['held']): boolean {
  const keeper = plan.change?.address ?? null;
  return held === undefined || plan.inputs.every((fund) => isAsHeld(fund, { held, keeper }));
}

function isAsHeld(
  { address, amount }: Fund,
  { held, keeper }: { readonly held: ReadonlyMap<string, bigint>; readonly keeper: string | null },
): boolean {
  const holds = held.get(address);
  if (holds === undefined) return true;
  return address === keeper ? holds >= amount : holds === amount;
}
