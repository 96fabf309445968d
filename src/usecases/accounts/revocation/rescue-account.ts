import { emailKey } from '../../../domain/email.ts';
import type { SecretBox } from '../../../domain/keys.ts';
import type { Clock } from '../../../domain/ports.ts';
import { deletePasskeys, findUserPasskeys } from '../../../store/accounts/passkeys.ts';
import { deleteSecondFactor, findSecondFactor } from '../../../store/accounts/second-factors.ts';
import { allUsers, changePasswordHash, findUserByEmail } from '../../../store/accounts/users.ts';
import { transferCatalog, ownsCatalog } from '../../../store/catalog/owner.ts';
import { deleteMember } from '../../../store/merchants/members.ts';
import { transferMerchant, listMerchants, updateMerchant } from '../../../store/merchants/merchants.ts';
import type { UserRow } from '../../../store/schema/accounts.ts';
import type { Db, Tx } from '../../../store/sqlite/database.ts';
import { revokeCredentials } from './revoke-credentials.ts';
import { auditOperator } from '../audit-operator.ts';

/** For the operator of the server, who can help the owner of an account without its mail and password. */
export interface RescueDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
}

/** The account does not exist, or its state rules this out. The message is for the operator. */
class RescueError extends Error {
  override name = 'RescueError';
}

export interface AccountSummary {
  readonly email: string;
  readonly isConfirmed: boolean;
  readonly createdAt: number;
  readonly hasSecondFactor: boolean;
  readonly passkeys: number;
  readonly shops: readonly { readonly name: string; readonly isSuspended: boolean }[];
}

/** All accounts, oldest first. */
export async function listAccounts(db: Db): Promise<AccountSummary[]> {
  return db.read(async (tx) => {
    const summaries: AccountSummary[] = [];
    for (const user of await allUsers(tx)) {
      const factor = await findSecondFactor(tx, user.id);
      const shops = await listMerchants(tx, user.id);
      summaries.push({
        email: user.email,
        isConfirmed: user.isVerified,
        createdAt: user.createdAt,
        hasSecondFactor: factor !== undefined && factor.enabledAt !== null,
        passkeys: (await findUserPasskeys(tx, user.id)).length,
        shops: shops.map(({ name, suspendedAt }) => ({ name, isSuspended: suspendedAt !== null })),
      });
    }
    return summaries;
  });
}

/** Sets a password and revokes earlier credentials. @throws {RescueError} */
export async function setPassword(
  deps: RescueDeps,
  { email, passwordHash }: { readonly email: string; readonly passwordHash: string },
): Promise<void> {
  await rescue(deps, { email, action: 'scripts/users reset-password' }, async (tx, user) => {
    await changePasswordHash(tx, { id: user.id, next: passwordHash, now: deps.clock.now() });
  });
}

/**
 * Disables the second factor of an account and, with `passkeys`, removes those as well; revokes earlier
 * credentials.
 * @returns the number of remaining passkeys @throws {RescueError}
 */
export async function resetSecondFactor(
  deps: RescueDeps,
  { email, passkeys }: { readonly email: string; readonly passkeys: boolean },
): Promise<number> {
  return rescue(deps, { email, action: 'scripts/users reset-second-factor' }, async (tx, user) => {
    await deleteSecondFactor(tx, user.id);
    if (passkeys) await deletePasskeys(tx, user.id);
    return (await findUserPasskeys(tx, user.id)).length;
  });
}

/**
 * Transfers everything that another account owns to an account: shops, customers and catalog. Revokes the
 * credentials of both; keys of the shops stay.
 * @returns the names of the shops
 * @throws {RescueError} also when the new owner already has shops, customers or products, which would mix
 * with these.
 */
export async function makeOwner(
  deps: RescueDeps,
  { email, insteadOf }: { readonly email: string; readonly insteadOf: string },
): Promise<string[]> {
  const { clock } = deps;
  return rescue(deps, { email, action: 'scripts/users make-owner' }, async (tx, user) => {
    const before = await requireUser(tx, insteadOf);
    if (before.id === user.id) throw new RescueError('both addresses belong to the same account');
    if ((await listMerchants(tx, user.id)).length > 0 || (await ownsCatalog(tx, user.id)))
      throw new RescueError(
        `${email} has shops, customers or products already: choose an account without any`,
      );
    const shops = await listMerchants(tx, before.id);
    if (shops.length === 0) throw new RescueError(`${insteadOf} owns no shop`);
    for (const { id } of shops) {
      await deleteMember(tx, id, user.id);
      await transferMerchant(tx, id, user.id, clock.now());
      await auditOperator(tx, deps, { of: { merchantId: id }, action: 'scripts/users make-owner' });
    }
    await transferCatalog(tx, { from: before.id, to: user.id });
    await revokeCredentials(tx, { userId: before.id, keep: null, now: clock.now() });
    return shops.map(({ name }) => name);
  });
}

/** Lifts the suspension of an account's shops after a restore. @returns their names @throws {RescueError} */
export async function confirmUserKeys(deps: RescueDeps, email: string): Promise<string[]> {
  const { db, clock } = deps;
  return db.transaction(async (tx) => {
    const user = await requireUser(tx, email);
    const suspended = (await listMerchants(tx, user.id)).filter((shop) => shop.suspendedAt !== null);
    for (const { id } of suspended) {
      await updateMerchant(tx, id, { suspendedAt: null, updatedAt: clock.now() });
      await auditOperator(tx, deps, { of: { merchantId: id }, action: 'scripts/users confirm-keys' });
    }
    return suspended.map(({ name }) => name);
  });
}

async function rescue<T>(
  deps: RescueDeps,
  { email, action }: { readonly email: string; readonly action: string },
  work: (tx: Tx, user: UserRow) => Promise<T>,
): Promise<T> {
  return deps.db.transaction(async (tx) => {
    const user = await requireUser(tx, email);
    const result = await work(tx, user);
    await revokeCredentials(tx, { userId: user.id, keep: null, now: deps.clock.now() });
    await auditOperator(tx, deps, { of: { userId: user.id }, action });
    return result;
  });
}

async function requireUser(tx: Tx, email: string): Promise<UserRow> {
  const user = await findUserByEmail(tx, emailKey(email));
  if (user === undefined) throw new RescueError(`no account has the address ${email}`);
  return user;
}
