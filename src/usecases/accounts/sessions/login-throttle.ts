import { AppError } from '../../../domain/errors.ts';
import type { Clock } from '../../../domain/ports.ts';
import { TokenBucket, Backoff } from './throttle.ts';

const MINUTE_MS = 60_000;

/**
 * The cost of guessing, in addition to the limit per client address:
 * - Per account and network (an IPv4 /24, an IPv6 /48) the wait doubles from 5 s to 15 min. Failures from
 * other networks do not affect it, so a stranger cannot lock out an owner.
 * - Per account, whatever the network, 50 failures and then one each 30 s. That bounds the attempts of many
 * networks together (under 3,000 a day). Networks the user has signed in from are exempt, so that an attack
 * does not use up its victim's own attempts; a password reset by mail makes a network known.
 * - Second-factor codes are reached only with the right password and are few: per user, from anywhere, the
 * wait doubles up to 15 min. Nothing here depends on whether an account exists, so the answers do not reveal
 * it. The state is in memory: a restart clears it, and outsiders cannot cause a restart.
 */
const SLOW = {
  free: 5,
  firstWaitMs: 5_000,
  longestWaitMs: 15 * MINUTE_MS,
  forgetMs: 24 * 60 * MINUTE_MS,
};
const WIDE = { burst: 50, everyMs: 30_000 };

/** An attempt that was counted as failed in advance. */
export interface Attempt {
  /** Uncounts the attempt: it was neither right nor wrong. */
  cancel(): void;
  /** The attempt was right: clears the earlier failures. */
  succeed(): void;
}

export interface SignInTry {
  /** The normalised email address, whether or not it has an account. */
  readonly account: string;
  /** The client's network prefix. */
  readonly network: string;
  /** Whether the account's user has signed in from that network before. */
  readonly isKnown: () => Promise<boolean>;
}

/** Backoff against guessing of passwords and codes. Every `begin` throws RATE_LIMITED during the wait. */
export interface LoginThrottle {
  beginSignIn(attempt: SignInTry): Promise<Attempt>;
  /** A second-factor code after the right password. */
  beginCode(userId: string): Attempt;
  /** The password, or a code, of a signed-in user. */
  beginConfirmation(userId: string): Attempt;
  /** Clears the failures of an account from this network: its owner has given another proof. */
  forgive(owner: { account: string; userId: string; network: string }): void;
}

export function createLoginThrottle(clock: Clock): LoginThrottle {
  const near = new Backoff(clock, SLOW);
  const wide = new TokenBucket(clock, WIDE);
  const codes = new Backoff(clock, SLOW);
  const confirmations = new Backoff(clock, SLOW);
  return {
    beginSignIn: async ({ account, network, isKnown }) => {
      const place = JSON.stringify([account, network]);
      refuseWhile(near.take(place));
      const waitMs = wide.take(account);
      if (waitMs > 0 && !(await isKnown())) {
        near.release(place);
        throw limited(waitMs);
      }
      const giveBack = (): void => {
        if (waitMs === 0) wide.release(account);
      };
      return {
        cancel: () => {
          near.release(place);
          giveBack();
        },
        succeed: () => {
          near.clear(place);
          giveBack();
        },
      };
    },
    beginCode: (userId) => begin(codes, userId),
    beginConfirmation: (userId) => begin(confirmations, userId),
    forgive: ({ account, userId, network }) => {
      near.clear(JSON.stringify([account, network]));
      wide.clear(account);
      codes.clear(userId);
      confirmations.clear(userId);
    },
  };
}

/** For installations that disable their sign-in limits, as load tests do. */
export function noLoginThrottle(): LoginThrottle {
  const attempt: Attempt = { cancel: () => undefined, succeed: () => undefined };
  return {
    beginSignIn: async () => attempt,
    beginCode: () => attempt,
    beginConfirmation: () => attempt,
    forgive: () => undefined,
  };
}

function begin(backoff: Backoff, key: string): Attempt {
  refuseWhile(backoff.take(key));
  return { cancel: () => backoff.release(key), succeed: () => backoff.clear(key) };
}

function refuseWhile(waitMs: number): void {
  if (waitMs > 0) throw limited(waitMs);
}

function limited(retryAfterMs: number): AppError {
  return new AppError('RATE_LIMITED', 'Too many attempts: try again later', { retryAfterMs });
}
