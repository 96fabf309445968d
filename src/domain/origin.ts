import type { Actor, Creator } from './actor.ts';
import { AppError } from './errors.ts';

/** Where a payment or a payment link of a shop comes from. */
export interface Origin {
  /** Null where that is not known, of what is older than its record. */
  readonly creator: Creator | null;
  /** Its price was set by the owner, a key or the catalog. */
  readonly isPriceLocked: boolean;
}

/** What is about to be set on it. */
export interface Change {
  readonly isPriceChanged: boolean;
  /** Names of the fields that say where payers or events go, as far as they would change. */
  readonly urls: readonly string[];
}

/** Whether somebody works for the shop of an owner, as a user. */
function isMember(creator: Creator | null, ownerId: string): boolean {
  return creator?.kind === 'user' && creator.id !== ownerId;
}

/** Whether a price that somebody sets is from then on no clerk's to change. @param isOfCatalog it is one of the catalog */
export function locksPrice(actor: Creator, ownerId: string, isOfCatalog: boolean): boolean {
  return isOfCatalog || !isMember(actor, ownerId);
}

/**
 * A clerk sends payers and events nowhere, whatever is made or changed.
 * @throws {AppError} FORBIDDEN naming the fields
 */
export function assertMaySend({ role }: Actor, urls: readonly string[]): void {
  if (role !== 'clerk' || urls.length === 0) return;
  const details = urls.map((field) => ({ field, code: 'forbidden', message: 'is not set by a clerk' }));
  throw new AppError('FORBIDDEN', `Your role in this shop, clerk, does not set ${urls.join(', ')}`, {
    details,
  });
}

/**
 * A clerk changes what people who work for the shop made, but no price that its owner, its keys or its catalog set.
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
  if (!isMember(creator, ownerId)) throw forbidden('change what the shop or its owner made');
  if (isPriceChanged && isPriceLocked)
    throw forbidden('change a price that the shop, its owner or its catalog set');
  assertMaySend(actor, urls);
}

function forbidden(what: string): AppError {
  const details = [{ field: 'role', code: 'insufficient', message: 'is clerk' }];
  return new AppError('FORBIDDEN', `Your role in this shop, clerk, does not ${what}`, { details });
}
