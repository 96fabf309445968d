import {
  InsufficientFunds,
  UnsendableAmount,
  type ChainAdapter,
  type FeeQuote,
  type Fund,
  type SendPlan,
} from '../../../domain/chain.ts';
import { AppError, invalidField } from '../../../domain/errors.ts';
import type { ReadWatchAccount } from '../../../domain/keys.ts';
import type { Chains } from '../../../domain/chains.ts';
import type { Clock } from '../../../domain/ports.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { sumSpendableInOwnWallet, watchedFunds } from '../../../store/ledger/watched-funds.ts';
import {
  activeWatchAccounts,
  findWatchAccount,
  type WatchAccount,
} from '../../../store/ledger/watch-accounts.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { nextFreeWatchIndex, watchPath } from '../../addresses/index.ts';
import type { AddressDeriver } from '../../../domain/keys.ts';
import type { SendOrder } from './send-order.ts';
import { OWN_WALLET, type WatchedSource } from './watched-account.ts';

interface SourceDeps {
  readonly clock: Clock;
  readonly chains: Chains;
  readonly deriver: AddressDeriver;
  readonly readWatchAccount: ReadWatchAccount;
}

/**
 * Decides where an order takes its money from: the account that it names, else the one that new orders are paid to.
 * Simulated networks have no PSBTs, and lists of addresses no transactions: there it is the till's own wallet.
 * @throws {AppError} VALIDATION_INVALID
 */
export async function withSource(
  db: Db,
  deps: SourceDeps,
  order: SendOrder,
  from: string | undefined,
): Promise<SendOrder> {
  const account = await findSource(db, deps, order, from);
  if (account === null) return order;
  const { coin, mode, inputs = null } = order;
  if (account.listSize !== null) {
    if (from === undefined) return order;
    throw invalidField(
      'from',
      'is a list of addresses, whose keys the till does not have: send from their own wallet',
    );
  }
  const adapter = deps.chains.get(coin, mode);
  if (adapter?.psbt === undefined) {
    if (from === undefined) return order;
    throw invalidField(
      'from',
      `cannot be a watched account in ${mode} mode: nothing can be signed for it there`,
    );
  }
  const keys = deps.readWatchAccount({ coin, mode }, account.descriptor);
  if ('problem' in keys) throw new Error(`a stored descriptor ${keys.problem}`);
  const { psbts } = keys;
  if (psbts === null)
    throw invalidField(
      'from',
      'is an account of legacy addresses (pkh): spend it with the wallet that has its keys',
    );
  if (inputs !== null) throw invalidField('inputs', 'cannot be chosen for a send from a watched account');
  const toWatchKey = (_chain: unknown, address: string): string => adapter.watchKey(address);
  // Other accounts of this server may share addresses, which are skipped.
  const nextChange = await nextFreeWatchIndex(db, { deriver: deps.deriver, toWatchKey }, account, 1);
  return { ...order, watched: { account: { ...account, nextChange }, psbts } };
}

async function findSource(
  db: Db,
  { clock }: SourceDeps,
  { merchantId, mode, coin }: SendOrder,
  from: string | undefined,
): Promise<WatchAccount | null> {
  if (from === OWN_WALLET) return null;
  if (from === undefined) {
    const active = await activeWatchAccounts(db, { merchantId, mode, now: clock.now() });
    return active.get(coin) ?? null;
  }
  const account = await findWatchAccount(db, from);
  const isTheirs =
    account?.merchantId === merchantId && account.mode === mode && account.confirmedAt !== null;
  if (!isTheirs)
    throw invalidField('from', `must be ${OWN_WALLET} or the id of a watched account of this shop`);
  if (account.coin !== coin) throw invalidField('from', `is an account of ${account.coin}, not of ${coin}`);
  return account;
}

/** The change address for the next plan of a send from this account; reserved only when the plan uses it. */
function nextWatchedChange(
  { deriver }: { readonly deriver: AddressDeriver },
  { account }: WatchedSource,
): string {
  return deriver.address(watchPath(account, 1, account.nextChange));
}

/**
 * Coin selection on a watched account: confirmed outputs alone, the largest first.
 * @throws {AppError} INSUFFICIENT_BALANCE, VALIDATION_INVALID
 */
export async function planWatched(
  db: Db,
  deps: { readonly deriver: AddressDeriver },
  order: SendOrder & { readonly watched: WatchedSource },
  { adapter, quote }: { readonly adapter: ChainAdapter; readonly quote: FeeQuote },
): Promise<SendPlan> {
  const { watched, destination, outputs, everything = false } = order;
  const { inputSize, maxInputs } = watched.psbts;
  const inputCost = (quote.rate * BigInt(Math.ceil(inputSize.weight / 4)) + 999n) / 1000n;
  const funds = (await watchedFunds(db, watched.account)).filter(({ amount }) => amount > inputCost);
  const largest = funds.slice(0, maxInputs);
  const request = {
    funds: largest,
    destination,
    outputs,
    amount: everything ? sumFunds(largest) : order.amount,
    subtractFee: order.subtractFee || everything,
    changeAddress: nextWatchedChange(deps, watched),
    quote,
    inputSize,
  };
  try {
    if (everything && funds.length === 0) throw new InsufficientFunds(0n, 1n);
    if (everything && funds.length > maxInputs)
      throw new InsufficientFunds(sumFunds(largest), sumFunds(funds));
    return adapter.planSend(request);
  } catch (error) {
    if (error instanceof InsufficientFunds)
      throw await shortOnAccount(db, order, error, funds.slice(maxInputs));
    if (error instanceof UnsendableAmount)
      throw invalidField(error.output === null ? 'amount' : `outputs.${error.output}.amount`, error.message);
    throw error;
  }
}

async function shortOnAccount(
  db: Db,
  order: SendOrder & { readonly watched: WatchedSource },
  { available, needed }: InsufficientFunds,
  beyond: readonly Fund[],
): Promise<AppError> {
  const { coin, watched } = order;
  const show = (atoms: bigint): string => `${formatCoinAmount(atoms, coin)} ${coin}`;
  const own = await sumSpendableInOwnWallet(db, order);
  const more = sumFunds(beyond);
  const hints = [
    ...(more > 0n
      ? [
          {
            code: 'beyond_one_send',
            why: `${show(more)} more is in outputs beyond the ${watched.psbts.maxInputs} of one PSBT`,
          },
        ]
      : []),
    ...(own > 0n
      ? [
          {
            code: 'own_wallet',
            why: `${show(own)} is in the wallet of the till: send it with from: ${OWN_WALLET}`,
          },
        ]
      : []),
  ];
  const message = `${show(available)} is available on the watched account and ${show(needed)} is needed, network fee included`;
  const details = hints.map(({ code, why }) => ({ field: 'amount', code, message: why }));
  return new AppError('INSUFFICIENT_BALANCE', [message, ...hints.map(({ why }) => why)].join('; '), {
    details,
  });
}

function sumFunds(funds: readonly Fund[]): bigint {
  return funds.reduce((sum, { amount }) => sum + amount, 0n);
}
