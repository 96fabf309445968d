import { randomBytes } from 'node:crypto';
import * as argon2 from 'argon2';
import pLimit from 'p-limit';
import type { Argon2Cost } from '../../../domain/argon2-cost.ts';
import { AppError } from '../../../domain/errors.ts';

/** Hashes and checks passwords with argon2id, a bounded number at a time. */
export interface PasswordHasher {
  hash(password: string): Promise<string>;
  /** With a null hash (no such user) it takes as long as a real check and returns false. */
  verify(hash: string | null, password: string): Promise<boolean>;
  /** Whether the hash was made at another cost than the current one. */
  needsRehash(hash: string): boolean;
}

/** Maximum concurrent hashes: each holds its full memory cost. */
const PARALLEL = 2;
/** Maximum queued hashes: further callers are rejected instead of queued. */
const QUEUE_MAX = 64;

/** @returns after making a hash of the same cost for the checks of unknown users. */
export async function createPasswordHasher(cost: Argon2Cost): Promise<PasswordHasher> {
  const options = {
    memoryCost: cost.memoryKiB,
    timeCost: cost.iterations,
    parallelism: cost.parallelism,
  };
  const limit = pLimit(PARALLEL);
  const bounded = <T>(work: () => Promise<T>): Promise<T> => {
    if (limit.pendingCount >= QUEUE_MAX) {
      const message = 'Too many sign-ins at once: try again in a moment';
      throw new AppError('RATE_LIMITED', message, { retryAfterMs: 1000 });
    }
    return limit(work);
  };
  const dummy = await argon2.hash(randomBytes(32).toString('hex'), options);
  return {
    hash: async (password) => bounded(() => argon2.hash(normal(password), options)),
    verify: async (hash, password) => {
      const matches = await bounded(() => argon2.verify(hash ?? dummy, normal(password)));
      return hash !== null && matches;
    },
    needsRehash: (hash) => argon2.needsRehash(hash, options),
  };
}

/** Keyboards encode é as one character or as e plus accent; both are the same password. */
function normal(password: string): string {
  return password.normalize('NFKC');
}
