/** Budgets make room for what blocks hold, whatever was signed within them. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { admitFee, admitPart, feeLimit } from '../../../src/store/sends/fee-budgets.ts';
import { insertSendVersion, type StoredSendVersion } from '../../../src/store/sends/send-versions.ts';
import { findSend, insertMinedSend, updateSend, type StoredSend } from '../../../src/store/sends/sends.ts';
import type { Tx } from '../../../src/store/sqlite/database.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { layOut } from '../../_helpers/earlier-databases.ts';

let dir: string;
let store: OpenDatabase;
let like: { send: StoredSend; version: StoredSendVersion };

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-admitted-'));
  layOut('0048-revocations.json.gz', dir);
  store = await openDatabase(join(dir, 'tilld.sqlite'));
  const { db } = store;
  const version = await db
    .selectFrom('send_versions')
    .selectAll()
    .where('coin', '=', 'BTC')
    .executeTakeFirstOrThrow();
  like = { send: (await findSend(db, version.sendId))!, version };
});
afterEach(async () => {
  await store.close();
  rmSync(dir, { recursive: true, force: true });
});

const versionOf = (sendId: string, version: number, fee: string): StoredSendVersion => ({
  ...like.version,
  sendId,
  version,
  txid: `${sendId}-${version}`,
  fee,
});

async function addSend(tx: Tx, id: string, change: Partial<StoredSend>): Promise<void> {
  const own = { id, idempotencyKey: null, drawsOn: null, drawsOnVersion: null, partOf: null };
  await insertMinedSend(tx, {
    ...like.send,
    ...own,
    status: 'broadcast',
    txid: `${id}-1`,
    fee: '0',
    ...change,
  });
}

/** A send with a budget of 1,000; a part of it was mined after it had failed and others had used what it left. */
async function overspend(tx: Tx): Promise<void> {
  await addSend(tx, 'whole', { maxFee: '1000', parts: 2 });
  await addSend(tx, 'one', { maxFee: '600', partOf: 'whole', purpose: 'sweep' });
  await insertSendVersion(tx, versionOf('one', 1, '600'));
  await updateSend(tx, 'one', { status: 'failed' }, 1);
  await addSend(tx, 'two', { maxFee: '600', partOf: 'whole', purpose: 'sweep' });
  await insertSendVersion(tx, versionOf('two', 1, '600'));
  await insertSendVersion(tx, versionOf('whole', 1, '400'));
  await updateSend(tx, 'one', { status: 'confirmed' }, 1);
}

describe('the fee budget of a send whose mined fees already exceed it', () => {
  it('does not prevent storing a version of the send that a block contains', async () => {
    await store.db.transaction(async (tx) => {
      await overspend(tx);
      await admitFee(tx, { id: 'whole' }, 100n, 2);
      await insertSendVersion(tx, versionOf('whole', 2, '100'));
      expect(await feeLimit(tx, { id: 'whole' })).toBe(400n);
    });
  });

  it('does not prevent storing a version of one of its consolidations that a block contains', async () => {
    await store.db.transaction(async (tx) => {
      await overspend(tx);
      await admitFee(tx, { id: 'two' }, 700n, 2);
      await insertSendVersion(tx, versionOf('two', 2, '700'));
      expect(await feeLimit(tx, { id: 'two' })).toBe(700n);
    });
  });

  it('does not prevent storing another consolidation that a block contains', async () => {
    await store.db.transaction(async (tx) => {
      await overspend(tx);
      const whole = (await findSend(tx, 'whole'))!;
      await admitPart(tx, whole, 50n, 2);
      await addSend(tx, 'three', { maxFee: '50', partOf: 'whole', purpose: 'sweep' });
      await insertSendVersion(tx, versionOf('three', 1, '50'));
      expect(await feeLimit(tx, { id: 'three' })).toBe(50n);
    });
  });
});
