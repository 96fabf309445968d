import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterAll, describe, expect, test } from 'vitest';
import { KeyringError, Keyring, openKeyring, restoreKeyring } from '../../../src/wallet/keyring.ts';
import { loadOrCreatePassphrase } from '../../../src/wallet/passphrase.ts';

const root = mkdtempSync(join(tmpdir(), 'tilld-keyring-'));
let counter = 0;
const argon2 = { memoryKiB: 8, iterations: 1, parallelism: 1 };
const passphrase = 'correct horse battery';

afterAll(() => rmSync(root, { recursive: true, force: true }));

function freshDir(): string {
  return mkdtempSync(join(root, `${counter++}-`));
}

const open = (dataDir: string, overrides: { passphrase?: string; mayCreate?: boolean } = {}) =>
  openKeyring({ dataDir, passphrase, argon2, mayCreate: true, ...overrides });

const file = (dataDir: string) => join(dataDir, 'keyring.json');

interface FileJson {
  createdAt: string;
  version: number;
  kdf: { memoryKiB: number; iterations: number; salt: string };
  ciphertext: string;
  tag: string;
}

function editFile(dataDir: string, edit: (json: FileJson) => void): void {
  const json = JSON.parse(readFileSync(file(dataDir), 'utf8')) as FileJson;
  edit(json);
  writeFileSync(file(dataDir), JSON.stringify(json));
}

describe('openKeyring on a keyring file', () => {
  test('creates the file at first start with a new 24-word seed, and opens it with the same seed', async () => {
    const dir = freshDir();
    const first = await open(dir);
    const again = await open(dir);
    expect([first.created, again.created]).toEqual([true, false]);
    expect(first.keyring.words().split(' ')).toHaveLength(24);
    expect(again.keyring.words()).toBe(first.keyring.words());
    expect(again.keyring.fingerprint).toBe(first.keyring.fingerprint);
    const other = await open(freshDir());
    expect(other.keyring.words()).not.toBe(first.keyring.words());
    expect(other.keyring.fingerprint).not.toBe(first.keyring.fingerprint);
  });

  test('makes the file readable by its owner only, and leaves no temporary file', async () => {
    const dir = freshDir();
    await open(dir);
    expect(statSync(file(dir)).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).toEqual(['keyring.json']);
  });

  test('stores neither words, entropy nor seed in clear', async () => {
    const dir = freshDir();
    const { keyring } = await open(dir);
    const text = readFileSync(file(dir), 'utf8');
    const seed = keyring.withSeed((bytes) => Buffer.from(bytes));
    for (const form of ['hex', 'base64'] as const)
      expect(text).not.toContain(seed.toString(form).slice(0, 40));
    expect(text).not.toContain(keyring.words().split(' ').slice(0, 3).join(' '));
  });

  test('keeps one seed when two daemons create it at the same time, and refuses the later one', async () => {
    const dir = freshDir();
    const starts = await Promise.allSettled([open(dir), open(dir), open(dir)]);
    const made = starts.filter((start) => start.status === 'fulfilled');
    expect(made).toHaveLength(1);
    expect((await open(dir)).keyring.fingerprint).toBe(made[0]?.value.keyring.fingerprint);
  });

  test('creates no new seed for a database that already has a wallet', async () => {
    const dir = freshDir();
    await expect(open(dir, { mayCreate: false })).rejects.toThrow(/missing.*already has a wallet/);
    expect(readdirSync(dir)).toEqual([]);
  });
});

async function expectRefusal(dir: string, message: RegExp, wrong?: string): Promise<void> {
  const before = readFileSync(file(dir), 'utf8');
  const failure = await open(dir, wrong === undefined ? {} : { passphrase: wrong }).catch(
    (error: unknown) => error,
  );
  expect(failure).toBeInstanceOf(KeyringError);
  expect((failure as Error).message).toMatch(message);
  expect((failure as Error).message).not.toContain(wrong ?? passphrase);
  expect(readFileSync(file(dir), 'utf8')).toBe(before);
}

describe('openKeyring, which never changes the file,', () => {
  test('refuses a wrong passphrase', async () => {
    const dir = freshDir();
    await open(dir);
    await expectRefusal(dir, /passphrase does not open/, 'wrong horse battery');
  });

  test.each([
    ['an altered date', (json: FileJson) => (json.createdAt = '2020-01-01T00:00:00.000Z')],
    ['an altered cost', (json: FileJson) => (json.kdf.iterations += 1)],
    ['a swapped salt', (json: FileJson) => (json.kdf.salt = Buffer.alloc(16).toString('base64'))],
    ['an altered tag', (json: FileJson) => (json.tag = Buffer.alloc(16).toString('base64'))],
  ])('refuses a file with %s', async (_, edit) => {
    const dir = freshDir();
    await open(dir);
    editFile(dir, edit);
    await expectRefusal(dir, /passphrase does not open/);
  });

  test.each([
    ['not JSON', '{"format": "tilld-key', /damaged \(it is not JSON\)/],
    ['empty', '', /damaged/],
    ['of another wallet', '{"version":3,"crypto":{"kdf":"scrypt"}}', /not a keyring of tilld.*format/],
    ['a list', '[]', /not a keyring of tilld/],
  ])('refuses a file that is %s', async (_, text, message) => {
    const dir = freshDir();
    writeFileSync(file(dir), text);
    await expectRefusal(dir, message);
  });

  test('refuses a file of a newer version, and advises an upgrade', async () => {
    const dir = freshDir();
    await open(dir);
    editFile(dir, (json) => (json.version = 2));
    await expectRefusal(dir, /version 2.*upgrade/);
  });

  test('refuses a file whose key derivation requires more memory than that of any genuine file', async () => {
    const dir = freshDir();
    await open(dir);
    editFile(dir, (json) => (json.kdf.memoryKiB = 2 ** 40));
    await expectRefusal(dir, /kdf\.memoryKiB/);
  });

  test('refuses a truncated file', async () => {
    const dir = freshDir();
    await open(dir);
    editFile(dir, (json) => (json.ciphertext = json.ciphertext.slice(0, 40)));
    await expectRefusal(dir, /ciphertext/);
  });
});

describe('restoreKeyring', () => {
  test('writes the same seed into another directory, whatever the spacing and case of the words', async () => {
    const { keyring } = await open(freshDir());
    const words = `  ${keyring.words().toUpperCase().replaceAll(' ', '\n ')} `;
    const dir = freshDir();
    await restoreKeyring({ dataDir: dir, passphrase: 'another one', argon2, words });
    expect((await open(dir, { passphrase: 'another one' })).keyring.fingerprint).toBe(keyring.fingerprint);
  });

  test('never replaces a keyring', async () => {
    const dir = freshDir();
    const { keyring } = await open(dir);
    const other = (await open(freshDir())).keyring.words();
    await expect(restoreKeyring({ dataDir: dir, passphrase, argon2, words: other })).rejects.toThrow(
      /never overwritten/,
    );
    expect((await open(dir)).keyring.fingerprint).toBe(keyring.fingerprint);
  });

  test.each([
    ['a missing word', (words: string[]) => words.slice(1), /24 words, got 23/],
    ['an unknown word', (words: string[]) => words.with(4, 'bitcoin'), /^word 5 is not in the/],
    [
      'two swapped words',
      () => [...Array.from({ length: 22 }, () => 'abandon'), 'art', 'abandon'],
      /checksum/,
    ],
  ])('rejects %s without showing the words', async (_, change, message) => {
    const { keyring } = await open(freshDir());
    const words = change(keyring.words().split(' ')).join(' ');
    const dir = freshDir();
    await expect(restoreKeyring({ dataDir: dir, passphrase, argon2, words })).rejects.toThrow(message);
    expect(readdirSync(dir)).toEqual([]);
  });
});

describe('an unlocked Keyring', () => {
  test('is printed as [keyring] by every kind of output', async () => {
    const { keyring } = await open(freshDir());
    const printed = [
      JSON.stringify({ keyring }),
      inspect({ keyring }, { depth: 9, showHidden: true }),
      `${keyring}`,
    ];
    expect(printed).toEqual(['{"keyring":"[keyring]"}', '{ keyring: [keyring] }', '[keyring]']);
  });

  test('derives a different secret for each purpose, and always the same one for a purpose', async () => {
    const keyring = await Keyring.fromEntropy(Buffer.alloc(32));
    expect(keyring.deriveSecret('a')).toEqual(keyring.deriveSecret('a'));
    expect(keyring.deriveSecret('a')).not.toEqual(keyring.deriveSecret('b'));
  });

  test('contains no secret bytes after it is wiped', async () => {
    const { keyring } = await open(freshDir());
    keyring.wipe();
    expect(keyring.withSeed((seed) => seed.every((byte) => byte === 0))).toBe(true);
  });
});

describe('loadOrCreatePassphrase', () => {
  test('returns the configured passphrase, and then creates no file', async () => {
    const dataDir = freshDir();
    const result = await loadOrCreatePassphrase({ dataDir, configured: passphrase });
    expect(result).toEqual({ passphrase, origin: 'configured' });
    expect(readdirSync(dataDir)).toEqual([]);
  });

  test('generates a passphrase once and stores it, readable by its owner only', async () => {
    const dataDir = freshDir();
    const first = await loadOrCreatePassphrase({ dataDir, configured: null });
    const again = await loadOrCreatePassphrase({ dataDir, configured: null });
    expect([first.origin, again.origin]).toEqual(['generated', 'stored']);
    expect(again.passphrase).toBe(first.passphrase);
    expect(first.passphrase.length).toBeGreaterThanOrEqual(43);
    expect(statSync(join(dataDir, 'keyring-passphrase')).mode & 0o777).toBe(0o600);
  });

  test('generates no passphrase when a keyring exists that was encrypted with another one', async () => {
    const dataDir = freshDir();
    await open(dataDir);
    await expect(loadOrCreatePassphrase({ dataDir, configured: null })).rejects.toThrow(
      /TILLD_KEYRING_PASSPHRASE/,
    );
    expect(readdirSync(dataDir)).toEqual(['keyring.json']);
  });

  test('rejects an empty passphrase file instead of generating a new one', async () => {
    const dataDir = freshDir();
    writeFileSync(join(dataDir, 'keyring-passphrase'), '\n');
    await expect(loadOrCreatePassphrase({ dataDir, configured: null })).rejects.toThrow(/is empty/);
  });
});
