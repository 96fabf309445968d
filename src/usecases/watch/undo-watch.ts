import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import { insertAudit } from '../../store/audit-log.ts';
import { findWatchAccount, type WatchAccount } from '../../store/ledger/watch-accounts.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { sealClient } from '../accounts/index.ts';
import { dropPending } from './confirm-watch.ts';
import { showTime } from './record-watch.ts';
import type { WatchDeps } from './watch-deps.ts';

const PURPOSE = 'watch-undo';
const TOKEN_MAX = 1_000;
const token = z.tuple([z.literal(PURPOSE), z.string(), z.string()]);

/** The address of the page that drops one pending account; it has no other effect, and needs no sign-in. */
export function undoWatchUrl(
  deps: { readonly baseUrl: string; readonly secretBox: SecretBox },
  { watchId, pendingId }: { readonly watchId: string; readonly pendingId: string },
): string {
  const sealed = deps.secretBox.seal(JSON.stringify([PURPOSE, watchId, pendingId]));
  return `${deps.baseUrl}/notices/watch?token=${encodeURIComponent(sealed)}`;
}

/** A pending account as that page shows it. */
export interface PendingWatch {
  readonly shop: string;
  readonly coin: string;
  readonly takesEffectAt: string;
}

export type UndoWatchDeps = Pick<WatchDeps, 'db' | 'clock' | 'logger' | 'secretBox'>;

/** The change that a token names. @throws {AppError} VALIDATION_INVALID where it is not pending */
export async function readPendingWatch(deps: UndoWatchDeps, text: string): Promise<PendingWatch> {
  return (await findPending(deps.db, deps, text)).view;
}

/** Drops the change that a token names. @throws {AppError} VALIDATION_INVALID where it is not pending */
export async function undoWatch(deps: UndoWatchDeps, text: string): Promise<PendingWatch> {
  return deps.db.transaction(async (tx) => {
    const { account, view } = await findPending(tx, deps, text);
    await dropPending(tx, deps, account);
    await insertAudit(tx, {
      at: deps.clock.now(),
      merchantId: account.merchantId,
      actorKind: 'daemon',
      actorId: account.id,
      actorName: 'Link in an email',
      action: 'watched account undone',
      objectId: account.id,
      clientSealed: sealClient(deps.secretBox, { address: 'this machine', userAgent: 'tilld' }),
      result: 'OK',
    });
    return view;
  });
}

async function findPending(
  db: Db,
  { secretBox, clock }: Pick<UndoWatchDeps, 'secretBox' | 'clock'>,
  text: string,
): Promise<{ readonly account: WatchAccount; readonly view: PendingWatch }> {
  const [watchId, pendingId] = openToken(secretBox, text);
  const account = await findWatchAccount(db, watchId);
  const merchant = account && (await findMerchant(db, account.merchantId));
  const startsAt = account?.startsAt ?? 0;
  if (account === undefined || merchant === undefined || account.pendingId !== pendingId) throw invalid();
  if (startsAt <= clock.now()) throw invalid();
  return {
    account,
    view: { shop: merchant.name, coin: account.coin, takesEffectAt: showTime(startsAt) },
  };
}

function openToken(secretBox: SecretBox, text: string): [watchId: string, pendingId: string] {
  try {
    if (text.length > TOKEN_MAX) throw new RangeError('the token exceeds the maximum length');
    const [, watchId, pendingId] = token.parse(JSON.parse(secretBox.open(text)));
    return [watchId, pendingId];
  } catch (error) {
    throw invalid(error);
  }
}

function invalid(cause?: unknown): AppError {
  return new AppError('VALIDATION_INVALID', 'token: this change is not pending', { cause });
}
