/** A restored daemon that dies while it watches the addresses that may have been given out since the backup. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeEach, expect, it, describe } from 'vitest';
import { Shop, type ApiClient } from '../../_helpers/api-client.ts';
import { openLiveProcess, type LiveWorld } from '../../_helpers/live-world.ts';
import { requireNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const LOOK_AHEAD = 500;
const DUE = 70_000n;

let dir: string;
let world: LiveWorld<RegtestNode, TillProcess>;
const env = (): Record<string, string> => ({ ...world.env });

/** Runs a query on a data directory, whether its daemon runs or not. */
function read(dataDir: string, sql: string): Record<string, number>[] {
  const sqlite = new Sqlite(join(dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    return sqlite.prepare<[], Record<string, number>>(sql).all();
  } finally {
    sqlite.close();
  }
}

const unwatched = (dataDir: string): number =>
  read(dataDir, 'SELECT coalesce(sum(until_index - next_index), 0) AS n FROM look_ahead_ranges')[0]?.['n'] ??
  0;

async function restore(backup: string, name: string): Promise<string> {
  const dataDir = join(dir, name);
  const args = [backup, '--nothing-revoked', '--data-dir', dataDir, '--look-ahead', String(LOOK_AHEAD)];
  expect(await runTool('restore', args, { env: env() })).toMatchObject({ code: 0 });
  return dataDir;
}

async function backUp(dataDir: string, name: string): Promise<string> {
  const file = join(dir, name);
  expect(await runTool('backup', [file, '--data-dir', dataDir], { env: env() })).toMatchObject({ code: 0 });
  return file;
}

/** Starts the daemon and kills it as soon as some more of the reserved addresses are watched. */
async function killedMidway(dataDir: string): Promise<number> {
  const before = unwatched(dataDir);
  const till = await TillProcess.spawn(env(), dataDir);
  await eventually(
    'some more are watched',
    () => unwatched(dataDir),
    (left) => left < before,
    60_000,
  );
  await till.kill9();
  return unwatched(dataDir);
}

async function balanceOf(api: ApiClient, { secretKey }: Shop): Promise<bigint> {
  const balances = await api.must<Record<string, string>>('GET', '/merchant/wallet/balances', {
    token: secretKey,
  });
  return toAtoms(balances['BTC'] ?? '0');
}

describe.skipIf(!requireNode('BTC'))(
  'a daemon restored from an old backup, killed repeatedly and restored again,',
  () => {
    beforeEach(async () => {
      dir = mkdtempSync(join(tmpdir(), 'till-killed-'));
      world = await openLiveProcess('BTC', { env: { TILLD_KEYRING_PASSPHRASE: 'a passphrase' } });
    });
    afterEach(async () => {
      await world.end();
      rmSync(dir, { recursive: true, force: true });
    });

    it('credits payments since the backup once in every shop, and issues none of their addresses again', async () => {
      const { node, till } = world;
      const shops = [world.shop, await Shop.open(till.api), await Shop.open(till.api)];
      const backup = await backUp(till.dataDir, 'before.backup');
      const lost = new Map<Shop, string[]>();
      for (const shop of shops) {
        const addresses: string[] = [];
        for (let made = 0; made < 3; made += 1) {
          const payment = await shop.createPayment({ allowedCryptos: ['BTC'] });
          addresses.push(payment.options.BTC.address);
        }
        lost.set(shop, addresses);
        await node.pay({ address: addresses[2] ?? '', amountAtoms: DUE });
      }
      await node.mine(3);
      await till.kill9();

      const once = await restore(backup, 'once');
      let left = unwatched(once);
      expect(left).toBe(shops.length * 6 * LOOK_AHEAD);
      for (let kill = 0; kill < 3; kill += 1) {
        const now = await killedMidway(once);
        expect(now).toBeLessThan(left);
        left = now;
      }
      expect(left).toBeGreaterThan(0);
      // Nothing was read of the chain meanwhile.
      expect(read(once, 'SELECT txid FROM outputs')).toEqual([]);

      const twice = await restore(await backUp(once, 'midway.backup'), 'twice');
      expect(unwatched(twice)).toBe(left + shops.length * 6 * LOOK_AHEAD);
      await using restored = await TillProcess.start(env(), twice);
      await restored.ready();
      for (const shop of shops) {
        expect(await balanceOf(restored.api, shop)).toBe(DUE);
        const again = await restored.api.must<{ options: { BTC: { address: string } } }>(
          'POST',
          '/payment/create',
          {
            token: shop.publicKey,
            body: {
              amount: '10',
              currency: 'USD',
              customerId: shop.customerId,
              orderId: 'after',
              allowedCryptos: ['BTC'],
            },
          },
        );
        expect(lost.get(shop)).not.toContain(again.options.BTC.address);
        await node.pay({ address: lost.get(shop)?.[0] ?? '', amountAtoms: DUE });
      }
      await node.mine(3);
      for (const shop of shops) {
        await eventually(
          'the payer of another lost payment is heard',
          () => balanceOf(restored.api, shop),
          (balance) => balance === 2n * DUE,
        );
      }
      await eventually(
        'all coins are watched',
        () => unwatched(twice),
        (count) => count === 0,
        60_000,
      );
      // Each branch without a hole, so that no index was skipped unwatched.
      const holes = read(
        twice,
        `SELECT count(*) AS n, max(idx) AS highest FROM addresses WHERE mode = 'live' GROUP BY merchant_id, coin, branch`,
      ).filter(({ n, highest }) => n !== (highest ?? 0) + 1);
      expect(holes).toEqual([]);
    });
  },
);
