import { accountsPerSend } from '../../../domain/accounts.ts';
import type { ChainAdapter, FeeQuote, Fund, SendPlan } from '../../../domain/chain.ts';
import type { ChainId } from '../../../domain/coins.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { fundsAfterQueue, spendableFunds } from '../../../store/ledger/spendable.ts';
import { accountExcludingQueue } from '../../../store/ledger/queued-account.ts';
import { spendableAccounts } from '../../../store/ledger/spendable-accounts.ts';

/** Accounts per request to the node. */
const ACCOUNTS_ASKED = 100;

interface Drawer extends ChainId {
  readonly merchantId: string;
  readonly replans?: string | undefined;
}

/**
 * On chains where a send empties whole accounts: adds to the quote the current on-chain balances of the
 * accounts it may draw on. Elsewhere returns the quote unchanged. Waits for the network.
 * @param first accounts to query in any case
 * @throws {ChainError} when the node does not answer.
 */
export async function withChainBalances(
  db: Db,
  adapter: ChainAdapter,
  { wallet, first = [] }: { readonly wallet: Drawer; readonly first?: readonly string[] },
  quote: FeeQuote,
): Promise<FeeQuote> {
  if (adapter.wholeAccounts === undefined || accountsPerSend(wallet) === null) return quote;
  const spendable = await spendableAccounts(db, wallet, ACCOUNTS_ASKED);
  const accounts = new Set([...first, ...spendable.map(({ fund }) => fund.address)]);
  if (accounts.size === 0) return quote;
  return { ...quote, balances: await adapter.wholeAccounts.heldNow([...accounts].slice(0, ACCOUNTS_ASKED)) };
}

/**
 * Funds a send may draw on. An account whose on-chain balance differs from the ledger (money that just
 * arrived, lamports without a transaction) is left out: emptying it would leave the difference behind, and
 * the network rejects accounts with so little. The merchant's own account keeps a remainder anyway, so it is
 * left out only when it holds too little.
 */
export async function drawableFunds(
  db: Db,
  wallet: Drawer & { readonly from?: string | undefined },
  {
    nodeBalances,
    changeAddress,
  }: { readonly nodeBalances: FeeQuote['balances']; readonly changeAddress: string },
): Promise<Fund[]> {
  const perSend = wallet.from === undefined ? accountsPerSend(wallet) : null;
  if (perSend === null || nodeBalances === undefined) return spendableFunds(db, wallet);
  const idle = (await spendableAccounts(db, wallet, ACCOUNTS_ASKED)).map(({ fund }) => fund);
  return (await withOwnPlace(db, wallet, idle))
    .filter((fund) => isAsHeld(fund, { nodeBalances, keeper: changeAddress }))
    .slice(0, perSend);
}

/**
 * A send that is planned again in its queue position may use the merchant address, which is not available to
 * others.
 */
async function withOwnPlace(db: Db, wallet: Drawer, idle: readonly Fund[]): Promise<readonly Fund[]> {
  const { replans } = wallet;
  const merchantAccount = replans === undefined ? null : await accountExcludingQueue(db, wallet, replans);
  return merchantAccount === null
    ? idle
    : [merchantAccount, ...idle.filter(({ address }) => address !== merchantAccount.address)];
}

/**
 * The same funds, with the merchant address as it will be once the sends in flight have landed, regardless of
 * its present balance. Null where there is nothing to wait for.
 */
export async function queuedFunds(
  db: Db,
  wallet: Drawer & { readonly only?: ReadonlySet<string> | undefined },
  drawable: readonly Fund[],
): Promise<readonly Fund[] | null> {
  if (wallet.replans !== undefined || wallet.only !== undefined) return null;
  return fundsAfterQueue(db, wallet, drawable);
}

/**
 * Whether the accounts of a plan have the required on-chain balance: each emptied one exactly that, so that
 * it ends at zero, and those that keep a remainder enough for their payments.
 * @param at.least minimum balance that the network demands of a non-empty account, atoms
 * @param at.keeper an account that keeps any further balance, even where the plan leaves nothing: money that
 * arrived since, or that another send may still use
 */
export function matchesChainBalances(
  plan: SendPlan,
  balances: FeeQuote['balances'],
  { least, keeper = null }: { readonly least: bigint; readonly keeper?: string | null },
): boolean {
  if (balances === undefined) return true;
  return [...Map.groupBy(plan.inputs, ({ address }) => address)].every(([address, funds]) => {
    const holds = balances.get(address);
    if (holds === undefined) return true;
    const planned = funds.reduce((sum, { amount }) => sum + amount, 0n);
    const hasChange = plan.change?.address === address;
    if (!hasChange && address !== keeper) return holds === planned;
    const rest = holds - planned + (hasChange ? (plan.change?.amount ?? 0n) : 0n);
    return rest === 0n || rest >= least;
  });
}

function isAsHeld(
  { address, amount }: Fund,
  {
    nodeBalances,
    keeper,
  }: { readonly nodeBalances: ReadonlyMap<string, bigint>; readonly keeper: string | null },
): boolean {
  const holds = nodeBalances.get(address);
  if (holds === undefined) return true;
  return address === keeper ? holds >= amount : holds === amount;
}
