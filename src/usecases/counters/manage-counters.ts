import type { Actor } from '../../domain/actor.ts';
import { AppError, invalidField } from '../../domain/errors.ts';
import { currencyDigits } from '../../domain/currencies.ts';
import { creatorColumns } from '../../store/creators.ts';
import { countCounters, insertCounter, updateCounter } from '../../store/merchants/counters.ts';
import type { CounterRow } from '../../store/schema/counters.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { newId } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { findOwnCounter, type CounterDeps } from './counter-deps.ts';
import { assertFavourites, parseFavourites } from './favourites.ts';

/** Counters of a merchant, deleted ones included; bounds the database. */
const COUNTERS_MAX = 100;

interface CounterSettings {
  readonly name: string;
  /** In percent, ascending. */
  readonly tips: readonly number[];
  /** Ids of prices. */
  readonly favourites: readonly string[];
}

interface CreateCounterInput extends CounterSettings {
  readonly merchant: MerchantRow;
  readonly actor: Actor;
  /** Undefined: that of the shop. */
  readonly currency: string | undefined;
}

/**
 * Creates a counter without a device.
 * @throws {AppError} PRICE_NOT_FOUND, VALIDATION_INVALID (currency, favourites), INVALID_STATE when the shop has too many
 */
export async function createCounter(
  { db, clock }: CounterDeps,
  { merchant, actor, name, tips, favourites, currency = merchant.currency }: CreateCounterInput,
  storeResult: StoreResult<CounterRow> = storeNoResult,
): Promise<CounterRow> {
  if (currencyDigits(currency) === null)
    throw invalidField('currency', 'must be an ISO 4217 currency code such as USD');
  return db.transaction(async (tx) => {
    if ((await countCounters(tx, merchant.id)) >= COUNTERS_MAX)
      throw new AppError(
        'INVALID_STATE',
        `A shop can create ${COUNTERS_MAX} counters, deleted ones included`,
      );
    await assertFavourites(tx, merchant.userId, { currency, priceIds: favourites });
    const now = clock.now();
    const row: CounterRow = {
      id: newId('ctr_'),
      merchantId: merchant.id,
      name,
      currency,
      tipsJson: JSON.stringify(tips),
      favouritesJson: JSON.stringify(favourites),
      codeHash: null,
      codeExpiresAt: null,
      tokenHash: null,
      connectedAt: null,
      lastUsedAt: null,
      ...creatorColumns(actor),
      createdAt: now,
      updatedAt: now,
      deletedAt: null,
    };
    await insertCounter(tx, row);
    await storeResult(tx, row);
    return row;
  });
}

interface EditCounterInput {
  readonly merchant: MerchantRow;
  readonly counterId: string;
  /** Undefined: unchanged. */
  readonly name: string | undefined;
  readonly tips: readonly number[] | undefined;
  readonly favourites: readonly string[] | undefined;
}

/**
 * Omitted settings are unchanged. The device shows the new ones when it next reads its day.
 * @throws {AppError} COUNTER_NOT_FOUND, PRICE_NOT_FOUND, VALIDATION_INVALID (favourites)
 */
export async function editCounter(
  { db, clock }: CounterDeps,
  { merchant, counterId, name, tips, favourites }: EditCounterInput,
): Promise<CounterRow> {
  return db.transaction(async (tx) => {
    const counter = await findOwnCounter(tx, merchant.id, counterId);
    // One that can no longer be sold may stay.
    const known = new Set(parseFavourites(counter));
    const added = (favourites ?? []).filter((id) => !known.has(id));
    await assertFavourites(tx, merchant.userId, { currency: counter.currency, priceIds: added });
    return updateCounter(tx, counter.id, {
      name: name ?? counter.name,
      tipsJson: tips === undefined ? counter.tipsJson : JSON.stringify(tips),
      favouritesJson: favourites === undefined ? counter.favouritesJson : JSON.stringify(favourites),
      updatedAt: clock.now(),
    });
  });
}

/**
 * Disconnects the device of a counter at once and hides the counter; its payments stay.
 * @throws {AppError} COUNTER_NOT_FOUND
 */
export async function deleteCounter(
  { db, clock }: CounterDeps,
  { merchantId, counterId }: { readonly merchantId: string; readonly counterId: string },
): Promise<void> {
  await db.transaction(async (tx) => {
    const { id } = await findOwnCounter(tx, merchantId, counterId);
    const now = clock.now();
    const disconnected = { codeHash: null, codeExpiresAt: null, tokenHash: null, connectedAt: null };
    await updateCounter(tx, id, { ...disconnected, deletedAt: now, updatedAt: now });
  });
}
