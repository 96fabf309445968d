import { randomBytes } from 'node:crypto';
import type { Actor } from '../../domain/actor.ts';
import type { NoticeReason } from '../../domain/notices.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import { findUser } from '../../store/accounts/users.ts';
import { listRestrictedKeys } from '../../store/merchants/restricted-keys.ts';
import { findMerchant } from '../../store/merchants/merchants.ts';
import {
  ALL_WALLETS,
  deleteFreeze,
  findFreezes,
  insertFreeze,
  type WalletFreeze,
} from '../../store/sends/wallet-freezes.ts';
import { insertShopNotices } from '../../store/notices/notices.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { findOwnMerchant } from '../access/index.ts';

export interface FreezeDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
}

export interface FreezeView {
  readonly frozen: boolean;
  /** All wallets of this server: only its operator unfreezes them. */
  readonly byOperator: boolean;
  readonly frozenAt: number | null;
  readonly frozenBy: string | null;
  readonly reason: string | null;
}

/** Whether a merchant's wallet is frozen, since when, by whom and why. */
export async function getFreeze(db: Db, merchantId: string): Promise<FreezeView> {
  const [freeze] = await findFreezes(db, merchantId);
  return view(freeze);
}

function view(freeze: WalletFreeze | undefined): FreezeView {
  return {
    frozen: freeze !== undefined,
    byOperator: freeze?.subject === ALL_WALLETS,
    frozenAt: freeze?.frozenAt ?? null,
    frozenBy: freeze?.frozenBy ?? null,
    reason: freeze?.reason ?? null,
  };
}

/**
 * Freezes a merchant's wallet: from the end of this transaction on nothing is signed for it except
 * cancellations; what is signed already may still be mined. Payments continue, and claims of refund links
 * wait. Freezing it again changes nothing.
 */
export async function freezeWallet(
  { db, clock, logger }: FreezeDeps,
  input: { readonly merchantId: string; readonly actor: Actor; readonly reason: string | null },
): Promise<FreezeView> {
  const { merchantId, actor, reason } = input;
  return db.transaction(async (tx) => {
    const frozenBy = await nameActor(tx, merchantId, actor);
    const isNew = await freeze(tx, { subject: merchantId, frozenAt: clock.now(), frozenBy, reason });
    if (isNew) logger.warn({ merchantId, actor: actor.kind, actorId: actor.id }, 'wallet frozen');
    return getFreeze(tx, merchantId);
  });
}

/**
 * Lifts the freeze of a merchant's wallet, for its owner; that of all wallets stays.
 * @throws {AppError} MERCHANT_NOT_FOUND; FORBIDDEN for users other than the owner.
 */
export async function unfreezeWallet(
  { db, clock, logger }: FreezeDeps,
  { userId, merchantId }: { readonly userId: string; readonly merchantId: string },
): Promise<FreezeView> {
  return db.transaction(async (tx) => {
    const { id } = await findOwnMerchant(tx, userId, merchantId);
    if (await unfreeze(tx, id, clock.now())) logger.warn({ merchantId: id, userId }, 'wallet unfrozen');
    return getFreeze(tx, id);
  });
}

/** Every freeze and unfreeze of this file: the people of the shops are notified in its transaction. */
async function freeze(tx: Tx, row: WalletFreeze): Promise<boolean> {
  if (!(await insertFreeze(tx, row))) return false;
  const reason = row.subject === ALL_WALLETS ? 'wallets_frozen' : 'wallet_frozen';
  await storeNotices(tx, { reason, subject: row.subject, at: row.frozenAt });
  return true;
}

async function unfreeze(tx: Tx, subject: string, at: number): Promise<boolean> {
  if (!(await deleteFreeze(tx, subject, at))) return false;
  await storeNotices(tx, { reason: 'wallet_unfrozen', subject, at });
  return true;
}

/** Without the reason of the freeze, because a thief with a key could write a mail of this server by it. */
async function storeNotices(
  tx: Tx,
  of: { readonly reason: NoticeReason; readonly subject: string; readonly at: number },
): Promise<void> {
  const { reason, subject, at } = of;
  const notice = {
    mode: 'live',
    subject,
    detailsJson: '{}',
    createdAt: at,
    dueAt: at,
    toldAt: null,
  } as const;
  const key = `${reason} ${randomBytes(8).toString('hex')}`;
  await insertShopNotices(tx, { ...notice, key, reason }, subject === ALL_WALLETS ? null : subject);
}

async function nameActor(db: Db, merchantId: string, { kind, id }: Actor): Promise<string> {
  if (kind === 'user') return (await findUser(db, id))?.email ?? id;
  if (kind !== 'restricted') return 'Secret key';
  const keys = await listRestrictedKeys(db, merchantId);
  return keys.find((key) => key.id === id)?.name ?? id;
}

const OPERATOR = 'Operator of the server';

/**
 * Freezes one wallet or all, by command of the operator.
 * @param merchantId null: all
 * @returns false when it was frozen already @throws when there is no such merchant
 */
export async function freezeByOperator(
  { db, clock }: Pick<FreezeDeps, 'db' | 'clock'>,
  { merchantId, reason }: { readonly merchantId: string | null; readonly reason: string | null },
): Promise<boolean> {
  return db.transaction(async (tx) => {
    const subject = await requireSubject(tx, merchantId);
    return freeze(tx, { subject, frozenAt: clock.now(), frozenBy: OPERATOR, reason });
  });
}

/** The opposite. @returns false when it was not frozen @throws when there is no such merchant */
export async function unfreezeByOperator(
  { db, clock }: Pick<FreezeDeps, 'db' | 'clock'>,
  merchantId: string | null,
): Promise<boolean> {
  return db.transaction(async (tx) => unfreeze(tx, await requireSubject(tx, merchantId), clock.now()));
}

async function requireSubject(db: Db, merchantId: string | null): Promise<string> {
  if (merchantId === null) return ALL_WALLETS;
  if ((await findMerchant(db, merchantId)) === undefined) throw new Error(`no shop has the id ${merchantId}`);
  return merchantId;
}
