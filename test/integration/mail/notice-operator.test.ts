/** What the operator is mailed about node and replica, until both are back, by SMTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterEach, beforeAll, expect, it } from 'vitest';
import { FakeUtxoNode } from '../../_helpers/fake-utxo-node.ts';
import { arrived, to } from '../../_helpers/notice-mails.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SmtpSink, subjectOf } from '../../_helpers/smtp-sink.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';
import { startTool } from '../../_helpers/tool.ts';
import { GENESIS, genesisBlock } from '../../vectors/utxo/genesis.ts';

const MINUTE_MS = 60_000;
const OPERATOR = 'operator@example.com';
const RECIPE = GENESIS['BTC regtest']!;

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

// What is looked at every half minute is looked at every few seconds.
beforeAll(async () => {
  await import('../../_helpers/short-clock.ts');
});

interface Health {
  readonly chains?: { readonly BTC?: { readonly state: string } };
  readonly replica?: { readonly lagSeconds: number | null } | null;
}

async function healthOf(till: Till): Promise<Health> {
  return (await till.api.call<Health>('GET', '/readyz')).body.data;
}

/** The states that were seen and not told yet, or told and not over; with ` over` those that seem to be over. */
function conditionsOf(till: Till): string[] {
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
  const rows = db.prepare('SELECT key, over_since FROM notice_conditions ORDER BY key').all() as {
    key: string;
    over_since: number | null;
  }[];
  db.close();
  return rows.map(({ key, over_since: over }) => (over === null ? key : `${key} over`));
}

const seen = async (till: Till, conditions: readonly string[]) =>
  eventually(
    `${conditions.join(', ')} to be seen`,
    () => conditionsOf(till),
    (found) => conditions.every((key) => found.includes(key)),
  );

it('the operator gets an email when a node is down or a replica lags, and one when both have recovered', async () => {
  const dir = mkdtempSync(join(tmpdir(), 'till-operator-'));
  ends.push(() => rmSync(dir, { recursive: true, force: true }));
  const sink = await SmtpSink.start();
  ends.push(() => sink.stop());
  const node = await FakeUtxoNode.start({ ...genesisBlock(RECIPE), time: RECIPE.time }, '/Satoshi:29.2.0/');
  node.mine();
  ends.push(() => node.close());
  const replica = { TILLD_REPLICA_URL: join(dir, 'replica'), TILLD_REPLICA_MAX_LAG: '20m' };
  const till = await Till.start({
    ...liveEnv({ BTC: node.rpcUrl }),
    ...replica,
    TILLD_SMTP_URL: sink.url,
    TILLD_BASE_URL: 'https://pay.example.com',
    TILLD_OPERATOR_EMAIL: OPERATOR,
  });
  ends.push(() => till.end());
  await eventually(
    'the node is followed',
    () => healthOf(till),
    ({ chains }) => chains?.BTC?.state === 'following',
  );
  node.isOff = true;
  // Nothing copies the database yet.
  const behindMs = 21 * MINUTE_MS;
  till.clock.advance(behindMs);
  await seen(till, ['node_down BTC', 'replica_behind server']);
  expect(to(sink, OPERATOR, /./)).toEqual([]);
  till.clock.advance(11 * MINUTE_MS);
  const [down] = await arrived(sink, OPERATOR, /the node cannot be used/);
  expect(subjectOf(down!)).toBe('BTC at pay.example.com: the node cannot be used');
  const [behind] = await arrived(sink, OPERATOR, /the replica is behind/);
  expect(subjectOf(behind!)).toBe('pay.example.com: the replica is behind');

  node.isOff = false;
  // The replica is dated by the machine's own clock: the daemon's goes back to it.
  till.clock.advance(-behindMs - 11 * MINUTE_MS);
  const replicating = startTool('replicate', ['--data-dir', till.dataDir], { env: replica });
  ends.push(async () => {
    replicating.child.kill('SIGKILL');
    await replicating.done;
  });
  await seen(till, ['node_down BTC over', 'replica_behind server over']);
  expect(to(sink, OPERATOR, /./)).toHaveLength(2);
  till.clock.advance(16 * MINUTE_MS);
  const [back] = await arrived(sink, OPERATOR, /the node works again/);
  expect(subjectOf(back!)).toBe('BTC at pay.example.com: the node works again');
  const [caughtUp] = await arrived(sink, OPERATOR, /the replica has caught up/);
  expect(subjectOf(caughtUp!)).toBe('pay.example.com: the replica has caught up');
});
