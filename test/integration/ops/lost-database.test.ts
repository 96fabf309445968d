import {
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till, TillProcess } from '../../_helpers/till.ts';

const COINS = ['BTC', 'ETH', 'LTC', 'SOL'] as const;
const WARN = { TILLD_LOG_LEVEL: 'warn' };
const OLDER = 'older than the list of issued addresses';

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'till-lost-'));
});
afterEach(() => rmSync(dir, { recursive: true, force: true }));

const databaseFiles = (): string[] => readdirSync(dir).filter((name) => name.startsWith('tilld.sqlite'));
const removeDatabase = (): void => {
  for (const name of databaseFiles()) rmSync(join(dir, name));
};
const markFile = (): string => {
  const name = readdirSync(dir).find((each) => each.startsWith('given-addresses'));
  if (name === undefined) throw new Error('no file of given addresses');
  return join(dir, name);
};
const addressesOf = (payment: PaymentJson): string[] => COINS.map((coin) => payment.options[coin].address);

/** A database of an earlier moment, as an operator puts it by: the daemon is off meanwhile. */
const keepCopy = (): string => {
  const copy = join(dir, '..', `${dir.split('/').at(-1)}.copy`);
  copyFileSync(join(dir, 'tilld.sqlite'), copy);
  return copy;
};
const putBack = (copy: string): void => {
  removeDatabase();
  copyFileSync(copy, join(dir, 'tilld.sqlite'));
};

describe('a missing database next to an existing keyring', () => {
  for (const [how, lose] of [
    ['removed', removeDatabase],
    ['emptied', () => truncateSync(join(dir, 'tilld.sqlite'), 0)],
  ] as const) {
    it(`stops the daemon at start when it was ${how}, prints what to do, and no new database is created`, async () => {
      const till = await Till.start({}, {}, dir);
      await Shop.open(till.api);
      await till.down();
      lose();
      const before = databaseFiles();
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const refusal = Till.start({}, {}, dir);
        await expect(refusal).rejects.toThrow(/tilld\.sqlite.*tillctl restore.*tillctl seed restore/s);
        expect(databaseFiles()).toEqual(before);
      }
      expect(existsSync(join(dir, 'keyring.json'))).toBe(true);
    });
  }

  it('does not stop the daemon when its first start died before the database recorded the keyring', async () => {
    const first = await Till.start({}, {}, dir);
    await first.down();
    const keyring = readFileSync(join(dir, 'keyring.json'), 'utf8');
    const passphrase = readFileSync(join(dir, 'keyring-passphrase'), 'utf8');
    // What such a start leaves: the keyring with its note, a database that knows nothing yet.
    rmSync(markFile());
    removeDatabase();
    writeFileSync(join(dir, 'keyring.new'), '');
    const again = await Till.start({}, {}, dir);
    const shop = await Shop.open(again.api);
    await shop.createPayment();
    await again.down();
    expect(readFileSync(join(dir, 'keyring.json'), 'utf8')).toBe(keyring);
    expect(readFileSync(join(dir, 'keyring-passphrase'), 'utf8')).toBe(passphrase);
    expect(existsSync(join(dir, 'keyring.new'))).toBe(false);
    // From now on it is: the note counts for the first start only.
    removeDatabase();
    await expect(Till.start({}, {}, dir)).rejects.toThrow('tillctl restore');
  });

  it('does not stop the daemon when its first start was killed at any moment', async () => {
    // Slow enough to be hit before, while and after the keyring is written.
    const slow = { TILLD_KEYRING_MEMORY: '64MiB', TILLD_KEYRING_ITERATIONS: '3' };
    const seen = new Set<string>();
    for (const wanted of ['tilld.sqlite', 'keyring-passphrase', 'keyring.new', 'keyring.json']) {
      const started = await TillProcess.spawn(slow, dir);
      await eventually(
        wanted,
        async () => existsSync(join(dir, wanted)),
        (isThere) => isThere,
        60_000,
      );
      await started.kill9();
      for (const name of readdirSync(dir)) seen.add(name);
    }
    expect([...seen]).toContain('keyring.json');
    const till = await TillProcess.start(slow, dir);
    const shop = await Shop.open(till.api);
    expect((await shop.createPayment()).id).toMatch(/^pay_/);
    await till.kill9();
  });
});

async function expectMark(baseUrl: string, isSet: boolean): Promise<void> {
  const { data } = (await (await fetch(`${baseUrl}/readyz`)).json()) as { data: { warnings: string[] } };
  expect(data.warnings.filter((warning) => warning.includes('older copy'))).toHaveLength(isSet ? 1 : 0);
  const metrics = await (await fetch(`${baseUrl}/metrics`)).text();
  expect(metrics).toMatch(new RegExp(`^tilld_database_was_older ${isSet ? 1 : 0}$`, 'm'));
}

describe('an older copy of the database, restored by hand,', () => {
  it('does not cause addresses to be issued twice that were issued since the copy, also after kill -9', async () => {
    const till = await TillProcess.start(WARN, dir);
    const shop = await Shop.open(till.api);
    const known = addressesOf(await shop.createPayment());
    await till.terminate();
    const copy = keepCopy();
    await till.up();
    const lost: PaymentJson[] = [];
    for (let count = 0; count < 3; count += 1) lost.push(await shop.createPayment());
    const later = await Shop.open(till.api);
    await till.kill9();
    expect(till.output).not.toContain(OLDER);

    putBack(copy);
    rmSync(copy);
    await till.up();
    expect(till.output).toContain(OLDER);
    await expectMark(till.api.baseUrl, true);
    const given = new Set([...known, ...lost.flatMap(addressesOf), ...Object.values(later.wallets)]);
    for (let count = 0; count < 5; count += 1) {
      for (const address of addressesOf(await shop.createPayment())) expect(given).not.toContain(address);
    }
    const newcomer = await Shop.open(till.api);
    for (const address of Object.values(newcomer.wallets)) expect(given).not.toContain(address);
    // Money of those who pay late is found: their addresses are watched.
    const sqlite = new Database(join(dir, 'tilld.sqlite'), { readonly: true });
    const purpose = sqlite.prepare('SELECT purpose FROM addresses WHERE address = ?').pluck();
    for (const address of lost.flatMap(addressesOf)) expect(purpose.get(address)).toBe('recovered');
    sqlite.close();

    // It is told of once: what was skipped belongs to the database now.
    await till.kill9();
    const told = till.output.split(OLDER).length;
    await till.up();
    expect(till.output.split(OLDER)).toHaveLength(told);
    // Who runs the daemon may not have read the log: it is shown until the mark is removed.
    await expectMark(till.api.baseUrl, true);
    rmSync(join(dir, 'older-database'));
    await expectMark(till.api.baseUrl, false);
    await till.kill9();
  });

  it('is distinguished from a database after kill -9 while addresses were issued', async () => {
    const till = await TillProcess.start(WARN, dir);
    const shop = await Shop.open(till.api);
    const given = new Map<string, string>();
    for (let round = 0; round < 6; round += 1) {
      const answered: Promise<PaymentJson | null>[] = [];
      for (let count = 0; count < 20; count += 1) answered.push(shop.createPayment().catch(() => null));
      await Promise.race(answered);
      await till.kill9();
      for (const payment of await Promise.all(answered)) {
        if (payment === null) continue;
        for (const address of addressesOf(payment)) {
          expect(given.get(address) ?? payment.id).toBe(payment.id);
          given.set(address, payment.id);
        }
      }
      await till.up();
    }
    expect(till.output).not.toContain(OLDER);
    await till.kill9();
    expect(given.size).toBeGreaterThan(0);
  });
});

describe('the file of issued addresses', () => {
  it('is created when the data directory comes from a version without it', async () => {
    const till = await Till.start({}, {}, dir);
    const shop = await Shop.open(till.api);
    await shop.createPayment();
    await till.down();
    rmSync(markFile());
    await till.up();
    const next = await shop.createPayment();
    await till.down();
    const copy = keepCopy();
    await till.up();
    const lost = addressesOf(await shop.createPayment());
    await till.down();
    putBack(copy);
    rmSync(copy);
    await till.up();
    const after = addressesOf(await shop.createPayment());
    await till.down();
    expect(after.filter((address) => lost.includes(address))).toEqual([]);
    expect(addressesOf(next).filter((address) => lost.includes(address))).toEqual([]);
  });

  it('is valid with a half-written last line after a power failure, and readable by its owner only', async () => {
    const till = await Till.start({}, {}, dir);
    const shop = await Shop.open(till.api);
    await till.down();
    expect(statSync(markFile()).mode & 0o777).toBe(0o600);
    writeFileSync(markFile(), `${readFileSync(markFile(), 'utf8')}7 BTC li`);
    await till.up();
    expect((await shop.createPayment()).status).toBe('pending');
    await till.down();
    expect(readFileSync(markFile(), 'utf8')).not.toContain('7 BTC li');
  });

  it('stops the daemon at start when it is damaged, with a message about what to do', async () => {
    const till = await Till.start({}, {}, dir);
    await till.down();
    const text = readFileSync(markFile(), 'utf8');
    writeFileSync(markFile(), `${text.slice(0, 10)}\0\0\0\0${text.slice(14)}`);
    await expect(till.up()).rejects.toThrow(/given-addresses.*damaged.*latest/s);
  });
});
