import { sql } from 'kysely';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';
import { isOwn } from './address-index.ts';
import { isUnfrozen } from '../sends/wallet-freezes.ts';

/** Settled money on one payment's address. */
export interface Deposit {
  readonly merchantId: string;
  readonly account: number;
  readonly address: string;
  readonly amount: bigint;
}

export interface SettledUpTo {
  /** The highest block that counts. */
  readonly height: number;
  /** Leaves out addresses whose sweep failed since this time. */
  readonly failedBefore: number;
  readonly now: number;
}

/** Outputs read in one round. */
const MAX_OUTPUTS = 1_000;

/**
 * Payment addresses, recovered ones included, with money in blocks up to a height, largest first; without
 * those with a sweep in flight or recently failed.
 * @param among only these addresses, or all except these; a few thousand at most
 */
export async function settledDeposits(
  db: Db,
  chain: ChainId,
  upTo: SettledUpTo,
  among: { readonly only?: readonly string[]; readonly except?: readonly string[] } = {},
): Promise<Deposit[]> {
  const { only, except = [] } = among;
  const rows = await db
    .selectFrom('outputs')
    .innerJoin('addresses', 'addresses.id', 'outputs.addressId')
    .innerJoin('merchants', 'merchants.id', 'outputs.merchantId')
    .select(['outputs.merchantId', 'outputs.amount', 'addresses.address', 'merchants.account'])
    .where('outputs.coin', '=', chain.coin)
    .where('outputs.mode', '=', chain.mode)
    .where('outputs.state', '=', sql.lit('confirmed'))
    .where(isOwn)
    .where('outputs.spentHeight', 'is', null)
    .where('outputs.height', '<=', upTo.height)
    .where('addresses.purpose', 'in', ['payment', 'recovered'])
    .where(isUnfrozen('outputs.merchant_id'))
    .$if(only !== undefined, (query) => query.where('addresses.address', 'in', only ?? []))
    .$if(except.length > 0, (query) => query.where('addresses.address', 'not in', except))
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('sends')
            .select('sends.id')
            .whereRef('sends.lane', '=', 'addresses.address')
            .where((or) =>
              or.or([
                or('sends.status', 'in', ['signed', 'broadcast']),
                or.and([
                  or('sends.status', '=', sql.lit('failed')),
                  or('sends.updatedAt', '>', upTo.failedBefore),
                  // Later timestamps stem from a clock that was set back since.
                  or('sends.updatedAt', '<=', upTo.now),
                ]),
              ]),
            ),
        ),
      ),
    )
    .orderBy((eb) => eb.fn<number>('length', ['outputs.amount']), 'desc')
    .orderBy('outputs.amount', 'desc')
    .limit(MAX_OUTPUTS)
    .execute();
  const deposits = new Map<string, Deposit>();
  for (const { merchantId, account, address, amount } of rows) {
    const before = deposits.get(address)?.amount ?? 0n;
    deposits.set(address, { merchantId, account, address, amount: before + BigInt(amount) });
  }
  return [...deposits.values()].sort((a, b) => (a.amount < b.amount ? 1 : a.amount > b.amount ? -1 : 0));
}
