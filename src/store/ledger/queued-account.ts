import { sql } from 'kysely';
import { accountsPerSend } from '../../domain/accounts.ts';
import type { Fund } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import { balanceAfterQueue, balanceExcludingQueue } from '../../domain/send/queue.ts';
import { listQueue, type StoredQueueMember } from '../sends/send-queue.ts';
import { parseRef } from './spendable-accounts.ts';
import type { Db, Tx } from '../sqlite/database.ts';

interface Wallet extends ChainId {
  readonly merchantId: string;
}

/** The merchant address of a wallet and its confirmed money. */
interface MerchantAccount {
  readonly address: string;
  readonly account: number;
  readonly parts: readonly Part[];
}

/** Parts of its balance with the same fate, as one: anyone can pay a lamport ten thousand times. */
interface Part {
  readonly ref: Fund['ref'];
  readonly amount: bigint;
  readonly sendId: string | null;
  readonly spentBy: string | null;
}

/**
 * Where a send draws on whole accounts: the merchant address in its state after all sends in flight that draw
 * on it or pay into it. Null where there are none, where the queue is full, and where another transaction
 * draws on it.
 */
export async function accountAfterQueue(db: Db, wallet: Wallet): Promise<Fund | null> {
  return accountWithQueue(db, wallet, (balance, members) => {
    if (members.length === 0) return null;
    return balanceAfterQueue(balance, members);
  });
}

/** The same for a send at its turn that is planned again: the remainder of the other sends. */
export async function accountExcludingQueue(db: Db, wallet: Wallet, sendId: string): Promise<Fund | null> {
  return accountWithQueue(db, wallet, (balance, members, isFree) => {
    const others = members.filter(({ id }) => id !== sendId);
    return others.length === members.length || !isFree ? null : balanceExcludingQueue(balance, others);
  });
}

async function accountWithQueue(
  db: Db,
  wallet: Wallet,
  rest: (balance: bigint, members: readonly StoredQueueMember[], isFree: boolean) => bigint | null,
): Promise<Fund | null> {
  if (accountsPerSend(wallet) === null) return null;
  const merchant = await merchantAccount(db, wallet);
  if (merchant === null) return null;
  const { address, account, parts } = merchant;
  const members = await listQueue(db, address);
  if (isDrawnOnByOthers(parts, members)) return null;
  const balance = parts.reduce((sum, part) => sum + part.amount, 0n);
  const free = parts.find(({ sendId, spentBy }) => sendId === null && spentBy === null);
  const amount = rest(balance, members, free !== undefined);
  if (amount === null) return null;
  // The remainder of the last one is an output of its transaction, which does not exist yet.
  const ref = free?.ref ?? { txid: members.at(-1)?.txid ?? '', index: 0 };
  const { coin, mode } = wallet;
  return { ref, amount, address, keyPath: { coin, mode, account, branch: 0, index: 0 } };
}

/** Whether a transaction other than these sends draws on the account: an old send, or a foreign one. */
function isDrawnOnByOthers(parts: readonly Part[], members: readonly StoredQueueMember[]): boolean {
  const ids = new Set(members.map(({ id }) => id));
  const txids = new Set(members.map(({ txid }) => txid));
  return parts.some(
    ({ sendId, spentBy }) =>
      (sendId !== null && !ids.has(sendId)) || (spentBy !== null && !txids.has(spentBy)),
  );
}

/** Reserves the free money of a merchant address for the send that draws on it next. */
export async function reserveAccount(tx: Tx, chain: ChainId, address: string, sendId: string): Promise<void> {
  const account = tx
    .selectFrom('addresses')
    .select('addresses.id')
    .where('addresses.coin', '=', chain.coin)
    .where('addresses.mode', '=', chain.mode)
    .where('addresses.address', '=', address);
  await tx
    .updateTable('outputs')
    .set({ sendId })
    .where('addressId', 'in', account)
    .where('state', '=', sql.lit('confirmed'))
    .where('spentHeight', 'is', null)
    .where('spentBy', 'is', null)
    .where('sendId', 'is', null)
    .execute();
}

async function merchantAccount(db: Db, wallet: Wallet): Promise<MerchantAccount | null> {
  const rows = await db
    .selectFrom('addresses')
    .innerJoin('merchants', 'merchants.id', 'addresses.merchantId')
    .leftJoin('outputs', (join) =>
      join
        .onRef('outputs.addressId', '=', 'addresses.id')
        .on('outputs.state', '=', sql.lit('confirmed'))
        .on('outputs.spentHeight', 'is', null),
    )
    .select(['addresses.address', 'merchants.account'])
    .select(['outputs.sendId', 'outputs.spentBy'])
    .select([
      sql<string | null>`min(outputs.txid || ':' || outputs.vout)`.as('part'),
      sql<string>`cast(coalesce(sum(cast(outputs.amount as bigint)), 0) as text)`.as('amount'),
    ])
    .groupBy(['addresses.address', 'merchants.account', 'outputs.sendId', 'outputs.spentBy'])
    .where('addresses.merchantId', '=', wallet.merchantId)
    .where('addresses.coin', '=', wallet.coin)
    .where('addresses.mode', '=', wallet.mode)
    .where('addresses.branch', '=', 0)
    .where('addresses.idx', '=', 0)
    .execute();
  const [first] = rows;
  if (first === undefined) return null;
  const parts = rows.flatMap(({ part, amount, sendId, spentBy }) =>
    part === null ? [] : [{ ref: parseRef(part), amount: BigInt(amount), sendId, spentBy }],
  );
  return { address: first.address, account: first.account, parts };
}
