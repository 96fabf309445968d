import type { Creator } from '../../domain/actor.ts';
import { AppError } from '../../domain/errors.ts';
import { upsertDismissal } from '../../store/attention/dismissals.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import type { AttentionDeps } from './attention-deps.ts';
import { assertMayDismiss, type AttentionReader, findAttentionItem } from './list-attention.ts';

interface Dismissed {
  readonly id: string;
  readonly dismissedAt: string;
}

/**
 * Takes an item off the list until its state changes; a fault of the server, for a day. Its subject stays as it
 * is, and the list is the same for all people of the shop.
 * @throws {AppError} NOT_FOUND when nothing with this id waits for the reader; FORBIDDEN when the reader lacks the
 * permission to settle it
 */
export async function dismissItem(
  deps: AttentionDeps,
  reader: AttentionReader & { readonly actor: Creator },
  { id, note }: { readonly id: string; readonly note: string | null },
  storeResult: StoreResult<Dismissed> = storeNoResult,
): Promise<Dismissed> {
  const item = await findAttentionItem(deps, reader, id);
  if (item === undefined) throw new AppError('NOT_FOUND', 'Nothing with this id waits');
  assertMayDismiss(reader, item);
  const now = deps.clock.now();
  const dismissed = { id: item.id, dismissedAt: new Date(now).toISOString() };
  await deps.db.transaction(async (tx) => {
    await upsertDismissal(tx, {
      merchantId: reader.merchant.id,
      itemId: item.id,
      mark: item.mark ?? '',
      note,
      actorKind: reader.actor.kind,
      actorId: reader.actor.id,
      dismissedAt: now,
    });
    await storeResult(tx, dismissed);
  });
  return dismissed;
}
