import { createHash, timingSafeEqual } from 'node:crypto';
import { invalidField } from '../../domain/errors.ts';
import { randomBase62 } from '../events/index.ts';

/** 32 base62 characters carry 190 bits. */
const LENGTH = 32;

/**
 * A token that proves control of the server, because only the operator reads the log: created at each start,
 * valid for the first account only.
 */
export function newSetupToken(): string {
  return randomBase62(LENGTH);
}

/** @throws {AppError} VALIDATION_INVALID unless it is the token of this start. */
export function assertSetupToken(expected: string, given: string | undefined): void {
  if (given === undefined) {
    throw invalidField(
      'setupToken',
      'is required for the first account: see the log of the server',
      'required',
    );
  }
  if (!timingSafeEqual(digest(expected), digest(given))) {
    throw invalidField('setupToken', 'differs from the one in the log of the server since its last start');
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
