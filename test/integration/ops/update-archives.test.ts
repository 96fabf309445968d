/** Two archives of scripts/release, updated and rolled back under load on a real chain, with kill -9 at every step. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { VERSION } from '../../_helpers/installed.ts';
import { killRollback, killUpdate, ROLLBACK_STEPS } from '../../_helpers/killed-updates.ts';
import { requireNode, startNode, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { RegtestLoad } from '../../_helpers/regtest-load.ts';
import { buildRelease, copyAsLaterVersion } from '../../_helpers/release-archives.ts';
import { liveEnv } from '../../_helpers/till.ts';
import { STEPS, UpdateWorld } from '../../_helpers/updates.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const LIMIT_MS = 1_800_000;
const LATER = '99.0.0';
const ORDERS = 4;

describe.skipIf(!requireNode('BTC'))('update and rollback with two archives of scripts/release', () => {
  const dir = mkdtempSync('/var/tmp/tilld archives-');
  let later: string;
  let world: UpdateWorld;
  let node: RegtestNode;
  let sink: WebhookSink;
  let shop: Shop;
  let load: RegtestLoad;

  beforeAll(async () => {
    const key = join(dir, 'key');
    execFileSync('ssh-keygen', ['-q', '-t', 'ed25519', '-N', '', '-C', 'release', '-f', key]);
    const signers = join(dir, 'signers');
    writeFileSync(signers, `release ${readFileSync(`${key}.pub`, 'utf8')}`);
    const into = (name: string): string => join(dir, name);
    const options = ['--allow-changes'];
    const first = await buildRelease(resolve('.'), { into: into('first'), key, options });
    mkdirSync(into('sources'));
    copyAsLaterVersion(into('sources'), LATER);
    later = await buildRelease(into('sources'), { into: into('later'), key });
    node = await startNode('BTC');
    world = await UpdateWorld.unpack(first, VERSION, { signers, env: liveEnv({ BTC: node.rpcUrl }) });
    world.service('start');
    await world.ready();
    sink = await WebhookSink.start();
    shop = await Shop.open(world.api, { webhookUrl: sink.url });
    load = new RegtestLoad({ shop, node, sink });
  }, LIMIT_MS);
  afterAll(async () => {
    world?.end();
    await sink?.close();
    await node?.stop();
    rmSync(dir, { recursive: true, force: true });
  });

  /** The ledger against the chain, and the database file page by page. */
  async function expectSound(): Promise<void> {
    await world.ready();
    for (const command of ['reconcile', 'check']) {
      const { code, output } = await world.tillctl(command);
      expect([command, code, output]).toEqual([command, 0, output]);
    }
  }

  it(
    'an update that is killed at every step loses and repeats no payment, webhook or send',
    async () => {
      load.start();
      await load.grow(ORDERS);
      for (const step of STEPS) {
        await world.ready();
        await killUpdate(world, step, later);
        world.service('start');
        expect([VERSION, LATER]).toContain(await world.responds());
        await load.grow(1);
      }
      await world.ready();
      const done = await world.tillctl('update');
      expect(done, done.output).toMatchObject({ code: 0 });
      expect([world.current, await world.responds()]).toEqual([LATER, LATER]);
      await load.grow(ORDERS);
      await load.stop();
      await load.settle();
      expect(load.orders.length).toBeGreaterThan(2 * ORDERS + STEPS.length);
      expect(load.sends.length).toBeGreaterThan(ORDERS);
      expect(await load.problemsOfOrders()).toEqual([]);
      expect(await load.problemsOfSends()).toEqual([]);
      await expectSound();
    },
    LIMIT_MS,
  );

  it(
    'a rollback that is killed at every step loses only payments since the update, and repeats no send',
    async () => {
      const { stoppedAt } = JSON.parse(world.journal) as { stoppedAt: number };
      const since = ({ at }: { at: number }): boolean => at >= stoppedAt;
      const before = await load.snapshot();
      const kept = load.orders.filter((order) => !since(order));
      const isCompletedBefore = (id: string): boolean => {
        const { timeline } = before.get(id) as Pick<PaymentJson, 'timeline'>;
        return timeline.some(({ type, at }) => type === 'payment.completed' && Date.parse(at) < stoppedAt);
      };
      // The others are credited again, by events of their own.
      const completed = kept.filter(({ id }) => isCompletedBefore(id));
      expect(completed.length).toBeGreaterThan(0);
      load.isSending = false;
      load.start();
      for (const step of ROLLBACK_STEPS) {
        await world.ready();
        await killRollback(world, VERSION, step);
        world.service('start');
        expect([VERSION, LATER]).toContain(await world.responds());
        await load.grow(1);
      }
      await load.stop();
      const done = await world.tillctl('rollback', '--yes');
      expect(done, done.output).toMatchObject({ code: 0 });
      expect([world.current, await world.responds()]).toEqual([VERSION, VERSION]);
      await world.ready();
      await node.mine(2);
      const sends = load.sends.filter((send) => !since(send));
      await load.settle(kept, sends);
      const after = await load.snapshot();
      for (const { id } of [...completed, ...sends])
        expect([id, after.get(id)]).toEqual([id, before.get(id)]);
      expect(await load.problemsOfOrders(completed)).toEqual([]);
      // Also those since the update, which this release does not know.
      expect(await load.problemsOfSends()).toEqual([]);
      await expectSound();
    },
    LIMIT_MS,
  );

  it(
    'the release that was returned to takes orders, and sends from the money of orders that it does not know',
    async () => {
      const [orders, sends] = [load.orders.length, load.sends.length];
      load.isSending = true;
      load.start();
      await load.grow(ORDERS);
      await load.stop();
      const [newOrders, newSends] = [load.orders.slice(orders), load.sends.slice(sends)];
      await load.settle(newOrders, newSends);
      expect(newSends.length).toBeGreaterThan(0);
      expect(await load.problemsOfOrders(newOrders)).toEqual([]);
      expect(await load.problemsOfSends()).toEqual([]);
      await expectSound();
    },
    LIMIT_MS,
  );
});
