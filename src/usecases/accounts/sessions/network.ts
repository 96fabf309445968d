import { interpolate } from '../../../i18n/interpolate.ts';
import { createHash } from 'node:crypto';
import { isoTime } from '../../../domain/iso-time.ts';
import {
  hasKnownNetwork,
  lastUseOfNetwork,
  rememberNetwork,
} from '../../../store/accounts/known-networks.ts';
import { insertAudit } from '../../../store/audit-log.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import type { AccountDeps } from '../account-deps.ts';
import { sealClient } from './dashboard-session.ts';
import { mailNotice } from '../mail-notice.ts';

/** Maximum networks stored per user. */
const KEEP = 10;
/** Precision of the last use; avoids a write per sign-in. */
const TOUCH_INTERVAL_MS = 24 * 3_600_000;

/** Networks are stored as hashes, because the database need not reveal the locations of its users. */
function networkHash(userId: string, network: string): string {
  return createHash('sha256')
    .update(JSON.stringify([userId, network]))
    .digest('hex');
}

export async function isKnownNetwork(
  deps: Pick<AccountDeps, 'db'>,
  userId: string,
  network: string,
): Promise<boolean> {
  return (await lastUseOfNetwork(deps.db, userId, networkHash(userId, network))) !== null;
}

/**
 * Records a sign-in, and notifies the user by email where it comes from a new network. The first sign-in of
 * an account without a known network is not notified.
 */
export async function recordSignIn(
  deps: Pick<AccountDeps, 'db' | 'clock' | 'secretBox' | 'baseUrl'>,
  user: UserRow,
  network: string,
): Promise<void> {
  const { db, clock } = deps;
  if (await isKnownNetwork(deps, user.id, network)) return trustNetwork(deps, user.id, network);
  await db.transaction(async (tx) => {
    const now = clock.now();
    if (await hasKnownNetwork(tx, user.id)) {
      await mailNotice(tx, deps, user, 'new-place', ({ signIn }) => [
        interpolate(signIn, { network, time: isoTime(now) }),
      ]);
      await insertAudit(tx, {
        at: now,
        merchantId: null,
        actorKind: 'user',
        actorId: user.id,
        actorName: user.email,
        action: 'sign-in from a new place',
        objectId: null,
        clientSealed: sealClient(deps.secretBox, { address: network, userAgent: '' }),
        result: 'OK',
      });
    }
    await rememberNetwork(tx, { userId: user.id, hash: networkHash(user.id, network), now, keep: KEEP });
  });
}

/** Records that a user has proved their identity from a network. */
export async function trustNetwork(
  deps: Pick<AccountDeps, 'db' | 'clock'>,
  userId: string,
  network: string,
): Promise<void> {
  const hash = networkHash(userId, network);
  const now = deps.clock.now();
  const lastUse = await lastUseOfNetwork(deps.db, userId, hash);
  if (lastUse !== null && now - lastUse < TOUCH_INTERVAL_MS) return;
  await deps.db.transaction((tx) => rememberNetwork(tx, { userId, hash, now, keep: KEEP }));
}
