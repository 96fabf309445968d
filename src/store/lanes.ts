import type { Lane } from '../domain/chain.ts';
import type { ChainId } from '../domain/coins.ts';
import type { Db } from './database.ts';

/** Which sends of one account are meant. */
export interface LaneQuery extends ChainId {
  readonly address: string;
  /** Nonces below it are past and not asked for. */
  readonly fromNonce: number;
  /** A send whose own share is left out. */
  readonly exceptSendId?: string;
}

/**
 * What the sends of an account have taken: nonces of all that did not fail, and the money of those
 * that no block holds yet. Inside a transaction it holds until its end.
 */
export async function laneOf(db: Db, query: LaneQuery): Promise<Lane> {
  const rows = await db
    .selectFrom('sends')
    .select(['id', 'nonce', 'status', 'amount', 'fee'])
    .where('lane', '=', query.address)
    .where('coin', '=', query.coin)
    .where('mode', '=', query.mode)
    .where('status', '<>', 'failed')
    .where((eb) => eb.or([eb('nonce', '>=', query.fromNonce), eb('status', 'in', ['signed', 'broadcast'])]))
    .execute();
  const taken = new Set(rows.flatMap(({ nonce }) => (nonce === null ? [] : [nonce])));
  const open = rows.filter(({ id, status }) => status !== 'confirmed' && id !== query.exceptSendId);
  const committed = open.reduce((sum, { amount, fee }) => sum + BigInt(amount) + BigInt(fee), 0n);
  return { taken, committed };
}
