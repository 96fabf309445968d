import type { ChainId } from '../../domain/coins.ts';
import { AppError } from '../../domain/errors.ts';
import { isoTime } from '../../domain/iso-time.ts';
import type { Clock } from '../../domain/ports.ts';
import {
  endApproval,
  findApproval,
  listHeld,
  type StoredApproval,
} from '../../store/sends/send-approvals.ts';
import type { Db } from '../../store/sqlite/database.ts';

/** A send that waits for an approval, as the operator sees it. */
export interface HeldFinding {
  readonly held: StoredApproval;
  /** It was ordered before a restore: it may have been approved and paid since. */
  readonly isRestored: boolean;
  readonly why: string;
}

const MOST = 500;

/** The sends of a chain that wait for an approval, oldest first. */
export async function examineHeld(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  chain: ChainId,
): Promise<HeldFinding[]> {
  const held = await listHeld(db, chain, clock.now(), MOST);
  return held.map((one) => {
    const isRestored = one.reasons.includes('restored');
    const waits = `it waits for an approval until ${isoTime(one.expiresAt)}`;
    const doubt = `; it is older than a restore, and may have been approved and paid since: check whether ${one.destination} received the amount, and if it did, run tillctl sends --expire ${one.id}`;
    return { held: one, isRestored, why: isRestored ? `${waits}${doubt}` : waits };
  });
}

/**
 * Ends the time of a send that waits for an approval, so that it cannot be approved any more; the daemon records its
 * expiry at its next round.
 * @throws {AppError} SEND_NOT_FOUND, INVALID_STATE
 */
export async function expireHeld(
  { db, clock }: { readonly db: Db; readonly clock: Clock },
  id: string,
): Promise<void> {
  const held = await findApproval(db, id);
  if (held === undefined) throw new AppError('SEND_NOT_FOUND', `no send ${id} waits for an approval`);
  const now = clock.now();
  const isOver = held.status === 'pending' && now >= held.expiresAt;
  if (await db.transaction(async (tx) => endApproval(tx, id, now))) return;
  throw new AppError('INVALID_STATE', `send ${id} is ${isOver ? 'expired' : held.status} already`);
}
