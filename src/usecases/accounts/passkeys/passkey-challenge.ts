import { createHash } from 'node:crypto';
import { z } from 'zod';
import { insertSpentChallenge } from '../../../store/accounts/passkeys.ts';
import type { Tx } from '../../../store/sqlite/database.ts';
import { randomBase62 } from '../../events/index.ts';
import type { AccountDeps } from '../account-deps.ts';

/** Time limit for an authenticator's answer. */
export const CHALLENGE_MS = 5 * 60_000;
/** 22 base62 characters carry 130 random bits. */
const RANDOM_LENGTH = 22;

/** The purpose of a challenge; bound to a session where a user is signed in. */
export type ChallengeUse =
  { readonly purpose: 'sign-in' } | { readonly purpose: 'add' | 'step-up'; readonly sessionId: string };

const sealedChallenge = z.object({
  kind: z.literal('passkey-challenge'),
  purpose: z.enum(['sign-in', 'add', 'step-up']),
  sessionId: z.string().nullable(),
  random: z.string(),
  expiresAt: z.int(),
});

type ChallengeDeps = Pick<AccountDeps, 'clock' | 'secretBox'>;

/** A challenge as the authenticator signed it, opened. */
export interface OpenChallenge {
  readonly hash: string;
  readonly expiresAt: number;
}

/**
 * A challenge for an authenticator. Its purpose is sealed into it, so that anonymous requests store nothing;
 * only answered challenges are stored.
 */
export function newChallenge(
  { clock, secretBox }: ChallengeDeps,
  use: ChallengeUse,
): Uint8Array<ArrayBuffer> {
  const content: z.input<typeof sealedChallenge> = {
    kind: 'passkey-challenge',
    purpose: use.purpose,
    sessionId: challengeSessionId(use),
    random: randomBase62(RANDOM_LENGTH),
    expiresAt: clock.now() + CHALLENGE_MS,
  };
  return new TextEncoder().encode(secretBox.seal(JSON.stringify(content)));
}

/**
 * Opens a challenge of this server; null when it is forged, is for another purpose or session, or has
 * expired.
 */
export function verifyChallenge(
  { clock, secretBox }: ChallengeDeps,
  use: ChallengeUse,
  challenge: string,
): OpenChallenge | null {
  const text = Buffer.from(challenge, 'base64url').toString('utf8');
  const parsed = sealedChallenge.safeParse(unsealed(secretBox, text));
  if (!parsed.success) return null;
  const { purpose, sessionId, expiresAt } = parsed.data;
  const isMeant = purpose === use.purpose && sessionId === challengeSessionId(use);
  if (!isMeant || expiresAt <= clock.now()) return null;
  return { hash: createHash('sha256').update(text).digest('hex'), expiresAt };
}

/** Consumes a challenge; false when it was answered before. */
export async function spendChallenge(tx: Tx, { hash, expiresAt }: OpenChallenge): Promise<boolean> {
  return insertSpentChallenge(tx, { challengeHash: hash, expiresAt });
}

export function decodeBase64url(base64url: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64url, 'base64url'));
}

function unsealed(secretBox: AccountDeps['secretBox'], text: string): unknown {
  try {
    return JSON.parse(secretBox.open(text));
  } catch {
    return null;
  }
}

function challengeSessionId(use: ChallengeUse): string | null {
  return use.purpose === 'sign-in' ? null : use.sessionId;
}
