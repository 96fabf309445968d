import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { Passwords } from './passwords/passwords.ts';
import type { SignInGuard } from './sessions/sign-in-guard.ts';
import type { Tokens } from './sessions/tokens.ts';

/** What the account use cases share. */
export interface AccountDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly passwords: Passwords;
  readonly tokens: Tokens;
  readonly secretBox: SecretBox;
  readonly guard: SignInGuard;
  /** Public address that links in mails start with, without a slash at the end. */
  readonly baseUrl: string;
  /** Without one mails, with the links in them, are in the log. */
  readonly hasMailServer: boolean;
}
