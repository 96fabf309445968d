import type { Actor, Creator } from './actor.ts';
import { AppError } from './errors.ts';

/** The origin of a shop's payment or payment link. */
export interface Origin {
  /** Null where that is not known, for objects that predate this record. */
  readonly creator: Creator | null;
  /** Whether the owner, a key or the catalog set its price. */
  readonly isPriceLocked: boolean;
}

/** The requested change. */
export interface Change {
  readonly isPriceChanged: boolean;
  /** Names of the changed fields that hold URLs for payers or events. */
  readonly urls: readonly string[];
}

/** Whether the creator works for the shop as a user, without being its owner. */
function isMember(creator: Creator | null, ownerId: string): boolean {
  return creator?.kind === 'user' && creator.id !== ownerId;
}

/**
 * Whether a clerk can no longer change a price that this actor sets. @param isOfCatalog the price comes from
 * the catalog
 */
export function locksPrice(actor: Creator, ownerId: string, isOfCatalog: boolean): boolean {
  return isOfCatalog || !isMember(actor, ownerId);
}

/**
 * A clerk never sets URLs for payers or events, on creation or on a change.
 * @throws {AppError} FORBIDDEN naming the fields
 */
export function assertMaySetUrls({ role }: Actor, urls: readonly string[]): void {
  if (role !== 'clerk' || urls.length === 0) return;
  const details = urls.map((field) => ({ field, code: 'forbidden', message: 'cannot be set by a clerk' }));
  throw new AppError('FORBIDDEN', `Your role in this shop, clerk, cannot set ${urls.join(', ')}`, {
    details,
  });
}

/**
 * A clerk may change objects that employees of the shop created, except prices that the owner, a key or the
 * catalog set.
 * @param ownerId the user who owns the shop
 * @throws {AppError} FORBIDDEN
 */
export function assertMayChange(
  actor: Actor,
  ownerId: string,
  { creator, isPriceLocked }: Origin,
  { isPriceChanged, urls }: Change,
): void {
  if (actor.role !== 'clerk') return;
  if (!isMember(creator, ownerId)) throw forbidden('change objects created by the shop or its owner');
  if (isPriceChanged && isPriceLocked)
    throw forbidden('change a price that the shop, its owner or its catalog set');
  assertMaySetUrls(actor, urls);
}

function forbidden(what: string): AppError {
  const details = [{ field: 'role', code: 'insufficient', message: 'is clerk' }];
  return new AppError('FORBIDDEN', `Your role in this shop, clerk, cannot ${what}`, { details });
}
