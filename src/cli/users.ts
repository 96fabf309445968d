import { randomBase62 } from '../usecases/events/index.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import {
  type AccountSummary,
  assertUncommon,
  confirmUserKeys,
  createPasswordHasher,
  listAccounts,
  makeOwner,
  type RescueDeps,
  resetSecondFactor,
  setPassword,
} from '../usecases/accounts/index.ts';
import { isoTime } from '../domain/iso-time.ts';
import type { Config } from '../config/config.ts';
import { createSecretBox } from '../wallet/secret-box.ts';
import { parseCall, readSecret, runCommand, printLine, UsageError, warn } from './command.ts';
import { daemonData } from './daemon-data.ts';
import { unlockKeyring } from './unlock-keyring.ts';

const USAGE = `Recovers accounts whose owner cannot sign in, without SQL and without email.

  tillctl users list
  tillctl users reset-password EMAIL [--generate | --password-file F]    asks for the new password on the terminal;
                               --generate prints one, once
  tillctl users reset-second-factor EMAIL [--passkeys]    switches it off; with --passkeys removes the passkeys, too
  tillctl users make-owner EMAIL --instead-of EMAIL       transfers everything of the second account to the first: shops,
                               customers and catalog. The first must own nothing yet
  tillctl users confirm-keys EMAIL    after a restore: reactivates the keys and members of the account's shops

Each takes --data-dir DIR. The daemon may be running or stopped. Each change is in the audit log and revokes the sessions
and tokens of the account. Keys of shops stay valid: regenerate them if someone else may know them.`;

const OPTIONS = {
  'data-dir': { type: 'string' },
  generate: { type: 'boolean', default: false },
  'password-file': { type: 'string' },
  passkeys: { type: 'boolean', default: false },
  'instead-of': { type: 'string' },
} as const;

const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 128;
/** 20 base62 characters carry 119 random bits. */
const GENERATED_LENGTH = 20;

type Values = ReturnType<typeof parse>['values'];
const parse = (args: string[]) => parseCall({ args, options: OPTIONS, allowPositionals: true });

interface Call {
  readonly email: string;
  readonly values: Values;
  readonly config: Config;
}

const COMMANDS: Readonly<Record<string, (deps: RescueDeps, call: Call) => Promise<void>>> = {
  'reset-password': async (deps, { email, values, config }) => {
    const password = values.generate ? randomBase62(GENERATED_LENGTH) : await askPassword(email, values);
    const passwords = await createPasswordHasher(config.auth.passwordHash);
    await setPassword(deps, { email, passwordHash: await passwords.hash(password) });
    if (values.generate) printLine(password);
    warn(`The password of ${email} was changed; its sessions and tokens have ended.`);
  },
  'reset-second-factor': async (deps, { email, values: { passkeys } }) => {
    const left = await resetSecondFactor(deps, { email, passkeys });
    warn(`Two-factor sign-in of ${email} is off; its sessions and tokens have ended.`);
    if (left > 0) warn(`${left} passkeys still sign in: --passkeys removes them.`);
  },
  'make-owner': async (deps, { email, values }) => {
    const insteadOf = values['instead-of'];
    if (insteadOf === undefined)
      throw new UsageError('--instead-of names the account that owns the shops now');
    const shops = await makeOwner(deps, { email, insteadOf });
    for (const shop of shops) printLine(shop);
    warn(`${email} owns these shops now. Regenerate their keys if ${insteadOf} must not have them any more.`);
  },
  'confirm-keys': async (deps, { email }) => {
    const shops = await confirmUserKeys(deps, email);
    for (const shop of shops) printLine(shop);
    if (shops.length === 0) warn(`No shop of ${email} is suspended.`);
  },
};

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parse(args);
  const [command = '', email, ...more] = positionals;
  if (more.length > 0) throw new UsageError('a password is not accepted on the command line');
  const { config, file } = await daemonData(values['data-dir']);
  const { db } = await openDatabase(file, { mayMigrate: false });
  try {
    if (command === 'list') {
      for (const account of await listAccounts(db)) printLine(formatLine(account));
      return 0;
    }
    const act = COMMANDS[command];
    if (act === undefined)
      throw new UsageError(
        'the command must be list, reset-password, reset-second-factor, make-owner or confirm-keys',
      );
    if (email === undefined) throw new UsageError('name the account by its e-mail address');
    const keyring = await unlockKeyring(config);
    try {
      const clock = { now: () => Date.now() };
      await act({ db, clock, secretBox: createSecretBox(keyring) }, { email, values, config });
      return 0;
    } finally {
      keyring.wipe();
    }
  } finally {
    await db.close();
  }
});

async function askPassword(email: string, values: Values): Promise<string> {
  const password = await readSecret(
    values['password-file'],
    `New password for ${email}: `,
    '--password-file or --generate',
  );
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH)
    throw new UsageError(
      `the password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
    );
  await assertUncommon(password, 'password');
  return password;
}

function formatLine(account: AccountSummary): string {
  const shops = account.shops.map(({ name, isSuspended }) => (isSuspended ? `${name} (suspended)` : name));
  return [
    account.email,
    account.isConfirmed ? 'confirmed' : 'not confirmed',
    account.hasSecondFactor ? 'two-factor' : 'password only',
    `${account.passkeys} passkeys`,
    `since ${isoTime(account.createdAt).slice(0, 10)}`,
    shops.length === 0 ? 'no shop' : `shops: ${shops.join(', ')}`,
  ].join('; ');
}
