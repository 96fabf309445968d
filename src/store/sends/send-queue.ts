import { sql } from 'kysely';
import { STORED_TRUE } from '../sqlite/column-names.ts';
import type { ChainId } from '../../domain/coins.ts';
import type { QueueMember } from '../../domain/send/queue.ts';
import type { Db } from '../sqlite/database.ts';
import { isUnseen, unseenUntil } from './unseen-payments.ts';
import { isUnfrozen } from './wallet-freezes.ts';

/** An open send of a merchant address, with its current transaction. */
export interface StoredQueueMember extends QueueMember {
  readonly txid: string;
}

/** The open sends of a merchant address that are in no block, in queue order. Bounded, like the queue. */
export async function listQueue(db: Db, account: string): Promise<StoredQueueMember[]> {
  const rows = await db
    .selectFrom('sends')
    .innerJoin('send_versions', (join) =>
      join
        .onRef('send_versions.sendId', '=', 'sends.id')
        .onRef('send_versions.version', '=', 'sends.version'),
    )
    .select([
      'sends.id',
      'sends.coin',
      'sends.mode',
      'sends.createdAt',
      'sends.queuePosition',
      'sends.queued',
      'send_versions.txid',
      'send_versions.balanceChange',
    ])
    .where('sends.queueAccount', '=', account)
    // A literal, not a parameter: only then can the planner prove that the partial index applies.
    .where(sql<boolean>`sends.status in ('signed', 'broadcast')`)
    .where('sends.height', 'is', null)
    .orderBy('sends.queuePosition')
    .execute();
  const [first] = rows;
  const until = first === undefined ? 0 : await unseenUntil(db, first);
  const members: StoredQueueMember[] = [];
  for (const row of rows) {
    const { id, queuePosition: position, queued, txid, balanceChange: change } = row;
    members.push({
      id,
      position: position ?? 0,
      isQueued: queued,
      isPossiblyPaid: await isUnseen(db, row, until),
      balanceChange: BigInt(change ?? 0),
      txid,
    });
  }
  return members;
}

/** The position behind all sends that this address ever had. */
export async function nextQueuePosition(db: Db, account: string): Promise<number> {
  const row = await db
    .selectFrom('sends')
    .select((eb) => eb.fn.max('queuePosition').as('last'))
    .where('queueAccount', '=', account)
    .executeTakeFirst();
  return (row?.last ?? 0) + 1;
}

/**
 * Addresses of a chain with queued sends; at most `limit`, in random order, so that a stuck one does not
 * starve the others. Leaves out those of frozen wallets, whose bytes no node has.
 */
export async function accountsWithQueue(db: Db, chain: ChainId, limit: number): Promise<string[]> {
  const rows = await db
    .selectFrom('sends')
    .select('queueAccount')
    .distinct()
    .where('coin', '=', chain.coin)
    .where('mode', '=', chain.mode)
    .where('queued', '=', STORED_TRUE)
    .where(isUnfrozen('sends.merchant_id'))
    .orderBy(sql`random()`)
    .limit(limit)
    .execute();
  return rows.flatMap(({ queueAccount: account }) => (account === null ? [] : [account]));
}
