import { createHash } from 'node:crypto';
import { lastUseOfNetwork, rememberNetwork } from '../../store/accounts/known-networks.ts';
import type { AccountDeps } from './account-deps.ts';

/** Networks remembered per user. */
const KEEP = 10;
/** How exact the last use is: no write per sign-in. */
const TOUCH_INTERVAL_MS = 24 * 3_600_000;

/** Networks are kept as hashes: the database need not say where its users sit. */
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

/** Notes that a user has proved to be who they are from a network. */
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
