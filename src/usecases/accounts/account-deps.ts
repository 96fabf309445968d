import type { SecretBox } from '../../domain/keys.ts';
import type { Clock, Logger } from '../../domain/ports.ts';
import type { Db } from '../../store/sqlite/database.ts';
import type { PasswordHasher } from './passwords/password-hasher.ts';
import type { LoginThrottle } from './sessions/login-throttle.ts';
import type { JwtTokens } from './sessions/jwt-tokens.ts';

/** Dependencies that the account use cases share. */
export interface AccountDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly passwords: PasswordHasher;
  readonly tokens: JwtTokens;
  readonly secretBox: SecretBox;
  readonly guard: LoginThrottle;
  /** Public base address of links in mails, without a trailing slash. */
  readonly baseUrl: string;
  /** Without a mail server, mails and their links are written to the log. */
  readonly hasMailServer: boolean;
}
