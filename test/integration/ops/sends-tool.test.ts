import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { spendableFunds } from '../../../src/store/ledger/spendable.ts';
import { getSend } from '../../../src/usecases/wallet/send/get-send.ts';
import { failDisplacedSends } from '../../../src/usecases/wallet/lifecycle/fail-displaced-sends.ts';
import { sendCoins } from '../../../src/usecases/wallet/send/send-coins.ts';
import {
  type FaultProxy,
  type RegtestNode,
  requireNode,
  startFaultProxy,
  startNode,
} from '../../_helpers/nodes/index.ts';
import { openNodeWorld } from '../../_helpers/node-world.ts';
import { liveEnv } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';
import type { WalletWorld } from '../../_helpers/wallet-world.ts';

const COIN = 100_000_000n;

describe.skipIf(!requireNode('BTC'))('scripts/sends with a real node', () => {
  let node: RegtestNode;
  let proxy: FaultProxy;
  let dir: string;
  let world: WalletWorld;

  beforeAll(async () => {
    node = await startNode('BTC');
    proxy = await startFaultProxy(node.rpcUrl);
  });
  afterAll(async () => {
    await proxy.close();
    await node.stop();
  });
  beforeEach(async () => {
    dir = mkdtempSync(join(tmpdir(), 'tilld-sends-tool-'));
    world = await openNodeWorld({ dir, coin: 'BTC', rpcUrl: proxy.url });
    symlinkSync(join(dir, 'tilld.db'), join(dir, 'tilld.sqlite'));
    await world.sync('BTC');
    await node.pay({ address: world.address('BTC'), amounts: [COIN] });
    await node.mine(1);
    await world.sync('BTC');
  });
  afterEach(async () => {
    await proxy.heal();
    await world.close();
    rmSync(dir, { recursive: true, force: true });
  });

  const tool = async () => runTool('sends', ['--data-dir', dir], { env: liveEnv({ BTC: node.rpcUrl }) });
  const status = async (sendId: string) =>
    (await getSend(world.deps, { merchantId: world.merchant.id, sendId })).status;

  /** Signed and stored, and the node never heard of it. */
  async function unheard() {
    const funds = await spendableFunds(world.db, { ...world.chain('BTC'), merchantId: world.merchant.id });
    const fault = proxy.inject({ kind: 'reset' }, { methods: ['sendrawtransaction'] });
    const sent = await sendCoins(world.deps, {
      merchant: world.merchant,
      destination: await node.foreignAddress(),
      amount: '0.5',
      coin: 'BTC',
      idempotencyKey: null,
    });
    fault.clear();
    expect(sent.status).toBe('signed');
    return { ...sent, funds };
  }

  test('reports that no send is waiting', async () => {
    expect(await tool()).toEqual({ code: 0, stdout: 'BTC: no send waits\n', stderr: '' });
  });

  test('broadcasts a send that the node lacks, and reports that it waits for a block', async () => {
    await node.mine(1);
    const sent = await unheard();
    const { code, stdout } = await tool();
    expect(stdout).toContain(`${sent.id} (send): 0.5 BTC to ${sent.destination}`);
    expect(stdout).toContain(`the node has ${sent.txHash}: it waits for a block`);
    expect(code).toBe(0);
    expect(await node.getMempool()).toContain(sent.txHash);
    expect(await status(sent.id)).toBe('signed');
  });

  test('reports a double-spent send as undecided until a block decides, after which the daemon fails it', async () => {
    const sent = await unheard();
    const adapter = world.adapter('BTC');
    const theirs = adapter.planSend({
      funds: sent.funds,
      destination: await node.foreignAddress(),
      amount: COIN,
      subtractFee: true,
      changeAddress: world.address('BTC'),
      quote: { rate: 100_000n, source: 'stranger', at: 0 },
    });
    await node.sendRaw((await world.deps.sign(adapter, theirs)).raw);
    const early = await tool();
    expect(early.stdout).toContain('the node rejects it for now, possibly temporarily');
    expect(early.code).toBe(1);
    await node.mine(1);
    const unread = await tool();
    expect(unread.stdout).toContain('the daemon must first have read every block that the node has');
    expect(unread.code).toBe(1);
    await world.sync('BTC');
    const young = await tool();
    expect(young.stdout).toContain(
      'none of its transactions can confirm: it fails once that is 6 blocks deep',
    );
    expect(await status(sent.id)).toBe('signed');
    await node.mine(5);
    await world.sync('BTC');
    await failDisplacedSends(world.deps, world.chain('BTC'));
    expect(await status(sent.id)).toBe('failed');
    expect((await tool()).stdout).toBe('BTC: no send waits\n');
  });

  test('reports the coin as unknown when the node belongs to another network', async () => {
    await unheard();
    const env = { ...liveEnv({ BTC: node.rpcUrl }), TILLD_NETWORK: 'testnet' };
    const { code, stdout } = await runTool('sends', ['--data-dir', dir], { env });
    expect(stdout).toMatch(/^BTC: unknown, /);
    expect(code).toBe(1);
  });
});
