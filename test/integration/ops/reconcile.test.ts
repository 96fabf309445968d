import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createUtxoAdapter } from '../../../src/chains/utxo/adapter.ts';
import { RpcRefusal } from '../../../src/chains/shared/json-rpc.ts';
import { createRpc, type Rpc } from '../../../src/chains/utxo/rpc/rpc.ts';
import { createRpcTransport } from '../../../src/chains/shared/rpc-transport.ts';
import { scanUnspent } from '../../../src/chains/utxo/scan-unspent.ts';
import { openDatabase, type OpenDatabase } from '../../../src/store/sqlite/open.ts';
import { reconcile } from '../../../src/usecases/chain-sync/reconcile.ts';
import type { Reconciliation } from '../../../src/usecases/chain-sync/reconciliation.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { requireNode, toAtoms, type RegtestNode } from '../../_helpers/nodes/index.ts';
import { NO_ACCOUNTS } from '../../_helpers/no-accounts.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';
import { silent } from '../../_helpers/wallet-world.ts';
import { outputFunds } from '../../_helpers/output-funds.ts';

const clock = { now: () => Date.now() };

describe.each(['BTC', 'LTC'] as const)('reconciliation of the ledger with a real %s node', (coin) => {
  describe.skipIf(!requireNode(coin))('with ledger and node at the same block', () => {
    let world: LiveWorld<RegtestNode, Till>;
    let node: RegtestNode;
    let till: Till;
    let shop: Shop;
    let database: OpenDatabase;
    let env: Record<string, string>;

    beforeAll(async () => {
      world = await openLiveWorld(coin);
      ({ node, env, till, shop } = world);
      for (let round = 0; round < 3; round += 1) {
        const payment = await shop.createPayment({ allowedCryptos: [coin] });
        const { address, amount } = payment.options[coin];
        await node.pay({ address, amountAtoms: toAtoms(amount) });
        await node.mine(3);
        await eventually(
          'paid',
          () => shop.payment(payment.id),
          ({ status }) => status === 'completed',
        );
      }
      await shop.send({ coin, amount: '0.0012', destination: await node.newAddress() });
      await node.mine(1);
      await till.ready();
      database = await openDatabase(join(till.dataDir, 'tilld.sqlite'));
    });
    afterAll(async () => {
      await database.close();
      await world.end();
    });

    const byTool = async () => runTool('reconcile', ['--data-dir', till.dataDir], { env });
    const lines: object[] = [];
    const byDaemon = async (): Promise<Reconciliation | null> => {
      const logger = { ...silent, error: (fields: object) => void lines.push(fields) };
      const index = {
        ...NO_ACCOUNTS,
        watched: async () => new Set<string>(),
        ownOutputs: async () => new Set<string>(),
      };
      const options = { coin, network: 'regtest', rpcUrl: node.rpcUrl, index, clock, logger } as const;
      const adapter = createUtxoAdapter(options);
      try {
        return await reconcile({ db: database.db, clock, logger, patienceMs: 20_000 }, adapter);
      } finally {
        await adapter.close();
      }
    };

    it('reports no differences after payments, a send and its change, even while blocks arrive', async () => {
      const agreed = await byTool();
      expect(agreed, agreed.stderr).toMatchObject({ code: 0 });
      expect(agreed.stdout).toContain('0 differences');
      const [result] = await Promise.all([byDaemon(), node.mine(2)]);
      expect(result).toMatchObject({ kind: 'compared', isComplete: true, differences: [] });
    });

    it('reports each kind of simulated difference between ledger and node, and changes nothing', async () => {
      const { db } = database;
      const all = await db.selectFrom('outputs').selectAll().where('spentBy', 'is', null).execute();
      const [lost, wrong] = all;
      if (lost === undefined || wrong === undefined) throw new Error('too few outputs');
      await db.deleteFrom('outputs').where('txid', '=', lost.txid).where('vout', '=', lost.vout).execute();
      await db
        .updateTable('outputs')
        .set({ amount: '12345' })
        .where('txid', '=', wrong.txid)
        .where('vout', '=', wrong.vout)
        .execute();
      await db
        .insertInto('outputs')
        .values({ ...lost, txid: 'ab'.repeat(32), vout: 7 })
        .execute();
      const planted = await db.selectFrom('outputs').selectAll().execute();

      const result = await byDaemon();
      if (result?.kind !== 'compared') throw new Error('not compared');
      expect(result.differences.toSorted((a, b) => a.subject.localeCompare(b.subject))).toEqual(
        [
          { subject: `${lost.txid}:${lost.vout}`, ledger: null, chain: BigInt(lost.amount) },
          { subject: `${wrong.txid}:${wrong.vout}`, ledger: 12345n, chain: BigInt(wrong.amount) },
          { subject: `${'ab'.repeat(32)}:7`, ledger: BigInt(lost.amount), chain: null },
        ].toSorted((a, b) => a.subject.localeCompare(b.subject)),
      );
      expect(lines).toHaveLength(3);
      const told = await byTool();
      expect(told.code).toBe(1);
      expect(told.stdout).toContain('3 differences');
      expect(told.stdout).toContain(`${lost.txid}:${lost.vout}: ledger nothing`);
      expect(await db.selectFrom('outputs').selectAll().execute()).toEqual(planted);
      const metrics = await (await fetch(`${till.api.baseUrl}/metrics`)).text();
      expect(metrics).toContain(`tilld_reconcile_differences{coin="${coin}",mode="live"} 3`);
    });

    it('requests each known output separately when the node cannot scan its unspent outputs (scantxoutset)', async () => {
      const transport = createRpcTransport({
        url: node.rpcUrl,
        timeoutMs: 10_000,
        maxResponseBytes: 1_000_000,
        logger: silent,
      });
      const real = createRpc(transport);
      const old: Rpc = {
        ...real,
        call: async (method, params, schema) => {
          if (method === 'scantxoutset') throw new RpcRefusal(method, -32601, 'Method not found');
          return real.call(method, params, schema);
        },
      };
      const rows = await database.db
        .selectFrom('outputs')
        .selectAll()
        .where('spentBy', 'is', null)
        .where('txid', '<>', 'ab'.repeat(32))
        .execute();
      const [first] = rows;
      if (first === undefined) throw new Error('no output');
      const known = [
        { txid: first.txid, index: first.vout },
        { txid: 'cd'.repeat(32), index: 0 },
      ];
      const scan = await scanUnspent(old, { watchKeys: [], known });
      expect(scan).toMatchObject({ isComplete: false, tip: await node.tip() });
      expect(scan.outputs.map(({ ref }) => ref)).toEqual([known[0]]);
      await real.close();
    });
  });
});

describe('reconcile while ledger and node are at different blocks', () => {
  it('returns an unknown result', async () => {
    const database = await openDatabase(':memory:');
    const tip = { height: 5, hash: 'aa'.repeat(32) };
    const result = await reconcile(
      { db: database.db, clock, logger: silent, patienceMs: 0 },
      {
        coin: 'BTC',
        mode: 'live',
        tip: async () => tip,
        funds: outputFunds(async () => ({ tip, outputs: [], isComplete: true })),
      },
    );
    expect(result).toMatchObject({ kind: 'unknown' });
    await database.close();
  });
});
