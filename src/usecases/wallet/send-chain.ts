import type { Db } from '../../store/database.ts';
import { MAX_ANCESTORS } from '../../domain/send/package-fee.ts';
import { changeOf } from '../../store/own-change.ts';
import { findSend, type StoredSend } from '../../store/sends.ts';

/** The open send that spends the unconfirmed change of this one; undefined when none does. */
async function childOf(db: Db, send: StoredSend): Promise<StoredSend | undefined> {
  const change = await changeOf(db, send, send.txid);
  if (change === null || change.heldBy === null) return undefined;
  const child = await findSend(db, change.heldBy);
  return child !== undefined && isOpen(child) ? child : undefined;
}

/**
 * The last of the sends that spend, one after the other, the unconfirmed change of this one; itself when there is
 * none. Only that one may be replaced: a new version of any before it would take the inputs of those behind it.
 */
export async function lastOfChain(db: Db, send: StoredSend): Promise<StoredSend> {
  let last = send;
  for (let depth = 0; depth <= MAX_ANCESTORS; depth += 1) {
    const child = await childOf(db, last);
    if (child === undefined) return last;
    last = child;
  }
  return last;
}

export function isOpen({ status }: StoredSend): boolean {
  return status === 'signed' || status === 'broadcast';
}
