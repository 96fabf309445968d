import { sql } from 'kysely';
import type { Fund, OutputRef } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import { isOwn } from './address-index.ts';
import { isUnfrozen } from '../sends/wallet-freezes.ts';

/** The balance of one address that no send has reserved yet. */
export interface SpendableAccount {
  /** The whole balance, identified by one of its parts: an account is spent as a whole. */
  readonly fund: Fund;
  /** The merchant's own account, which payments do not use. */
  readonly isWallet: boolean;
  /** Height of the newest part. */
  readonly height: number;
}

/**
 * A merchant's accounts with spendable money, on chains where an account is spent as a whole: the merchant's
 * own first, then the largest. One row per account, however many parts it has, because anyone can pay a
 * lamport ten thousand times.
 */
export async function spendableAccounts(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
  limit: number,
): Promise<SpendableAccount[]> {
  const { coin, mode, merchantId } = wallet;
  const total = sql`sum(cast(outputs.amount as bigint))`;
  const isWallet = sql<number>`case when addresses.purpose = 'wallet' then 1 else 0 end`;
  const rows = await idle(db, wallet)
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .where('outputs.merchantId', '=', merchantId)
    .groupBy(['addresses.id', 'addresses.address', 'addresses.purpose', 'addresses.branch'])
    .groupBy(['addresses.idx', 'merchants.account'])
    .select(['addresses.address', 'addresses.branch', 'addresses.idx', 'merchants.account'])
    // As text, because a sum of lamports may exceed the exact range of a double.
    .select([
      sql<string>`cast(${total} as text)`.as('amount'),
      sql<string>`min(outputs.txid || ':' || outputs.vout)`.as('part'),
      isWallet.as('isWallet'),
      sql<number>`max(outputs.height)`.as('height'),
    ])
    .orderBy(isWallet, 'desc')
    .orderBy(total, 'desc')
    .orderBy('addresses.address')
    .limit(limit)
    .execute();
  return rows.map(({ address, account, branch, idx, amount, part, isWallet, height }) => {
    const ref = parseRef(part);
    const keyPath = { coin, mode, account, branch, index: idx };
    return { fund: { ref, amount: BigInt(amount), address, keyPath }, isWallet: isWallet === 1, height };
  });
}

/**
 * Merchants with more than `most` payment addresses to spend from. In random order, so that merchants whose deposits
 * are not worth moving do not starve the others.
 */
export async function fragmentedMerchants(
  db: Db,
  chain: ChainId,
  options: { readonly most: number; readonly limit: number },
): Promise<{ merchantId: string; account: number }[]> {
  const addresses = sql<number>`count(distinct outputs.address_id)`;
  const rows = await idle(db, chain)
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .where('addresses.purpose', '!=', 'wallet')
    .where(isUnfrozen('outputs.merchant_id'))
    .groupBy(['outputs.merchantId', 'merchants.account'])
    .having(addresses, '>', options.most)
    .select(['outputs.merchantId', 'merchants.account'])
    .orderBy(sql`random()`)
    .limit(options.limit)
    .execute();
  return rows.map(({ merchantId, account }) => ({ merchantId, account }));
}

/** `txid:index` → the output. */
export function parseRef(part: string): OutputRef {
  const colon = part.lastIndexOf(':');
  return { txid: part.slice(0, colon), index: Number(part.slice(colon + 1)) };
}

/** Reserves the remaining parts of accounts when a send has reserved one part. */
export async function reserveWholeAccounts(tx: Tx, sendId: string): Promise<void> {
  const drawn = tx
    .selectFrom('outputs as taken')
    .select('taken.addressId')
    .where('taken.sendId', '=', sendId);
  await tx
    .updateTable('outputs')
    .set({ sendId })
    .where('state', '=', sql.lit('confirmed'))
    .where('spentHeight', 'is', null)
    .where('spentBy', 'is', null)
    .where('sendId', 'is', null)
    .where('addressId', 'in', drawn)
    .execute();
}

/** Confirmed money on a merchant's accounts that open sends draw on, reserved parts included; lamports. */
export async function balanceOfAccountsInUse(
  db: Db,
  wallet: ChainId & { readonly merchantId: string },
): Promise<bigint> {
  const { drawn, leaving, awaited } = accountsInUse(db, wallet);
  const row = await db
    .selectFrom('outputs')
    .select(sql<string>`cast(coalesce(sum(cast(outputs.amount as bigint)), 0) as text)`.as('amount'))
    .where('outputs.merchantId', '=', wallet.merchantId)
    .where('outputs.coin', '=', wallet.coin)
    .where('outputs.mode', '=', wallet.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where('outputs.spentHeight', 'is', null)
    .where((eb) =>
      eb.or([drawn, leaving, awaited].map((accounts) => eb('outputs.addressId', 'in', accounts))),
    )
    .executeTakeFirstOrThrow();
  return BigInt(row.amount);
}

/**
 * Money received by an account while a send draws on it waits for that send, because two sends would
 * conflict. The accounts in use are found once, not for every part: they are few, parts may be many.
 */
function idle(db: Db, chain: ChainId) {
  const { drawn, leaving, awaited } = accountsInUse(db, chain);
  // Literals, not parameters: only then can the planner prove that the partial index applies.
  return db
    .selectFrom('outputs')
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where(isOwn)
    .where('outputs.spentBy', 'is', null)
    .where('outputs.sendId', 'is', null)
    .where('outputs.addressId', 'not in', drawn)
    .where('outputs.addressId', 'not in', leaving)
    .where('outputs.addressId', 'not in', awaited);
}

function accountsInUse(db: Db, { coin, mode }: ChainId) {
  const drawn = db
    .selectFrom('outputs as drawn')
    .select('drawn.addressId')
    .where('drawn.coin', '=', coin)
    .where('drawn.mode', '=', mode)
    .where('drawn.sendId', 'is not', null)
    .where('drawn.spentBy', 'is', null);
  const leaving = db
    .selectFrom('outputs as left')
    .select('left.addressId')
    .where('left.coin', '=', coin)
    .where('left.mode', '=', mode)
    .where('left.spentBy', 'is not', null)
    .where('left.spentHeight', 'is', null);
  // Money there is promised to the open sends that draw on it. A send older than a restore may have none of
  // it any more, because a newer send has landed since, and left what it may still use.
  const awaited = db
    .selectFrom('sends as waiting')
    .innerJoin('send_versions as current', (join) =>
      join.onRef('current.sendId', '=', 'waiting.id').onRef('current.version', '=', 'waiting.version'),
    )
    .innerJoin('addresses as promised', (join) =>
      join
        .onRef('promised.coin', '=', 'waiting.coin')
        .onRef('promised.mode', '=', 'waiting.mode')
        .onRef('promised.address', '=', 'waiting.queueAccount'),
    )
    .select('promised.id')
    .where('waiting.coin', '=', coin)
    .where('waiting.mode', '=', mode)
    .where('waiting.queueAccount', 'is not', null)
    .where(sql<boolean>`waiting.status in ('signed', 'broadcast')`)
    .where('waiting.height', 'is', null)
    .where(sql<boolean>`(waiting.queued = 1 or cast(current.balance_change as integer) < 0)`);
  return { drawn, leaving, awaited };
}
