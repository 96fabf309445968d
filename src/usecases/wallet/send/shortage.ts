import { accountsPerSend } from '../../../domain/accounts.ts';
import type { Fund, InsufficientFunds } from '../../../domain/chain.ts';
import { isUtxoCoin, UTXO_COINS, type Coin } from '../../../domain/coins.ts';
import { AppError } from '../../../domain/errors.ts';
import { formatCoinAmount } from '../../../domain/money.ts';
import { MAX_RESERVED_OUTPUTS } from '../../../domain/send/parts.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { listOpenSends } from '../../../store/sends/open-sends.ts';
import { listVersions } from '../../../store/sends/send-versions.ts';
import { spendableFunds, spendableTotal } from '../../../store/ledger/spendable.ts';
import { reservedForPreparing } from '../../../store/ledger/reservations.ts';
import { balanceOfAccountsInUse, spendableAccounts } from '../../../store/ledger/spendable-accounts.ts';
import { sumWatchOnly } from '../../../store/ledger/watch-balances.ts';
import { unspendableFunds } from '../../../store/ledger/unspendable-funds.ts';
import type { SendOrder } from './send-order.ts';
import { sendsFromOneAddress } from './sender.ts';
import { readPlan } from '../lifecycle/stored-plan.ts';

/** Accounts summed to say how much lies beyond the reach of one send. */
const MAX_TOLD_ACCOUNTS = 1_000;
/** Open sends examined for their change. */
const MAX_OPEN = 200;

interface Shortage {
  readonly shortage: InsufficientFunds;
  /** The funds that the order could use. */
  readonly reached: readonly Fund[];
  /** The current cost of spending one output. */
  readonly inputCost: bigint;
}

/** INSUFFICIENT_BALANCE with the available amount and the reasons for the rest. */
export async function insufficient(db: Db, order: SendOrder, shortage: Shortage): Promise<AppError> {
  const { coin } = order;
  const { available, needed } = shortage.shortage;
  const show = (atoms: bigint): string => `${formatCoinAmount(atoms, coin)} ${coin}`;
  const hints = [
    ...(await beyondOneSend(db, order, shortage)),
    ...(await changeUnderWay(db, order, shortage.reached)),
    ...(await awaitedFunds(db, order)),
    ...(await setAside(db, order)),
  ].map(({ amount, code, why }) => ({ field: 'amount', code, message: `${show(amount)} more ${why}` }));
  const missing = needed > available ? `: ${show(needed - available)} is missing` : '';
  const message = `${show(available)} is available and ${show(needed)} is needed, network fee included${missing}`;
  const details = [...hints, ...feeOnTop(order, available)];
  const rest = details.map((hint) => `; ${hint.message}`).join('');
  return new AppError('INSUFFICIENT_BALANCE', `${message}${rest}`, { details });
}

/** Where only the fee is missing, it can be taken out of the amount instead. */
function feeOnTop({ amount, subtractFee, feeField }: SendOrder, available: bigint) {
  if (subtractFee || available < amount) return [];
  const message =
    feeField === 'deductFee'
      ? 'the fee comes on top: a refund link with deductFee: true takes it out of the refund'
      : 'the fee comes on top: with subtractFee: true it comes out of the amount';
  return [{ field: feeField ?? 'subtractFee', code: 'fee_on_top', message }];
}

/** Why money of the wallet cannot be sent now. */
type ShortageCode =
  | 'on_payment_addresses'
  | 'beyond_one_send'
  | 'uneconomical'
  | 'change_under_way'
  | 'unconfirmed'
  | 'immature'
  | 'frozen'
  | 'watched'
  | 'set_aside';

interface Hint {
  readonly amount: bigint;
  readonly code: ShortageCode;
  readonly why: string;
}

function hint(amount: bigint, code: ShortageCode, why: string): Hint[] {
  return amount > 0n ? [{ amount, code, why }] : [];
}

async function beyondOneSend(db: Db, order: SendOrder, { reached, inputCost }: Shortage): Promise<Hint[]> {
  if (sendsFromOneAddress(order) || accountsPerSend(order) !== null) {
    return hint(
      await elsewhere(db, order, reached),
      'on_payment_addresses',
      'is on payment addresses and is swept here once it is settled and worth its fee: try again then',
    );
  }
  const { uneconomical, count } = await spendableTotal(db, order, inputCost);
  return [
    ...(count > MAX_RESERVED_OUTPUTS
      ? hint(await beyondReserved(db, order, inputCost), 'beyond_one_send', BEYOND)
      : []),
    ...hint(
      uneconomical,
      'uneconomical',
      'is dust at the current fee: outputs that cost more to spend than they hold',
    ),
  ];
}

const BEYOND = `is in outputs beyond the ${MAX_RESERVED_OUTPUTS} that one send gathers: send in two steps, or consolidate first`;

/** Value of the outputs beyond the reach of any send, because it gathers the largest first. */
async function beyondReserved(db: Db, order: SendOrder, inputCost: bigint): Promise<bigint> {
  const { amount } = await spendableTotal(db, order, inputCost);
  const reached = await spendableFunds(db, order, MAX_RESERVED_OUTPUTS);
  return amount - reached.reduce((sum, fund) => sum + fund.amount, 0n);
}

/** Outputs that sends are gathering, or that remain from gathering. */
async function setAside(db: Db, order: SendOrder): Promise<Hint[]> {
  const amount = await reservedForPreparing(db, order);
  return hint(amount, 'set_aside', 'is reserved by sends that gather their outputs, until these are signed');
}

/** On account chains: money that one send cannot reach yet. */
async function elsewhere(db: Db, order: SendOrder, reached: readonly Fund[]): Promise<bigint> {
  const everywhere = sendsFromOneAddress(order)
    ? await spendableFunds(db, order)
    : (await spendableAccounts(db, order, MAX_TOLD_ACCOUNTS)).map(({ fund }) => fund);
  const here = new Set(reached.map(({ address }) => address));
  const others = everywhere.filter(({ address }) => !here.has(address));
  return others.reduce((sum, fund) => sum + fund.amount, 0n);
}

/** Change of open sends that cannot be spent before it confirms. */
async function changeUnderWay(db: Db, order: SendOrder, reached: readonly Fund[]): Promise<Hint[]> {
  // The remainder of a single account is already included.
  if (sendsFromOneAddress(order)) return [];
  if (accountsPerSend(order) !== null) return remainderOfAccountsInUse(db, order, reached);
  const here = new Set(reached.map(({ ref }) => ref.txid));
  const spentOn = new Set<string>();
  const changes = new Map<string, bigint>();
  for (const send of await listOpenSends(db, order, MAX_OPEN)) {
    const current = (await listVersions(db, send.id)).find(({ version }) => version === send.version);
    if (current === undefined) continue;
    const plan = readPlan(current.planJson);
    for (const { ref } of plan.inputs) spentOn.add(ref.txid);
    if (plan.change !== null) changes.set(current.txid, plan.change.amount);
  }
  const waiting = [...changes].filter(([txid]) => !here.has(txid) && !spentOn.has(txid));
  const total = waiting.reduce((sum, [, amount]) => sum + amount, 0n);
  return hint(total, 'change_under_way', 'is change of sends in flight and waits for a block');
}

/**
 * Where a send empties whole accounts: money that accounts in use received since, and the remainder of sends
 * in flight if no further one may draw on it now. Sends that move money within the wallet cost only their
 * fee.
 */
async function remainderOfAccountsInUse(db: Db, order: SendOrder, reached: readonly Fund[]): Promise<Hint[]> {
  const idle = await spendableAccounts(db, order, MAX_TOLD_ACCOUNTS);
  const free = new Map(idle.map(({ fund }) => [fund.address, fund.amount]));
  let rest = await balanceOfAccountsInUse(db, order);
  // The remainder at the merchant address is already available.
  for (const { address, amount } of reached) rest -= amount - (free.get(address) ?? 0n);
  for (const { purpose, amount, fee } of await listOpenSends(db, order, MAX_OPEN)) {
    rest -= purpose === 'send' ? BigInt(amount) + BigInt(fee) : BigInt(fee);
  }
  return hint(
    rest,
    'change_under_way',
    'is on addresses that sends in flight draw on and waits until these are in a block',
  );
}

async function awaitedFunds(db: Db, order: SendOrder): Promise<Hint[]> {
  const { unconfirmed, immature, frozen } = await unspendableFunds(db, order);
  return [
    ...hint(unconfirmed, 'unconfirmed', 'is received and waits for a block'),
    ...hint(
      immature,
      'immature',
      `is in a block and waits for more confirmations${describeMaturity(order.coin)}`,
    ),
    ...hint(frozen, 'frozen', 'is frozen'),
    ...hint(
      await sumWatchOnly(db, order),
      'watched',
      'is on watched accounts: spend it with the wallet that has their keys',
    ),
  ];
}

function describeMaturity(coin: Coin): string {
  if (!isUtxoCoin(coin)) return '';
  return UTXO_COINS[coin].hasMweb ? ' (mined coins 100, peg-outs 6)' : ' (mined coins 100)';
}
