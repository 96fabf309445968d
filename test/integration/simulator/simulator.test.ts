import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createSimulator, type Simulator } from '../../../src/chains/simulator/simulator.ts';
import type { ChainIndex } from '../../../src/domain/chain.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { createSimulatorStore } from '../../../src/store/simulator.ts';
import { eventually } from '../../_helpers/poll.ts';
import { OwnKeys } from '../../conformance/own-keys.ts';
import { NO_ACCOUNTS } from '../../_helpers/no-accounts.ts';

const ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';
const silent: Logger = { debug() {}, info() {}, warn() {}, error() {} };
const everything: ChainIndex = {
  ...NO_ACCOUNTS,
  watched: async (keys) => new Set(keys),
  ownOutputs: async (refs) => new Set(refs),
};

let dir: string;
let database: OpenDatabase;

beforeEach(async () => {
  dir = mkdtempSync(join(tmpdir(), 'tilld-simulator-'));
  database = await openDatabase(join(dir, 'tilld.db'));
});

afterEach(async () => {
  await database.close();
  rmSync(dir, { recursive: true, force: true });
});

function simulate(
  options: { idleDepth?: number; blockIntervalMs?: number; now?: () => number } = {},
): Simulator {
  const { idleDepth, blockIntervalMs = 3_600_000, now = () => Date.now() } = options;
  return createSimulator({
    coin: 'BTC',
    store: createSimulatorStore(database.db),
    index: everything,
    clock: { now },
    logger: silent,
    blockIntervalMs,
    ...(idleDepth === undefined ? {} : { idleDepth }),
  });
}

async function heightOf({ adapter }: Simulator): Promise<number> {
  return (await adapter.tip()).height;
}

async function writes(): Promise<number> {
  const { blocks } = await database.db
    .selectFrom('sim_blocks')
    .select((eb) => eb.fn.countAll<number>().as('blocks'))
    .executeTakeFirstOrThrow();
  return blocks;
}

describe('the simulated blockchain of the sandbox', () => {
  it('has the same blocks and payments after a restart', async () => {
    const before = simulate();
    const txid = await before.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    await before.control.mine(2);
    const waiting = await before.control.pay([{ address: ADDRESS, amount: 2_000n }]);
    const tip = await before.adapter.tip();
    await database.close();
    database = await openDatabase(join(dir, 'tilld.db'));
    const after = simulate();
    expect(await after.adapter.tip()).toEqual(tip);
    const block = await after.adapter.blockAt(tip.height - 1);
    expect(block?.credits.map((credit) => credit.ref.txid)).toEqual([txid]);
    expect((await after.adapter.unconfirmed()).has(waiting)).toBe(true);
  });

  it('keeps every acknowledged payment when the process is killed', async () => {
    const path = join(dir, 'killed.db');
    const child = fork(join(import.meta.dirname, 'fixtures/endless-payer.ts'), [path, ADDRESS], {
      silent: true,
    });
    const acknowledged: string[] = [];
    child.on('message', (txid) => acknowledged.push(txid as string));
    await eventually(
      'payments',
      () => acknowledged.length,
      (count) => count >= 20,
    );
    child.kill('SIGKILL');
    await once(child, 'exit');
    const reopened = await openDatabase(path);
    try {
      const { adapter } = createSimulator({
        coin: 'BTC',
        store: createSimulatorStore(reopened.db),
        index: everything,
        clock: { now: () => Date.now() },
        logger: silent,
        blockIntervalMs: 3_600_000,
      });
      const { height } = await adapter.tip();
      const found = new Set((await adapter.unconfirmed()).credits.map((credit) => credit.ref.txid));
      let parent: string | null = await adapter.hashAt(0);
      for (let at = 1; at <= height; at += 1) {
        const block = await adapter.blockAt(at);
        expect(block?.parentHash).toBe(parent);
        parent = block?.hash ?? null;
        for (const credit of block?.credits ?? []) found.add(credit.ref.txid);
      }
      for (const txid of acknowledged) expect(found.has(txid)).toBe(true);
    } finally {
      await reopened.close();
    }
  });

  it('mines a payment at the next timer tick, and stops mining once the payment is deep enough', async () => {
    const simulator = simulate({ idleDepth: 5 });
    await simulator.tick();
    expect(await heightOf(simulator)).toBe(0);
    await simulator.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    for (let ticks = 0; ticks < 20; ticks += 1) await simulator.tick();
    expect(await heightOf(simulator)).toBe(5);
    const resting = await writes();
    for (let ticks = 0; ticks < 20; ticks += 1) await simulator.tick();
    expect(await writes()).toBe(resting);
    await simulator.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    await simulator.tick();
    expect(await heightOf(simulator)).toBe(6);
  });

  it('mines up to the depth of the strictest finality rule before it stops', async () => {
    const simulator = simulate();
    await simulator.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    for (let ticks = 0; ticks < 60; ticks += 1) await simulator.tick();
    expect(await heightOf(simulator)).toBeGreaterThanOrEqual(32);
    expect(await heightOf(simulator)).toBeLessThan(60);
  });

  it('mines by its timer, and stops when asked to', async () => {
    const simulator = simulate({ blockIntervalMs: 5 });
    await simulator.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    simulator.start();
    simulator.start();
    await eventually(
      'blocks',
      async () => heightOf(simulator),
      (height) => height >= 3,
    );
    await simulator.stop();
    const stopped = await heightOf(simulator);
    await simulator.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await heightOf(simulator)).toBe(stopped);
  });

  it('continues mining after its database failed', async () => {
    let broken = true;
    const store = createSimulatorStore(database.db);
    const errors: object[] = [];
    const simulator = createSimulator({
      coin: 'BTC',
      store: {
        transact: async (coin, work) => {
          if (broken) throw new Error('disk full');
          return store.transact(coin, work);
        },
      },
      index: everything,
      clock: { now: () => Date.now() },
      logger: { ...silent, error: (fields) => void errors.push(fields) },
      blockIntervalMs: 3_600_000,
    });
    await simulator.tick();
    expect(errors).toHaveLength(1);
    broken = false;
    await simulator.control.pay([{ address: ADDRESS, amount: 1_000n }]);
    await simulator.tick();
    expect(await heightOf(simulator)).toBe(1);
  });

  it('loses and duplicates nothing when payments, blocks and reorgs interleave', async () => {
    const one = simulate();
    const two = simulate();
    await one.control.mine(10);
    const paid = await Promise.all(
      Array.from({ length: 30 }, async (_unused, turn) => {
        const simulator = turn % 2 === 0 ? one : two;
        if (turn % 5 === 1) await simulator.tick();
        if (turn % 7 === 3) await simulator.control.reorg({ depth: 2, fate: 'moved' });
        return simulator.control.pay([{ address: ADDRESS, amount: BigInt(1_000 + turn) }]);
      }),
    );
    await one.tick();
    const { height } = await two.adapter.tip();
    const seen: string[] = [];
    for (let at = 1; at <= height; at += 1) {
      const block = await two.adapter.blockAt(at);
      expect(block?.parentHash).toBe(await two.adapter.hashAt(at - 1));
      seen.push(...(block?.credits ?? []).map((credit) => credit.ref.txid));
    }
    expect(seen.toSorted()).toEqual(paid.toSorted());
  });

  it('accepts one of two concurrent double spends', async () => {
    const { control, adapter } = simulate();
    const txid = await control.pay([{ address: ADDRESS, amount: 1_000n }]);
    const attempts = await Promise.allSettled([control.replace(txid), control.replace(txid)]);
    expect(attempts.map((attempt) => attempt.status).toSorted()).toEqual(['fulfilled', 'rejected']);
    await control.mine(1);
    const block = await adapter.blockAt(1);
    expect(block?.credits).toHaveLength(1);
  });

  it('drops all descendants of a replaced payment, at any fee', async () => {
    const { control, adapter } = simulate();
    const keys = new OwnKeys('BTC', 'sandbox', 'testnet');
    const owned = keys.newAddress();
    const parent = await control.pay([{ address: owned.address, amount: 1_000_000n }]);
    const plan = adapter.planSend({
      funds: [{ ...owned, ref: { txid: parent, index: 0 }, amount: 1_000_000n }],
      destination: ADDRESS,
      amount: 100_000n,
      subtractFee: false,
      changeAddress: owned.address,
      quote: { rate: 500_000n, source: 'test', at: 0 },
    });
    const child = await adapter.signSend(plan, keys);
    expect(await adapter.broadcast(child)).toEqual({ kind: 'accepted' });
    await control.replace(parent);
    const view = await adapter.unconfirmed();
    expect([view.has(parent), view.has(child.txid)]).toEqual([false, false]);
    expect((await adapter.broadcast(child)).kind).not.toBe('accepted');
    expect((await adapter.recheck([{ txid: parent, raw: null }])).get(parent)).toBe('gone');
  });

  it('prunes old block headers and reports them as pruned', async () => {
    const simulator = simulate();
    await simulator.control.mine(1);
    const first = await simulator.adapter.blockAt(1);
    for (let thousand = 0; thousand < 11; thousand += 1) await simulator.control.mine(1_000);
    expect(first?.height).toBe(1);
    expect(await writes()).toBeLessThanOrEqual(10_200);
    const { pruneHeight } = await simulator.adapter.status();
    expect(pruneHeight).toBeGreaterThan(1);
    expect(await simulator.adapter.blockAt(pruneHeight)).not.toBeNull();
    await expect(simulator.adapter.blockAt(pruneHeight - 1)).rejects.toMatchObject({ kind: 'pruned' });
    expect(await simulator.adapter.hashAt(0)).not.toBeNull();
  });

  it('refuses invalid payments, blocks and reorgs with the reason', async () => {
    const { control } = simulate();
    await expect(control.pay([])).rejects.toThrow('needs an output');
    await expect(control.pay([{ address: 'bc1qnowhere', amount: 1n }])).rejects.toThrow(
      'not a Bitcoin testnet',
    );
    await expect(control.pay([{ address: ADDRESS, amount: 0n }])).rejects.toThrow('must pay something');
    await expect(control.mine(0)).rejects.toThrow('1 to 1000');
    await expect(control.reorg({ depth: 1, fate: 'moved' })).rejects.toThrow('no 1 blocks');
    await expect(control.reorg({ depth: 101, fate: 'moved' })).rejects.toThrow('1 to 100');
    await expect(control.reorg({ fate: 'moved', txids: ['nothing'] })).rejects.toThrow('in a block');
    await expect(control.drop('nothing')).rejects.toThrow('not unconfirmed');
  });
});
