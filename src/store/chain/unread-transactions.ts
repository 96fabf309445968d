import type { UnreadStore } from '../../domain/chain.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { Db } from '../sqlite/database.ts';

/** The transactions of a chain that could not be parsed, oldest first. */
export function unreadStore(db: Db, { coin, mode }: ChainId): UnreadStore {
  return {
    list: async () => {
      const rows = await db
        .selectFrom('unread_transactions')
        .selectAll()
        .where('coin', '=', coin)
        .where('mode', '=', mode)
        .orderBy('first_seen_at')
        .execute();
      return rows.map((row) => ({
        txid: row.txid,
        height: row.height,
        watchKey: row.watch_key,
        reason: row.reason,
        isUnknownVersion: row.unknown_version === 1,
        firstSeenAt: row.first_seen_at,
        attempts: row.attempts,
        retryAt: row.retry_at,
      }));
    },
    put: async (transaction) => {
      const state = {
        height: transaction.height,
        watch_key: transaction.watchKey,
        reason: transaction.reason,
        unknown_version: transaction.isUnknownVersion ? (1 as const) : (0 as const),
        attempts: transaction.attempts,
        retry_at: transaction.retryAt,
      };
      await db.transaction(async (tx) => {
        await tx
          .insertInto('unread_transactions')
          .values({ coin, mode, txid: transaction.txid, first_seen_at: transaction.firstSeenAt, ...state })
          .onConflict((conflict) => conflict.columns(['coin', 'mode', 'txid']).doUpdateSet(state))
          .execute();
      });
    },
    remove: async (txid) => {
      await db.transaction(async (tx) => {
        await tx
          .deleteFrom('unread_transactions')
          .where('coin', '=', coin)
          .where('mode', '=', mode)
          .where('txid', '=', txid)
          .execute();
      });
    },
  };
}
