import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { type ApiClient, Shop } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { openLiveWorld, type LiveWorld } from '../../_helpers/live-world.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';
import { runTool } from '../../_helpers/tool.ts';

const DAY_MS = 24 * 3_600_000;
const PASSPHRASE = 'a passphrase of the operator';
const PASSWORD = 'correct horse battery';

const wei = (text: string): bigint => parseCoinAmount(text, 'ETH');

describe.skipIf(!requireAnvil())('an Ethereum payment address on a node without traces', () => {
  let world: LiveWorld<Anvil, Till>;
  let anvil: Anvil;
  let till: Till;
  let shop: Shop;
  let dir: string;
  let env: Record<string, string>;

  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), 'till-eth-'));
    world = await openLiveWorld('ETH', {
      env: { TILLD_KEYRING_PASSPHRASE: PASSPHRASE },
      faults: (proxy) =>
        proxy.inject(
          { kind: 'rpcError', code: -32601, message: 'the method does not exist' },
          { methods: ['debug_traceBlockByHash', 'trace_block'] },
        ),
    });
    ({ node: anvil, env, till, shop } = world);
  });
  afterAll(async () => {
    await world.end();
    rmSync(dir, { recursive: true, force: true });
  });

  it('is watched permanently, so that a contract payment months later is reported as late', async () => {
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    till.clock.advance(90 * DAY_MS);
    await eventually(
      'it has expired',
      () => shop.payment(payment.id),
      ({ status }) => status === 'expired',
    );
    const { address, amount } = payment.options.ETH;
    await anvil.payInside([{ address, amount: wei(amount) }]);
    await anvil.mine(4);
    const paid = await eventually(
      'the money is found',
      () => shop.payment(payment.id),
      ({ status }) => status === 'completed',
    );
    expect(paid).toMatchObject({ exception: 'late' });
    expect(paid.options.ETH.received).toBe(amount);
    expect(paid.transactions).toHaveLength(1);
  });

  it('is watched in a wallet restored from its seed words as well, whenever a contract paid it', async () => {
    const payments = [];
    for (let at = 0; at < 30; at += 1) payments.push(await shop.createPayment({ allowedCryptos: ['ETH'] }));
    const addresses = payments.map(({ options }) => options.ETH.address);
    const { stdout: words } = await runTool('seed', ['show', '--yes', '--data-dir', till.dataDir], { env });
    await till.down();
    // One long before the new till looks at anything, one while it is there.
    const early = { address: addresses[12]!, amount: wei('0.5') };
    const later = { address: addresses[29]!, amount: wei('0.25') };
    await anvil.payInside([early]);
    await anvil.mine(5);
    const target = join(dir, 'from-seed');
    const password = join(dir, 'password');
    writeFileSync(password, PASSWORD);
    const args = ['--words-file', '-', '--password-file', password, '--accounts', '1', '--gap', '20'];
    const made = await runTool(
      'seed',
      ['restore', '--email', 'me@example.com', '--data-dir', target, ...args],
      { env, input: words },
    );
    expect(made).toMatchObject({ code: 0 });
    await using restored = await Till.start(env, {}, target);
    await restored.ready();
    const balance = await balanceOf(restored.api);
    await anvil.mine(4);
    await moved(anvil, early.address);
    // Money on the address before moved the window on, so that this one is watched by now.
    await anvil.payInside([later]);
    await anvil.mine(4);
    await moved(anvil, later.address);
    await eventually(
      'the balance is what the merchant address holds',
      async () => (await balance()) - (await anvil.balance(shop.wallets.ETH)),
      (difference) => difference === 0n,
    );
    expect(await balance()).toBeGreaterThan(wei('0.74'));
  });
});

async function moved(anvil: Anvil, address: string): Promise<void> {
  await eventually(
    `what lay on ${address} is moved`,
    async () => {
      await anvil.mine(1);
      return anvil.balance(address);
    },
    (left) => left === 0n,
  );
}

async function balanceOf(api: ApiClient): Promise<() => Promise<bigint>> {
  const { token } = await api.must<{ token: string }>('POST', '/auth/login', {
    body: { email: 'me@example.com', password: PASSWORD },
  });
  const { merchants } = await api.must<{ merchants: { id: string }[] }>('GET', '/merchant/list', { token });
  const path = `/merchant/wallet/balances?merchantId=${merchants[0]!.id}`;
  return async () => wei((await api.must<Record<string, string>>('GET', path, { token }))['ETH'] ?? '0');
}
