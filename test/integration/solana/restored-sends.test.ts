import { cpSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { strangerAddress } from '../../_helpers/svm/payer.ts';
import { createLogger } from '../../../src/app/logger.ts';
import { createSolanaAdapter } from '../../../src/chains/solana/adapter.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { DEFAULT_SEND_POLICY } from '../../../src/domain/send/policy.ts';
import { createChainIndex } from '../../../src/store/watch/chain-index.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { examineSends } from '../../../src/usecases/wallet/lifecycle/examine-sends.ts';
import { confirmUnpaid } from '../../../src/usecases/wallet/lifecycle/possibly-paid.ts';
import { confirmed, openFunded, requireUsable, sendTo, statusOf } from '../../_helpers/svm/sends.ts';
import { balanceOf, EXPIRY, SvmWorld } from '../../_helpers/svm/world.ts';

const CENT = 10_000_000n;

const files = (dir: string): string[] => readdirSync(dir).filter((name) => name.startsWith('tilld.sqlite'));

describe('a Solana wallet restored from a backup with open sends', () => {
  let world: SvmWorld;

  beforeAll(async () => {
    world = await SvmWorld.start();
  });
  afterAll(async () => world.end());

  const lands = (address: string): number => world.node.ledger.transactionsOf(address).length;

  async function backUp(): Promise<string> {
    const copy = mkdtempSync(join(tmpdir(), 'tilld-backup-'));
    await world.till.down();
    for (const name of files(world.till.dataDir)) cpSync(join(world.till.dataDir, name), join(copy, name));
    await world.till.up();
    await world.till.ready();
    return copy;
  }

  /** @param change what else is different in the restored database */
  async function restore(copy: string, change = ''): Promise<void> {
    const { dataDir, clock } = world.till;
    await world.till.down();
    for (const name of files(dataDir)) rmSync(join(dataDir, name));
    for (const name of files(copy)) cpSync(join(copy, name), join(dataDir, name));
    const db = new Database(join(dataDir, 'tilld.sqlite'));
    db.prepare(
      `INSERT INTO meta (key, value) VALUES ('restored_at', ?)
       ON CONFLICT (key) DO UPDATE SET value = excluded.value`,
    ).run(String(clock.now()));
    db.exec(change);
    db.close();
    clock.advance(1_000);
    await world.till.up();
    await world.till.ready();
  }

  it('adopts a send and the one queued behind it, which were signed again and executed after the backup', async () => {
    const shop = await openFunded(world, 40n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    world.node.dropNext(1);
    const first = await sendTo(shop, one);
    const second = await sendTo(shop, other);
    expect(second.status).toBe('queued');
    const copy = await backUp();
    world.node.advance(EXPIRY);
    world.till.clock.advance(6_000);
    await confirmed(world, shop, first, second);
    const paid = await Promise.all([first, second].map(async ({ id }) => statusOf(shop, id)));
    await restore(copy);
    await confirmed(world, shop, first, second);
    const known = await Promise.all([first, second].map(async ({ id }) => statusOf(shop, id)));
    expect(known.map(({ txHash, fee, amount }) => ({ txHash, fee, amount }))).toEqual(
      paid.map(({ txHash, fee, amount }) => ({ txHash, fee, amount })),
    );
    await requireUsable(world, shop, strangerAddress());
    expect([lands(one), lands(other)]).toEqual([1, 1]);
  });

  it.each([
    ['the amount plus the fee', { amount: '0.01' }],
    ['the amount less the fee', { amount: '0.01', subtractFee: true }],
    ['everything', { amount: 'max' }],
  ])('adopts a send of %s', async (_what, order) => {
    const shop = await openFunded(world, 40n * CENT);
    const destination = strangerAddress();
    world.node.dropNext(1);
    const sent = await sendTo(shop, destination, order);
    const copy = await backUp();
    world.node.advance(EXPIRY);
    world.till.clock.advance(6_000);
    await confirmed(world, shop, sent);
    const paid = await statusOf(shop, sent.id);
    await restore(copy);
    await confirmed(world, shop, sent);
    const { txHash, amount, fee } = await statusOf(shop, sent.id);
    expect({ txHash, amount, fee }).toEqual({ txHash: paid.txHash, amount: paid.amount, fee: paid.fee });
    expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL));
    expect(lands(destination)).toBe(1);
  });

  it('adopts a send from a version of the daemon without queues', async () => {
    const shop = await openFunded(world, 40n * CENT);
    const destination = strangerAddress();
    world.node.dropNext(1);
    const sent = await sendTo(shop, destination);
    const copy = await backUp();
    world.node.advance(EXPIRY);
    world.till.clock.advance(6_000);
    await confirmed(world, shop, sent);
    await restore(copy, 'UPDATE sends SET queue_account = NULL, queue_position = NULL');
    await confirmed(world, shop, sent);
    await requireUsable(world, shop, strangerAddress());
    expect(lands(destination)).toBe(1);
  });

  it('continues sending while unpaid sends of the backup wait for the operator, who then releases them', async () => {
    const shop = await openFunded(world, 40n * CENT);
    const [one, other] = [strangerAddress(), strangerAddress()];
    world.node.dropNext(1);
    const first = await sendTo(shop, one);
    const second = await sendTo(shop, other);
    const copy = await backUp();
    await world.till.down();
    world.node.advance(EXPIRY);
    await world.till.up();
    await restore(copy);
    const later = [strangerAddress(), strangerAddress()];
    const made = [await sendTo(shop, later[0]!), await sendTo(shop, later[1]!)];
    world.node.advance(EXPIRY);
    await confirmed(world, shop, ...made);
    const kept = [first, second].reduce((sum, { fee }) => sum + CENT + parseCoinAmount(fee, 'SOL'), 0n);
    expect(await balanceOf(shop)).toBe(world.lamports(shop.wallets.SOL) - kept);
    expect([one, other, ...later].map(lands)).toEqual([0, 0, 1, 1]);
    const { body } = await shop.api.call('POST', '/merchant/wallet/send/cancel', {
      token: shop.secretKey,
      body: { sendId: second.id },
    });
    expect(body.error).toMatchObject({ code: 'INVALID_STATE' });
    const database = await openDatabase(join(world.till.dataDir, 'tilld.sqlite'));
    const deps = { db: database.db, clock: world.till.clock };
    const logger = createLogger('silent');
    const index = createChainIndex(deps.db, { coin: 'SOL', mode: 'live' });
    const node = createSolanaAdapter({ network: 'regtest', rpcUrl: world.node.url, index, logger, ...deps });
    const findings = await examineSends(deps, node);
    await node.close();
    for (const { id } of [first, second]) {
      const word = `tillctl sends --not-paid ${id}`;
      expect(findings.find((finding) => finding.send.id === id)?.why).toContain(word);
      await confirmUnpaid(deps, id);
    }
    await database.close();
    world.till.clock.advance(DEFAULT_SEND_POLICY.retryMaxMs);
    await confirmed(world, shop, first);
    world.till.clock.advance(DEFAULT_SEND_POLICY.retryMaxMs);
    await confirmed(world, shop, second);
    expect([one, other, ...later].map(lands)).toEqual([1, 1, 1, 1]);
    await requireUsable(world, shop, strangerAddress());
  });

  it('reserves the funds that an old send may still spend, also once a new send was executed', async () => {
    const shop = await openFunded(world, 40n * CENT);
    const destination = strangerAddress();
    world.node.dropNext(1);
    const old = await sendTo(shop, destination);
    const copy = await backUp();
    await world.till.down();
    world.node.advance(EXPIRY);
    await world.till.up();
    await restore(copy);
    await confirmed(world, shop, await sendTo(shop, strangerAddress()));
    const { body } = await shop.send({ coin: 'SOL', destination: strangerAddress(), amount: '0.385' });
    expect(body.error).toMatchObject({ code: 'INSUFFICIENT_BALANCE' });
    await confirmed(world, shop, await sendTo(shop, strangerAddress(), { amount: 'max' }));
    const kept = CENT + parseCoinAmount(old.fee, 'SOL');
    expect(world.lamports(shop.wallets.SOL)).toBe(kept);
  });
});
