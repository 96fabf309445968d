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
        .orderBy('firstSeenAt')
        .execute();
      return rows.map((row) => ({
        txid: row.txid,
        height: row.height,
        watchKey: row.watchKey,
        reason: row.reason,
        isUnknownVersion: row.unknownVersion,
        firstSeenAt: row.firstSeenAt,
        attempts: row.attempts,
        retryAt: row.retryAt,
      }));
    },
    put: async (transaction) => {
      const state = {
        height: transaction.height,
        watchKey: transaction.watchKey,
        reason: transaction.reason,
        unknownVersion: transaction.isUnknownVersion,
        attempts: transaction.attempts,
        retryAt: transaction.retryAt,
      };
      await db.transaction(async (tx) => {
        await tx
          .insertInto('unread_transactions')
          .values({ coin, mode, txid: transaction.txid, firstSeenAt: transaction.firstSeenAt, ...state })
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
