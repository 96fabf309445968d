import type { Db } from '../../../store/sqlite/database.ts';
import { isOpen } from '../../../domain/send/send-status.ts';
import { MAX_ANCESTORS } from '../../../domain/send/package-fee.ts';
import { findChangeOutput } from '../../../store/ledger/own-change.ts';
import { findSend, type StoredSend } from '../../../store/sends/sends.ts';

/** The open send that spends this one's unconfirmed change; undefined when none does. */
async function findChild(db: Db, send: StoredSend): Promise<StoredSend | undefined> {
  const change = send.txid === null ? null : await findChangeOutput(db, send, send.txid);
  if (change === null || change.heldBy === null) return undefined;
  const child = await findSend(db, change.heldBy);
  return child !== undefined && isOpen(child) ? child : undefined;
}

/** A send followed by the open sends that spend, each in turn, the unconfirmed change of the previous one. */
export type SendChain = readonly [StoredSend, ...StoredSend[]];

/**
 * The chain that starts with a send. Only the last one may be replaced: a new version of an earlier one would
 * invalidate the inputs of its descendants.
 */
export async function findSendChain(db: Db, first: StoredSend): Promise<SendChain> {
  const chain: [StoredSend, ...StoredSend[]] = [first];
  let last = first;
  for (let depth = 0; depth <= MAX_ANCESTORS; depth += 1) {
    const child = await findChild(db, last);
    if (child === undefined) return chain;
    chain.push(child);
    last = child;
  }
  return chain;
}

/** The send of the chain that may be replaced; the send itself when no other spends its change. */
export async function lastOfChain(db: Db, send: StoredSend): Promise<StoredSend> {
  return (await findSendChain(db, send)).at(-1) ?? send;
}
