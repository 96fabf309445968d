import { randomBytes } from 'node:crypto';
import { AppError } from '../../domain/errors.ts';
import { findCounterByCode, updateCounter } from '../../store/merchants/counters.ts';
import { KEY_LENGTH, keyHash } from '../access/index.ts';
import { randomBase62 } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { findOwnCounter, type CounterDeps } from './counter-deps.ts';

/** Letters and digits that are not confused with each other, 5 bits each: the lowest five bits of a byte select one. */
const CODE_LETTERS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
/** 60 bits, for a quarter of an hour, behind a rate limit. */
const CODE_LENGTH = 12;
const CODE_LIFETIME_MS = 15 * 60_000;

export interface CounterCode {
  /** Not stored. */
  readonly code: string;
  readonly expiresAt: number;
}

/**
 * A code that connects one device to a counter, once. It replaces an earlier code; the connected device stays until
 * another one uses it.
 * @throws {AppError} COUNTER_NOT_FOUND
 */
export async function createCounterCode(
  { db, clock }: CounterDeps,
  { merchantId, counterId }: { readonly merchantId: string; readonly counterId: string },
  storeResult: StoreResult<CounterCode> = storeNoResult,
): Promise<CounterCode> {
  return db.transaction(async (tx) => {
    const { id } = await findOwnCounter(tx, merchantId, counterId);
    const now = clock.now();
    const code = [...randomBytes(CODE_LENGTH)].map((byte) => CODE_LETTERS.charAt(byte & 31)).join('');
    const made = { code, expiresAt: now + CODE_LIFETIME_MS };
    await updateCounter(tx, id, { codeHash: keyHash(code), codeExpiresAt: made.expiresAt, updatedAt: now });
    await storeResult(tx, made);
    return made;
  });
}

/**
 * Consumes a code and returns the token of the device, which is not stored and never shown again. A device that was
 * connected before loses its token.
 * @throws {AppError} INVALID_CODE
 */
export async function connectDevice(
  { db, clock }: CounterDeps,
  typed: string,
  storeResult: StoreResult<string> = storeNoResult,
): Promise<string> {
  const token = `ct_${randomBase62(KEY_LENGTH)}`;
  await db.transaction(async (tx) => {
    const counter = await findCounterByCode(tx, keyHash(normalizeCode(typed)));
    const now = clock.now();
    if (counter === undefined || counter.codeExpiresAt === null || counter.codeExpiresAt <= now)
      throw new AppError('INVALID_CODE', 'This code is unknown, used or expired: create another one');
    await updateCounter(tx, counter.id, {
      codeHash: null,
      codeExpiresAt: null,
      tokenHash: keyHash(token),
      connectedAt: now,
      lastUsedAt: null,
      updatedAt: now,
    });
    await storeResult(tx, token);
  });
  return token;
}

/** As it may be typed from another screen. */
function normalizeCode(typed: string): string {
  return typed.toUpperCase().replaceAll(/[\s-]/g, '').replaceAll('O', '0').replaceAll(/[IL]/g, '1');
}
