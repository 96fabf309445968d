import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Shop } from '../../_helpers/api-client.ts';
import { buildSources } from '../../_helpers/installed.ts';
import { killUpdate } from '../../_helpers/killed-updates.ts';
import { eventually } from '../../_helpers/poll.ts';
import { MIGRATION, STEPS, UpdateWorld } from '../../_helpers/updates.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const LIMIT_MS = 1_200_000;
const PAUSE_MS = 50;
const SANDBOX_ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

let world: UpdateWorld;
let sink: WebhookSink;
let shop: Shop;
/** Addresses of every payment that was ever answered. */
const addresses = new Set<string>();

beforeAll(async () => {
  world = await UpdateWorld.create(buildSources(), '0.1.0');
  world.service('start');
  await world.ready();
  sink = await WebhookSink.start();
  shop = await Shop.open(world.api, { webhookUrl: sink.url });
}, LIMIT_MS);
afterAll(async () => {
  world?.end();
  await sink?.[Symbol.asyncDispose]();
});

/** Creates a payment; its id. */
async function order(): Promise<string> {
  const { id, options } = await shop.createPayment();
  for (const { address } of Object.values(options)) {
    expect(addresses).not.toContain(address);
    addresses.add(address);
  }
  return id;
}

/** Orders and pays as a shop does while the daemon may be away, until it is stopped; ids of created payments. */
function startLoad(): { stop: () => Promise<string[]> } {
  const ids: string[] = [];
  const stopping = new AbortController();
  const work = (async () => {
    while (!stopping.signal.aborted) {
      try {
        const id = await order();
        ids.push(id);
        const body = { paymentId: id, scenario: 'exact' };
        await world.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
      } catch (error) {
        // A restart refuses connections or ends them; what was answered counts.
        if (error instanceof Error && error.name === 'AssertionError') throw error;
      }
      await pause(PAUSE_MS);
    }
    return ids;
  })();
  return {
    stop: async () => {
      stopping.abort();
      return work;
    },
  };
}

interface SendView {
  readonly id: string;
  readonly status: string;
  readonly amount: string;
  readonly txHash: string | null;
}

async function sendOf(id: string): Promise<SendView> {
  const path = `/merchant/wallet/send-status?sendId=${id}`;
  const { status, amount, txHash } = await world.api.must<SendView>('GET', path, { token: shop.secretKey });
  return { id, status, amount, txHash };
}

/** A payment that completed, and a confirmed send of a part of it. */
async function paidSend(): Promise<SendView> {
  const id = await order();
  const body = { paymentId: id, scenario: 'exact', coin: 'BTC' };
  await world.api.must('POST', '/sandbox/payment/simulate', { token: shop.secretKey, body });
  await eventually(
    'the payment is completed',
    async () => shop.payment(id),
    ({ status }) => status === 'completed',
  );
  const sent = await shop.send({ coin: 'BTC', amount: '0.0001', destination: SANDBOX_ADDRESS });
  const sendId = sent.body.data.id;
  return eventually(
    'the send is confirmed',
    async () => sendOf(sendId),
    ({ status }) => status === 'confirmed',
  );
}

async function statusOf(id: string): Promise<number> {
  return (await world.api.call('GET', `/payment/get?paymentId=${id}`, { token: shop.secretKey })).status;
}

it(
  'tillctl update switches to a release with a newer schema under load, without losing a payment or webhook',
  async () => {
    const send = await paidSend();
    const load = startLoad();
    const same = await world.update(world.archive('0.2.0'));
    expect(same).toMatchObject({ code: 0, output: expect.stringContaining('tilld is 0.2.0') });
    const newer = await world.update(world.archive('0.3.0', { migrates: true }));
    expect(newer).toMatchObject({ code: 0, output: expect.stringContaining('the migrations succeed') });
    const ids = await load.stop();
    expect([world.current, await world.responds()]).toEqual(['0.3.0', '0.3.0']);
    expect(ids.length).toBeGreaterThan(5);
    expect(await sendOf(send.id)).toEqual(send);
    for (const id of ids) {
      expect((await shop.payment(id)).id).toBe(id);
      await eventually(
        `the webhook payment.created of ${id}`,
        () => sink.types(id).includes('payment.created'),
        Boolean,
      );
    }
  },
  LIMIT_MS,
);

it(
  'tillctl rollback lists the payments that it loses, refuses without --yes, and addresses are not issued twice afterwards',
  async () => {
    await world.ready();
    const before = readdirSync(world.dataDir).filter((name) => name === `tilld.sqlite.before-${MIGRATION}`);
    expect(before).toHaveLength(1);
    const since = [await order(), await order()];
    const refused = await world.tillctl('rollback');
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('0.3.0 stays') });
    expect(refused.output).toMatch(/loses the following, created since[\s\S]*payments +\d+/);
    expect(world.current).toBe('0.3.0');
    const done = await world.tillctl('rollback', '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('tilld is 0.2.0 again') });
    expect(await world.responds()).toBe('0.2.0');
    for (const id of since) expect(await statusOf(id)).toBe(404);
    // `order` compares with every address that was ever given.
    await order();
    const kept = readdirSync(world.dataDir).filter((name) => name.startsWith('tilld.sqlite.rolled-back-'));
    expect(kept).toHaveLength(1);
    expect(await world.tillctl('rollback', '--yes')).toMatchObject({ code: 1 });
  },
  LIMIT_MS,
);

it(
  'tillctl rollback refuses and starts the newer release again when a send is created just before the stop',
  async () => {
    await world.ready();
    const newer = await world.update(world.archive('0.3.1', { migrates: true }));
    expect(newer.code).toBe(0);
    await world.ready();
    const send = await paidSend();
    // As if it were of real money, and had just been ordered.
    const markLive = (mode: string, status: string): string => `
      import { DatabaseSync } from 'node:sqlite';
      new DatabaseSync(${JSON.stringify(join(world.dataDir, 'tilld.sqlite'))})
        .exec("UPDATE sends SET mode = '${mode}', status = '${status}' WHERE id = '${send.id}'");`;
    const ordered = world.whenStopped(markLive('live', 'broadcast'));
    const refused = await world.tillctl('rollback', '--yes');
    ordered.remove();
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('1 sends since the update') });
    expect([world.current, await world.responds()]).toEqual(['0.3.1', '0.3.1']);
    const settled = world.whenStopped(markLive('sandbox', 'confirmed'));
    world.service('stop');
    settled.remove();
    world.service('start');
    await world.ready();
    expect(await world.tillctl('rollback', '--yes')).toMatchObject({ code: 0 });
    expect([world.current, await world.responds()]).toEqual(['0.2.0', '0.2.0']);
  },
  LIMIT_MS,
);

it(
  'tillctl update returns to the old release and its database if the new one never listens',
  async () => {
    await world.ready();
    const id = await order();
    const archive = world.archive('0.4.0', { neverListens: true });
    await killUpdate(world, 'switching back', archive, '--wait', '8');
    const failed = await world.tillctl('update', '--wait', '8');
    expect(failed).toMatchObject({
      code: 1,
      output: expect.stringContaining('0.2.0 runs again, and nothing was lost'),
    });
    expect([world.current, await world.responds()]).toEqual(['0.2.0', '0.2.0']);
    expect((await shop.payment(id)).id).toBe(id);
  },
  LIMIT_MS,
);

it(
  'tillctl update keeps a new release that is not ready but has accepted payments, which only an explicit rollback undoes',
  async () => {
    await world.ready();
    const before = await order();
    const updating = world.update(world.archive('0.4.1', { neverReady: true }), '--wait', '15');
    await eventually(
      '0.4.1 responds',
      async () => world.responds(),
      (version) => version === '0.4.1',
    );
    const since = await order();
    expect(await updating).toMatchObject({
      code: 1,
      output: expect.stringMatching(/has written since it was started .*payments/) as string,
    });
    expect([world.current, await world.responds()]).toEqual(['0.4.1', '0.4.1']);
    expect((await shop.payment(since)).id).toBe(since);
    const done = await world.tillctl('rollback', '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringMatching(/payments +1\b/) as string });
    expect(await world.responds()).toBe('0.2.0');
    expect([(await shop.payment(before)).id, await statusOf(since)]).toEqual([before, 404]);
    await order();
  },
  LIMIT_MS,
);

it(
  'tillctl update refuses an archive that is changed, signed by another key, or older than the running release',
  async () => {
    await world.ready();
    const older = await world.update(world.archive('0.1.9'));
    expect(older).toMatchObject({ code: 1, output: expect.stringContaining('older than 0.2.0') });
    const changed = world.archive('0.5.0');
    writeFileSync(changed, Buffer.concat([readFileSync(changed), Buffer.from('x')]));
    expect((await world.update(changed)).output).toContain('differs from its checksum');
    const unsigned = world.archive('0.5.0');
    const sums = join(dirname(unsigned), 'SHA256SUMS');
    writeFileSync(sums, `${readFileSync(sums, 'utf8')}${'0'.repeat(64)}  another\n`);
    expect((await world.update(unsigned)).output).toContain('is not by a key of');
    expect([world.current, await world.responds()]).toEqual(['0.2.0', '0.2.0']);
    expect(readdirSync(join(world.root, 'releases')).filter((name) => name.startsWith('.'))).toEqual([]);
  },
  LIMIT_MS,
);

it(
  'tillctl update leaves a working release when it is killed at any step, and continues when it is run again',
  async () => {
    const archive = world.archive('0.6.0', { migrates: true });
    const ids: string[] = [];
    for (const step of STEPS) {
      await world.ready();
      ids.push(await order());
      await killUpdate(world, step, archive);
      world.service('start');
      expect(['0.2.0', '0.6.0']).toContain(await world.responds());
      const isNoted = ['stopping', 'keeping the database', 'switched'].includes(step);
      const { output } = await world.tillctl('status');
      expect([step, output.includes('the update to 0.6.0 is not finished')]).toEqual([step, isNoted]);
    }
    await world.ready();
    ids.push(await order());
    const continued = await world.tillctl('update');
    expect(continued).toMatchObject({ code: 0, output: expect.stringContaining('tilld is 0.6.0') });
    for (const id of ids) expect((await shop.payment(id)).id).toBe(id);
    expect(await world.tillctl('check')).toMatchObject({ code: 0 });
  },
  LIMIT_MS,
);

it(
  'tillctl rollback restores the backup of the update if the earlier database file was deleted',
  async () => {
    await world.ready();
    rmSync(join(world.dataDir, `tilld.sqlite.before-${MIGRATION}`));
    const done = await world.tillctl('rollback', '--yes');
    expect(done).toMatchObject({ code: 0, output: expect.stringContaining('tilld is 0.2.0 again') });
    expect(await world.responds()).toBe('0.2.0');
    await order();
    expect(await world.tillctl('check')).toMatchObject({ code: 0 });
  },
  LIMIT_MS,
);
