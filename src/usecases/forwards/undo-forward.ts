import { z } from 'zod';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { ForwardRule } from '../../domain/send/forward.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import { findForwardById } from '../../store/sends/wallet-forwards.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { dropDestination } from './edit-forward.ts';
import { auditForward, showTime } from './record-forward.ts';

const PURPOSE = 'forward-undo';
const TOKEN_MAX = 1_000;
const token = z.tuple([z.literal(PURPOSE), z.string(), z.string()]);

/** The change that a link of a mail drops. */
export interface UndoRef {
  readonly forwardId: string;
  readonly pendingId: string;
}

/** The address of the page that drops one pending destination; it has no other effect, and needs no sign-in. */
export function undoForwardUrl(
  deps: { readonly baseUrl: string; readonly secretBox: SecretBox },
  { forwardId, pendingId }: UndoRef,
): string {
  const sealed = deps.secretBox.seal(JSON.stringify([PURPOSE, forwardId, pendingId]));
  return `${deps.baseUrl}/notices/forward?token=${encodeURIComponent(sealed)}`;
}

/** A pending destination as that page shows it. */
export interface PendingForward {
  readonly shop: string;
  readonly coin: string;
  readonly takesEffectAt: string;
}

export interface UndoForwardDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly secretBox: SecretBox;
}

/** The change that a token names. @throws {AppError} VALIDATION_INVALID where it is not pending */
export async function readPendingForward(deps: UndoForwardDeps, text: string): Promise<PendingForward> {
  return (await findPending(deps.db, openToken(deps.secretBox, text))).view;
}

/** Drops the change that a token names. @throws {AppError} VALIDATION_INVALID where it is not pending */
export async function undoForward(deps: UndoForwardDeps, text: string): Promise<PendingForward> {
  const ref = openToken(deps.secretBox, text);
  return deps.db.transaction(async (tx) => {
    const { rule, view } = await findPending(tx, ref);
    await dropDestination(tx, deps, rule);
    const by = 'Link in an email';
    await auditForward(tx, deps, rule, {
      action: 'forward change undone',
      objectId: rule.id,
      result: 'OK',
      by,
    });
    return view;
  });
}

/** One whose time has come counts as pending until it was used. */
async function findPending(
  db: Db,
  { forwardId, pendingId }: UndoRef,
): Promise<{ readonly rule: ForwardRule; readonly view: PendingForward }> {
  const rule = await findForwardById(db, forwardId);
  const merchant = rule === undefined ? undefined : await findMerchant(db, rule.merchantId);
  const pending = rule?.pending ?? null;
  if (rule === undefined || merchant === undefined || pending?.id !== pendingId) throw invalid();
  const view = { shop: merchant.name, coin: rule.coin, takesEffectAt: showTime(pending.at) };
  return { rule, view };
}

function openToken(secretBox: SecretBox, text: string): UndoRef {
  try {
    if (text.length > TOKEN_MAX) throw new RangeError('the token exceeds the maximum length');
    const [, forwardId, pendingId] = token.parse(JSON.parse(secretBox.open(text)));
    return { forwardId, pendingId };
  } catch (error) {
    throw invalid(error);
  }
}

function invalid(cause?: unknown): AppError {
  return new AppError('VALIDATION_INVALID', 'token: this change is not pending', { cause });
}
