import { join } from 'node:path';
import { createLiveAdapters } from '../app/chains.ts';
import { isFile } from '../backup/files.ts';
import { restoreSeed } from '../backup/restore-seed.ts';
import { watchKeys } from '../chains/registry.ts';
import type { Config } from '../config/config.ts';
import { UTXO_CODES } from '../domain/coins.ts';
import { email as emailAddress } from '../http/schemas/text.ts';
import type { Db } from '../store/sqlite/database.ts';
import { openDatabase } from '../store/sqlite/open.ts';
import { createPasswordHasher, auditOperatorEverywhere } from '../usecases/accounts/index.ts';
import type { Keyring } from '../wallet/keyring.ts';
import { createSecretBox } from '../wallet/secret-box.ts';
import {
  ask,
  parseCount,
  parseDay,
  parseCall,
  readSecret,
  runCommand,
  printLine,
  TOOL_LOGGER,
  toolConfig,
  UsageError,
  warn,
  withProgress,
} from './command.ts';
import { parseUtxoCoin, printDescriptors } from './seed-descriptors.ts';
import { unlockKeyring } from './unlock-keyring.ts';

const USAGE = `The seed (24 words) of the wallet.

  tillctl seed show [--yes]              prints the words; asks first, on a terminal
  tillctl seed verify [--words-file F]   compares words on paper with this keyring
  tillctl seed descriptors --coin C      prints the output descriptors of the shops' accounts, as the JSON that
                                         importdescriptors (Bitcoin Core) and importmulti (Litecoin Core) read
      [--merchant ID]       of one shop
      [--private [--yes]]   with private keys, which can spend; asks first, on a terminal
  tillctl seed restore --email E         fills an empty data directory from the words alone
      [--accounts N]        number of merchants of that wallet (5)
      [--gap N]             addresses in a row that may never have been paid (2000)
      [--scan N]            addresses of each branch, however many were never paid, that the configured nodes of
                            ${UTXO_CODES.join(' and ')} are asked for what they have unspent (100000; 0: none)
      [--birthday DATE]     date before the first payment, such as 2026-01-31 (reads the chains from genesis)
      [--words-file F] [--password-file F]   else asked for on the terminal; - is the standard input

Each takes --data-dir DIR. What is restored: the keyring, and all money on the addresses of the first N
merchants, shown as the balance of "Recovered shop 1" and so on, which belong to the account --email.`;

const OPTIONS = {
  'data-dir': { type: 'string' },
  yes: { type: 'boolean', default: false },
  coin: { type: 'string' },
  merchant: { type: 'string' },
  private: { type: 'boolean', default: false },
  'words-file': { type: 'string' },
  'password-file': { type: 'string' },
  email: { type: 'string' },
  accounts: { type: 'string', default: '5' },
  gap: { type: 'string', default: '2000' },
  scan: { type: 'string', default: '100000' },
  birthday: { type: 'string' },
} as const;

const MAX_ACCOUNTS = 10_000;
const MAX_GAP = 100_000;
const MAX_SCAN = 10_000_000;
const MIN_PASSWORD_LENGTH = 8;
const MAX_PASSWORD_LENGTH = 128;

await runCommand(USAGE, async (args) => {
  const { values, positionals } = parseCall({ args, options: OPTIONS, allowPositionals: true });
  const [command = '', ...more] = positionals;
  if (more.length > 0) throw new UsageError('the words are not accepted on the command line');
  const config = toolConfig(values['data-dir']);
  switch (command) {
    case 'show':
      return show(config, values.yes);
    case 'verify':
      return verify(config, values['words-file']);
    case 'descriptors':
      return showDescriptors(config, values);
    case 'restore':
      return restore(config, values);
    default:
      throw new UsageError('the command must be show, verify, descriptors or restore');
  }
});

async function show(config: Config, isConfirmed: boolean): Promise<number> {
  if (!(await confirmDisplay(isConfirmed, 'the words'))) return 1;
  const keyring = await unlockKeyring(config);
  await auditDisplay(config, keyring, 'scripts/seed show');
  printLine(keyring.words());
  keyring.wipe();
  return 0;
}

/** Asks on the terminal before a secret is printed. @throws {UsageError} without a terminal */
async function confirmDisplay(isConfirmed: boolean, secret: string): Promise<boolean> {
  if (isConfirmed) return true;
  if (!process.stdin.isTTY) throw new UsageError('no terminal for the confirmation: use --yes');
  const question = `Anyone who sees ${secret} can take the money. Make sure that you are alone at this screen. Type "show" to continue: `;
  return (await ask(question, false)).trim() === 'show';
}

interface DescriptorValues {
  readonly coin?: string | undefined;
  readonly merchant?: string | undefined;
  readonly private: boolean;
  readonly yes: boolean;
}

async function showDescriptors(config: Config, values: DescriptorValues): Promise<number> {
  const coin = parseUtxoCoin(values.coin);
  const { merchant: merchantId, private: isPrivate } = values;
  if (isPrivate && !(await confirmDisplay(values.yes, 'private descriptors'))) return 1;
  const keyring = await unlockKeyring(config);
  try {
    if (isPrivate) await auditDisplay(config, keyring, 'tillctl seed descriptors --private');
    await printDescriptors(config, keyring, { coin, merchantId, isPrivate });
  } finally {
    keyring.wipe();
  }
  return 0;
}

/**
 * Recorded in the audit log of each shop if a database exists and is writable; without one the words are
 * needed most.
 */
async function auditDisplay(config: Config, keyring: Keyring, action: string): Promise<void> {
  const file = join(config.dataDir, 'tilld.sqlite');
  if (!(await isFile(file))) return;
  try {
    const { db } = await openDatabase(file, { mayMigrate: false });
    try {
      const deps = { secretBox: createSecretBox(keyring), clock: { now: () => Date.now() } };
      await auditOperatorEverywhere(db, deps, action);
    } finally {
      await db.close();
    }
  } catch (error) {
    warn(`The audit log could not be written: ${error instanceof Error ? error.message : String(error)}`);
  }
}

async function verify(config: Config, file: string | undefined): Promise<number> {
  const keyring = await unlockKeyring(config);
  const words = await readSecret(file, 'The 24 words: ', '--words-file');
  const isSame = words.toLowerCase().split(/\s+/).join(' ') === keyring.words();
  keyring.wipe();
  if (isSame) printLine('these are the words of this keyring');
  else warn('these are NOT the words of this keyring');
  return isSame ? 0 : 1;
}

interface RestoreValues {
  readonly email?: string | undefined;
  readonly accounts: string;
  readonly gap: string;
  readonly scan: string;
  readonly birthday?: string | undefined;
  readonly 'words-file'?: string | undefined;
  readonly 'password-file'?: string | undefined;
}

async function restore(config: Config, values: RestoreValues): Promise<number> {
  const { email } = values;
  // Validated like at sign-in, because an account with any other address would be unreachable.
  if (email === undefined || !emailAddress().safeParse(email).success)
    throw new UsageError('--email must be an e-mail address');
  if (values['words-file'] === '-' && values['password-file'] === '-') {
    throw new UsageError('only one of the two can be read from standard input');
  }
  const accounts = parseCount('accounts', values.accounts, 1, MAX_ACCOUNTS);
  const gap = parseCount('gap', values.gap, 1, MAX_GAP);
  const depth = parseCount('scan', values.scan, 0, MAX_SCAN);
  const birthdayMs = parseBirthday(values.birthday);
  const words = await readSecret(values['words-file'], 'The 24 words: ', '--words-file');
  const password = await readSecret(values['password-file'], `Password for ${email}: `, '--password-file');
  if (password.length < MIN_PASSWORD_LENGTH || password.length > MAX_PASSWORD_LENGTH) {
    throw new UsageError(
      `the password must have ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
    );
  }
  const liveNetwork = config.network ?? 'mainnet';
  const clock = { now: () => Date.now() };
  const unsearched = UTXO_CODES.filter((coin) => config.nodes[coin] === undefined);
  if (depth > 0 && unsearched.length > 0)
    warn(
      `No node of ${unsearched.join(' and ')} is configured: money beyond the gap is not searched for there.`,
    );
  const passwords = await createPasswordHasher(config.auth.passwordHash);
  const restoring = {
    dataDir: config.dataDir,
    words,
    passphrase: config.keyring.passphrase?.reveal() ?? null,
    cost: config.keyring.argon2,
    liveNetwork,
    email,
    passwordHash: await passwords.hash(password),
    accounts,
    gap,
    depth,
    connect: (db: Db) => createLiveAdapters({ config, db, clock, logger: TOOL_LOGGER }),
    birthdayMs,
    defaults: config.payments,
    toWatchKey: watchKeys(liveNetwork),
    clock,
    logger: { ...TOOL_LOGGER, info: showStep },
  };
  const { recovered } = await withProgress('restoring', async () => restoreSeed(restoring));
  printLine(
    `${config.dataDir} holds the seed and ${accounts} merchants; ${recovered} more addresses are reserved or watched`,
  );
  warn('API keys, sessions, members and passwords cannot be restored from a seed: make new keys.');
  warn(
    `Start the daemon with this data directory: it reads the chains from ${new Date(birthdayMs).toISOString()}.`,
  );
  return 0;
}

/** Minutes pass between the steps of a restore from the words. */
function showStep(fields: object, step: string): void {
  warn(`${step} ${JSON.stringify(fields)}`);
}

function parseBirthday(text: string | undefined): number {
  if (text === undefined) return 0;
  const time = parseDay('birthday', text);
  if (time > Date.now())
    throw new UsageError('--birthday must not be in the future: no money would be found');
  return time;
}
