import { sql } from 'kysely';
import type { NonceSequence } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { isUnfrozen } from './wallet-freezes.ts';

/** Selects sends of one account. */
export interface NonceSequenceQuery extends ChainId {
  readonly address: string;
  /** Nonces below it are used up and excluded. */
  readonly fromNonce: number;
  /** A send to leave out. */
  readonly exceptSendId?: string;
}

/**
 * Nonces and money used by an account's sends: nonces of all that did not fail, and the money of the
 * unconfirmed ones. Inside a transaction the result stays valid until its end.
 */
export async function loadNonceSequence(db: Db, query: NonceSequenceQuery): Promise<NonceSequence> {
  const rows = await db
    .selectFrom('sends')
    .select(['id', 'nonce', 'status', 'amount', 'fee', 'height'])
    .where('lane', '=', query.address)
    .where('coin', '=', query.coin)
    .where('mode', '=', query.mode)
    .where('status', '<>', sql.lit('failed'))
    .where((eb) => eb.or([eb('nonce', '>=', query.fromNonce), eb('status', 'in', ['signed', 'broadcast'])]))
    .execute();
  const usedNonces = new Set(rows.flatMap(({ nonce }) => (nonce === null ? [] : [nonce])));
  const open = rows.filter(({ id, status }) => status !== 'confirmed' && id !== query.exceptSendId);
  // A send that reverted in a block has paid its fee, and keeps its amount in case a fork executes it again.
  const committed = open.reduce(
    (sum, { amount, fee, height }) => sum + BigInt(amount) + (height === null ? BigInt(fee) : 0n),
    0n,
  );
  return { usedNonces, committed };
}

/**
 * Whether a block up to a height contains another send of the same account that required this nonce to be
 * used first.
 */
export async function isNonceUsedBelow(
  db: Db,
  send: ChainId & { readonly id: string; readonly senderAddress: string; readonly nonce: number },
  upTo: number,
): Promise<boolean> {
  const later = await db
    .selectFrom('sends')
    .select('id')
    .where('lane', '=', send.senderAddress)
    .where('coin', '=', send.coin)
    .where('mode', '=', send.mode)
    .where('nonce', '>=', send.nonce)
    .where('height', '<=', upTo)
    .where('id', '<>', send.id)
    .limit(1)
    .executeTakeFirst();
  return later !== undefined;
}

/** A nonce that a failed send left unused below open sends of the same account, which wait for it. */
export interface NonceGap {
  readonly merchantId: string;
  readonly account: number;
  readonly address: string;
  readonly nonce: number;
}

/** The sum of the fee budgets of open sends that wait for a nonce of their account, atoms. */
export async function budgetsBehind(
  db: Db,
  chain: ChainId,
  { address, nonce }: Pick<NonceGap, 'address' | 'nonce'>,
): Promise<bigint> {
  const rows = await db
    .selectFrom('sends')
    .select('maxFee')
    .where('lane', '=', address)
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('nonce', '>', nonce)
    .where('status', 'in', ['signed', 'broadcast'])
    .execute();
  return rows.reduce((sum, { maxFee: budget }) => sum + BigInt(budget), 0n);
}

/** The gaps of a chain, lowest first, at most `limit` of them. */
export async function nonceGaps(db: Db, chain: ChainId, limit: number): Promise<NonceGap[]> {
  const rows = await db
    .selectFrom('sends as open')
    .innerJoin('sends as failed', 'failed.lane', 'open.lane')
    .innerJoin('merchants', 'merchants.id', 'open.merchantId')
    .select(['open.merchantId', 'merchants.account', 'open.lane', 'failed.nonce'])
    .distinct()
    .where('open.coin', '=', chain.coin)
    .where('open.mode', '=', chain.mode)
    .where(sql<boolean>`open.status in ('signed', 'broadcast')`)
    .where(isUnfrozen('open.merchant_id'))
    .where('failed.status', '=', sql.lit('failed'))
    // A send that reverted in a block has used its nonce.
    .where('failed.height', 'is', null)
    .whereRef('failed.nonce', '<', 'open.nonce')
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('sends as taker')
            .select('taker.id')
            .whereRef('taker.lane', '=', 'failed.lane')
            .whereRef('taker.nonce', '=', 'failed.nonce')
            .where('taker.status', '<>', sql.lit('failed')),
        ),
      ),
    )
    .orderBy('failed.nonce')
    .limit(limit)
    .execute();
  return rows.flatMap(({ merchantId, account, lane: address, nonce }) =>
    address === null || nonce === null ? [] : [{ merchantId, account, address, nonce }],
  );
}
