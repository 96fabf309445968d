import { unauthorised } from '../../domain/unauthorised.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findUser } from '../../store/accounts/users.ts';
import { toUser, type User } from './sessions/session.ts';

/** The signed-in user. @throws {AppError} UNAUTHORISED when the account was deleted. */
export async function readMe(deps: { readonly db: Db }, userId: string): Promise<User> {
  const row = await findUser(deps.db, userId);
  if (row === undefined) throw unauthorised('expired');
  return toUser(row);
}
