import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Coin } from '../../../src/domain/coins.ts';
import { findConditions } from '../../../src/usecases/notices/find-conditions.ts';
import { storeConditionNotices } from '../../../src/usecases/notices/store-condition-notices.ts';
import { startHttpApp, type HttpApp } from '../../_helpers/http-app.ts';

const MINUTE_MS = 60_000;

let app: HttpApp;
let state: string;
let isCertificateEnding = false;
let isBackupTooOld: boolean;
let areRatesUnsure: boolean;
let unread: { count: number };
beforeEach(async () => {
  app = await startHttpApp();
  state = 'following';
  isBackupTooOld = false;
  isCertificateEnding = false;
  areRatesUnsure = false;
  unread = { count: 0 };
});
afterEach(async () => app.destroy());

/** Lets minutes pass, and looks as often as the daemon does. */
async function pass(minutes: number, step = 1): Promise<void> {
  const deps = {
    db: app.db,
    clock: { now: () => app.now() },
    chains: () => [
      { coin: 'BTC' as Coin, mode: 'live' as const, state, unread },
      { coin: 'LTC' as Coin, mode: 'sandbox' as const, state: 'unreachable', unread: { count: 3 } },
    ],
    isBackupTooOld: () => isBackupTooOld,
    isReplicaBehind: () => false,
    isCertificateEnding: () => isCertificateEnding,
    areRatesUnsure: () => areRatesUnsure,
  };
  for (let minute = 0; minute < minutes; minute += step) {
    await storeConditionNotices(deps, await findConditions(deps));
    app.advance(step * MINUTE_MS);
  }
  await storeConditionNotices(deps, await findConditions(deps));
}

const told = async () =>
  (await app.db.selectFrom('notices').select(['reason', 'subject']).orderBy('createdAt').execute()).map(
    ({ reason, subject }) => `${reason} ${subject}`,
  );

it('storeConditionNotices reports a node once when it was down for ten minutes, and once when it is back for good', async () => {
  state = 'unreachable';
  await pass(9);
  expect(await told()).toEqual([]);
  await pass(600, 10);
  expect(await told()).toEqual(['node_down BTC']);
  state = 'following';
  await pass(10);
  expect(await told()).toEqual(['node_down BTC']);
  await pass(6);
  expect(await told()).toEqual(['node_down BTC', 'node_back BTC']);
});

it('storeConditionNotices reports rates from a single source after ten minutes, and once several sources agree again', async () => {
  areRatesUnsure = true;
  await pass(9);
  expect(await told()).toEqual([]);
  await pass(2);
  expect(await told()).toEqual(['rates_unsure server']);
  areRatesUnsure = false;
  await pass(20);
  expect(await told()).toEqual(['rates_unsure server', 'rates_back server']);
});

it('storeConditionNotices reports live transactions that were unreadable for ten minutes, and once they are read', async () => {
  unread = { count: 1 };
  await pass(9);
  expect(await told()).toEqual([]);
  await pass(2);
  expect(await told()).toEqual(['transactions_unread BTC']);
  unread = { count: 0 };
  await pass(20);
  expect(await told()).toEqual(['transactions_unread BTC', 'transactions_read BTC']);
});

it('storeConditionNotices does not report a node that is down for a moment, however often', async () => {
  for (let times = 0; times < 30; times += 1) {
    state = 'behind';
    await pass(8);
    state = 'following';
    await pass(2);
  }
  expect(await told()).toEqual([]);
});

it('storeConditionNotices reports a node that flaps for a day less and less often', async () => {
  for (let times = 0; times < 24; times += 1) {
    state = 'unreachable';
    await pass(30);
    state = 'following';
    await pass(30);
  }
  // The third time it would have to be away for 40 minutes.
  expect(await told()).toEqual(['node_down BTC', 'node_back BTC', 'node_down BTC', 'node_back BTC']);
  await pass(25 * 60, 10);
  state = 'unreachable';
  await pass(11);
  expect((await told()).slice(4)).toEqual(['node_down BTC']);
});

it('storeConditionNotices counts the outage of a node across a restart of the daemon as one', async () => {
  state = 'unreachable';
  await pass(6);
  state = 'starting';
  await pass(6);
  expect(await told()).toEqual(['node_down BTC']);
});

it('storeConditionNotices reports an overdue backup immediately, and the next successful backup', async () => {
  isBackupTooOld = true;
  await pass(1);
  expect(await told()).toEqual(['backup_old server']);
  isBackupTooOld = false;
  await pass(16);
  expect(await told()).toEqual(['backup_old server', 'backup_back server']);
});

it('storeConditionNotices reports a certificate that expires soon, and its renewal', async () => {
  isCertificateEnding = true;
  await pass(1);
  expect(await told()).toEqual(['certificate_ending server']);
  isCertificateEnding = false;
  await pass(16);
  expect(await told()).toEqual(['certificate_ending server', 'certificate_back server']);
});

const DAY = 24 * 60;

it('storeConditionNotices sends a reminder of a lasting condition once a day for two weeks, and starts again after the condition ended', async () => {
  state = 'unreachable';
  await pass(10);
  expect(await told()).toEqual(['node_down BTC']);
  await pass(DAY - 1, 1);
  expect(await told()).toEqual(['node_down BTC']);
  await pass(2);
  expect(await told()).toEqual(['node_down BTC', 'node_down BTC']);
  await pass(60 * DAY, 10);
  const all = await told();
  expect(all).toEqual(Array.from({ length: 14 }, () => 'node_down BTC'));
  const reminders = await app.db.selectFrom('notices').select('toldAt').orderBy('createdAt').execute();
  // An earlier notice is repeated as a reminder.
  expect(reminders.map(({ toldAt: at }) => at !== null)).toEqual([false, ...all.slice(1).map(() => true)]);
  state = 'following';
  await pass(16);
  expect((await told()).slice(14)).toEqual(['node_back BTC']);
  await pass(25 * 60, 10);
  state = 'unreachable';
  await pass(DAY + 15, 5);
  expect((await told()).slice(15)).toEqual(['node_down BTC', 'node_down BTC']);
});

it('storeConditionNotices does not delay a reminder because of a short recovery, and sends none during the recovery', async () => {
  isBackupTooOld = true;
  await pass(DAY - 5, 5);
  isBackupTooOld = false;
  await pass(10);
  expect(await told()).toEqual(['backup_old server']);
  isBackupTooOld = true;
  await pass(1);
  expect(await told()).toEqual(['backup_old server', 'backup_old server']);
});
