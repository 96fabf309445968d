import Database from 'better-sqlite3';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { formatCoinAmount, parseCoinAmount } from '../../../src/domain/money.ts';
import { advanceSends } from '../../../src/usecases/wallet/lifecycle/advance-sends.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { ONE, openSimulatedWorld, type SimulatedWorld } from '../../_helpers/simulated-world.ts';

let sim: SimulatedWorld;

beforeEach(async () => {
  sim = await openSimulatedWorld();
});
afterEach(async () => sim.close());

describe('a send after its broadcast to the node', () => {
  test('fails and releases its coins when the first broadcast is rejected', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'scriptpubkey' });
    const refused = sim.send('BTC', '0.5', { idempotencyKey: 'k' });
    await expect(refused).rejects.toMatchObject({
      code: 'SEND_REJECTED',
      message: expect.stringContaining('scriptpubkey'),
    });
    expect(await sim.world.balance('BTC')).toBe('1');
    expect(await sim.world.sendEvents()).toEqual(['send.failed']);
    sim.line.broadcast = null;
    expect(await sim.send('BTC', '0.5')).toMatchObject({ status: 'broadcast' });
  });

  test('allows another attempt with the same idempotency key when the first broadcast was rejected', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'scriptpubkey' });
    const again = async (amount: string) => sim.send('BTC', amount, { idempotencyKey: 'k' });
    for (let attempt = 0; attempt < 2; attempt += 1) {
      await expect(again('0.5')).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    }
    expect(sim.line.offered).toHaveLength(2);
    sim.line.broadcast = null;
    const [sent, repeat] = await Promise.all([again('0.5'), again('0.5')]);
    expect(repeat.id).toBe(sent.id);
    expect((await again('0.5')).id).toBe(sent.id);
    await expect(again('0.4')).rejects.toMatchObject({ code: 'IDEMPOTENCY_MISMATCH' });
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast' });
    const rows = await sim.world.db
      .selectFrom('sends')
      .select(['status', 'idempotencyKey'])
      .orderBy('id')
      .execute();
    expect(rows.filter(({ status }) => status === 'failed')).toHaveLength(2);
    expect(rows.filter(({ idempotencyKey: key }) => key === 'k')).toHaveLength(1);
  });

  test('does not allow another attempt with the same idempotency key once its bytes may have been broadcast', async () => {
    await sim.fund('BTC', ONE.BTC);
    const sent = await sim.send('BTC', '0.5', { idempotencyKey: 'k' });
    await sim.control('BTC').replace(sent.txHash);
    await sim.mine('BTC');
    await bury();
    expect(await sim.status(sent.id)).toMatchObject({ status: 'failed' });
    await sim.fund('BTC', ONE.BTC);
    await expect(sim.send('BTC', '0.5', { idempotencyKey: 'k' })).rejects.toMatchObject({
      code: 'SEND_REJECTED',
    });
  });

  test('pays once with the same bytes when the answer is lost after the node accepted it', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'unknown', reason: 'timeout' };
    };
    const sent = await sim.send('BTC', '0.5', { idempotencyKey: 'k' });
    expect(sent.status).toBe('signed');
    expect(await sim.world.balance('BTC')).toBe('0');
    sim.line.broadcast = null;
    expect(await sim.send('BTC', '0.5', { idempotencyKey: 'k' })).toMatchObject({
      id: sent.id,
      status: 'signed',
    });
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
    expect(new Set(sim.line.offered.map(({ raw }) => raw)).size).toBe(1);
  });

  test('does not fail when the answer cannot be stored, and is rebroadcast', async () => {
    await sim.fund('BTC', ONE.BTC);
    const { rows } = await sql<{ file: string }>`select file from pragma_database_list`.execute(sim.world.db);
    const shell = new Database(rows[0]?.file);
    sim.line.broadcast = async (_transaction, forward) => {
      const result = await forward();
      shell.exec('BEGIN IMMEDIATE');
      return result;
    };
    const sent = await sim.send('BTC', '0.5');
    expect(sent.status).toBe('signed');
    shell.exec('ROLLBACK');
    shell.close();
    sim.line.broadcast = null;
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast', txHash: sent.txHash });
    expect(sim.line.offered).toHaveLength(2);
    expect(new Set(sim.line.offered.map(({ raw }) => raw)).size).toBe(1);
  });

  test('is retried with backoff, without end, when the node never answers', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    await sim.send('BTC', '0.5');
    for (let minute = 0; minute < 60; minute += 1) {
      for (let tick = 0; tick < 12; tick += 1) {
        sim.world.clock.advance(5_000);
        await advanceSends(sim.world.deps, sim.world.chain('BTC'));
      }
    }
    const { retryMaxMs } = sim.world.deps.policy;
    expect(sim.line.offered.length).toBeGreaterThan(3_600_000 / retryMaxMs - 1);
    expect(sim.line.offered.length).toBeLessThan(3_600_000 / retryMaxMs + 10);
  });

  test('keeps its coins reserved when a rejection follows an unclear answer, until blocks prove that it failed', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
    const sent = await sim.send('BTC', '0.5');
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'rejected', reason: 'no' };
    };
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    // The network knows it after all: the chain's word counts, not the refusal.
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast' });
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed' });
  });

  test('does not fail on a rejection while blocks are unread, because one may contain the send', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'unknown', reason: 'timeout' };
    };
    const sent = await sim.send('BTC', '0.5');
    await sim.control('BTC').replace(sent.txHash);
    await sim.control('BTC').mine(1);
    sim.line.broadcast = null;
    sim.world.clock.advance(60_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sent.id)).toMatchObject({ status: 'signed' });
    expect(await sim.world.balance('BTC')).toBe('0');
    await sim.world.sync('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'signed' });
    await bury();
    expect(await sim.status(sent.id)).toMatchObject({ status: 'failed' });
  });

  test('is rebroadcast and mined when the node accepted it and then lost it', async () => {
    await sim.fund('BTC', ONE.BTC);
    const sent = await sim.send('BTC', '0.5');
    await sim.control('BTC').drop(sent.txHash);
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast' });
    sim.world.clock.advance(sim.world.deps.policy.rebroadcastMs);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed' });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });

  test('is confirmed by a block when it was signed and every answer was lost', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async (_transaction, forward) => {
      await forward();
      return { kind: 'unknown', reason: 'timeout' };
    };
    const sent = await sim.send('BTC', '0.5');
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed' });
  });
});

describe('a reorg that affects a send', () => {
  test('removes the change of the send when a conflicting transaction is mined', async () => {
    await sim.fund('BTC', ONE.BTC);
    await sim.mine('BTC', 3);
    const sent = await sim.send('BTC', '0.5');
    await sim.mine('BTC');
    await sim.control('BTC').reorg({ depth: 1, fate: 'replaced', txids: [sent.txHash] });
    await sim.world.sync('BTC');
    await sim.mine('BTC');
    const change = sim.world.db.selectFrom('outputs').select('state').where('txid', '=', sent.txHash);
    expect(await change.execute()).toEqual([{ state: 'gone' }]);
    expect(await sim.world.balance('BTC')).toBe('0');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast', confirmations: 0 });
  });

  test('leads to a second confirmation of the send without a second event', async () => {
    await sim.fund('BTC', ONE.BTC);
    await sim.mine('BTC', 3);
    const sent = await sim.send('BTC', '0.5');
    await sim.mine('BTC');
    await sim.control('BTC').reorg({ depth: 1, fate: 'dropped', txids: [sent.txHash] });
    await sim.world.sync('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast', confirmations: 0 });
    // Its change can be spent as before any block had it.
    const left = ONE.BTC / 2n - parseCoinAmount(sent.fee, 'BTC');
    expect(await sim.world.balance('BTC')).toBe(formatCoinAmount(left, 'BTC'));
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'confirmed' });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.confirmed']);
  });
});

/** Enough blocks for what displaced a send to be final, and a round after them. */
async function bury(): Promise<void> {
  const { deps, clock } = sim.world;
  await sim.mine('BTC', deps.policy.surplusDepth - 1);
  clock.advance(deps.policy.retryMaxMs);
  await failDisplacedSends(deps, sim.world.chain('BTC'));
  await advanceSends(deps, sim.world.chain('BTC'));
}

/** A send whose first offer got no answer and whose next ones are refused. */
async function refusedOnce(): Promise<string> {
  await sim.mine('BTC', 3);
  await sim.fund('BTC', ONE.BTC);
  sim.line.broadcast = async () => ({ kind: 'unknown', reason: 'timeout' });
  const sent = await sim.send('BTC', '0.5');
  sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'inputs missing' });
  return sent.id;
}

async function offerAgain(): Promise<void> {
  sim.line.fate = 'gone';
  sim.world.clock.advance(60_000);
  await advanceSends(sim.world.deps, sim.world.chain('BTC'));
  sim.line.fate = null;
}

describe('a rejected send none of whose versions can be mined any more', () => {
  test('fails and releases its coins after `surplusDepth` blocks', async () => {
    const sendId = await refusedOnce();
    await offerAgain();
    expect(await sim.status(sendId)).toMatchObject({ status: 'signed' });
    sim.line.fate = 'gone';
    await bury();
    expect(await sim.status(sendId)).toMatchObject({ status: 'failed', error: 'inputs missing' });
    expect(await sim.world.balance('BTC')).toBe('1');
  });

  test('is open again once the node reports that a version can be mined', async () => {
    const sendId = await refusedOnce();
    await offerAgain();
    sim.line.fate = 'unknown';
    await bury();
    sim.line.fate = 'gone';
    sim.world.clock.advance(sim.world.deps.policy.retryMaxMs);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sendId)).toMatchObject({ status: 'signed' });
    await bury();
    expect(await sim.status(sendId)).toMatchObject({ status: 'failed' });
  });

  test('stays open, however long, while the conflicting transaction is not in a block, because the node may just lack the inputs', async () => {
    const sendId = await refusedOnce();
    const deposit = async () =>
      sim.world.db
        .selectFrom('outputs')
        .select(['txid', 'state'])
        .where('sendId', '=', sendId)
        .executeTakeFirstOrThrow();
    await sim.control('BTC').reorg({ depth: 1, fate: 'dropped' });
    sim.line.fate = 'gone';
    await sim.world.sync('BTC');
    for (let round = 0; round < 3; round += 1) {
      await bury();
      sim.world.clock.advance(3 * 3_600_000);
      await sim.world.sync('BTC');
    }
    expect(await sim.status(sendId)).toMatchObject({ status: 'signed' });
    expect((await deposit()).state).toBe('gone');
  });

  test('restarts the count of blocks when the node accepted the send in between', async () => {
    const sendId = await refusedOnce();
    await offerAgain();
    const refuse = sim.line.broadcast;
    sim.line.broadcast = async () => ({ kind: 'accepted' });
    sim.world.clock.advance(sim.world.deps.policy.retryMaxMs);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sendId)).toMatchObject({ status: 'broadcast' });
    // The look at its change would offer it again.
    sim.line.fate = 'unknown';
    await sim.mine('BTC', sim.world.deps.policy.surplusDepth);
    sim.line.broadcast = refuse;
    sim.line.fate = 'gone';
    sim.world.clock.advance(sim.world.deps.policy.rebroadcastMs);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    expect(await sim.status(sendId)).toMatchObject({ status: 'broadcast' });
    await bury();
    expect(await sim.status(sendId)).toMatchObject({ status: 'failed' });
  });

  test('is treated as a normal send once it is mined, so that a later reorg does not fail it', async () => {
    const sendId = await refusedOnce();
    await offerAgain();
    const [bytes] = sim.line.offered;
    await sim.world.adapter('BTC').broadcast(bytes!);
    sim.line.broadcast = null;
    await sim.world.adapter('BTC').broadcast(bytes!);
    await sim.mine('BTC');
    expect(await sim.status(sendId)).toMatchObject({ status: 'confirmed' });
    const { displacedHeight: mark } = await sim.world.db
      .selectFrom('sends')
      .select('displacedHeight')
      .where('id', '=', sendId)
      .executeTakeFirstOrThrow();
    expect(mark).toBeNull();
  });

  test('stays open while a reorg has dropped its inputs, and is confirmed when they are mined again', async () => {
    const sendId = await refusedOnce();
    await sim.control('BTC').reorg({ depth: 1, fate: 'dropped' });
    await sim.world.sync('BTC');
    await offerAgain();
    expect(await sim.status(sendId)).toMatchObject({ status: 'signed' });
    sim.line.broadcast = null;
    await sim.mine('BTC');
    sim.world.clock.advance(600_000);
    await advanceSends(sim.world.deps, sim.world.chain('BTC'));
    await sim.mine('BTC');
    expect(await sim.status(sendId)).toMatchObject({ status: 'confirmed' });
  });
});

describe('a double spend by another wallet with the same seed', () => {
  test('fails the send and releases the other coins once its block is deep', async () => {
    await sim.fund('BTC', ONE.BTC, ONE.BTC);
    await sim.fund('BTC', ONE.BTC);
    const sent = await sim.send('BTC', '2.5');
    const inputs = await sim.world.db
      .selectFrom('outputs')
      .selectAll()
      .where('sendId', '=', sent.id)
      .execute();
    expect(inputs).toHaveLength(3);
    await sim.control('BTC').replace(sent.txHash);
    await sim.mine('BTC');
    expect(await sim.status(sent.id)).toMatchObject({ status: 'broadcast' });
    await bury();
    const failed = await sim.status(sent.id);
    expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('another transaction') });
    expect(await sim.world.sendEvents()).toEqual(['send.broadcast', 'send.failed']);
    const held = await sim.world.db
      .selectFrom('outputs')
      .selectAll()
      .where('sendId', 'is not', null)
      .execute();
    expect(held).toEqual([]);
  });

  test('releases the coins when it disappears unconfirmed', async () => {
    await sim.fund('BTC', ONE.BTC);
    sim.line.broadcast = async () => ({ kind: 'rejected', reason: 'made for its bytes only' });
    await expect(sim.send('BTC', '0.5')).rejects.toMatchObject({ code: 'SEND_REJECTED' });
    sim.line.broadcast = null;
    const [bytes] = sim.line.offered;
    expect(bytes).toBeDefined();
    await sim.world.adapter('BTC').broadcast(bytes!);
    await sim.world.sync('BTC');
    expect(await sim.world.balance('BTC')).toBe('0');
    await sim.control('BTC').drop(bytes!.txid);
    await sim.world.sync('BTC');
    expect(await sim.world.balance('BTC')).toBe('1');
  });
});
