import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Shop } from '../../_helpers/api-client.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { requireAnvil } from '../../_helpers/anvil/binary.ts';
import { startFaultProxy, type FaultProxy } from '../../_helpers/nodes/index.ts';
import { RpcError } from '../../_helpers/nodes/json-rpc.ts';
import { eventually } from '../../_helpers/poll.ts';
import { liveEnv, Till } from '../../_helpers/till.ts';

const MINUTE_MS = 60_000;
/** Hoodi: a public test network, so that the age of its head counts. */
const HOODI = 560_048;

interface Health {
  readonly state: string;
  readonly warnings: readonly string[];
}

describe.skipIf(!requireAnvil())('an Ethereum node without connection to its network', () => {
  let anvil: Anvil;
  let proxy: FaultProxy;
  let till: Till;
  let shop: Shop;

  beforeAll(async () => {
    anvil = await Anvil.start({ chainId: HOODI });
    proxy = await startFaultProxy(anvil.rpcUrl);
    till = await Till.start({
      ...liveEnv({ ETH: proxy.url }),
      TILLD_NETWORK: 'testnet',
      TILLD_ALLOW_PRIVATE_WEBHOOKS: 'true',
      TILLD_PAYMENT_LIFETIME_MINUTES: '5',
    });
    shop = await Shop.open(till.api);
  });
  afterAll(async () => {
    await till.end();
    await Promise.all([proxy.close(), anvil.stop()]);
  });

  const health = async (): Promise<Health | undefined> =>
    (await till.api.call<{ chains: Record<string, Health> }>('GET', '/readyz')).body.data.chains['ETH'];
  const healthUntil = async (what: string, isSo: (now: Health) => boolean): Promise<Health | undefined> =>
    eventually(what, health, (now) => now !== undefined && isSo(now));
  /** A block of now, by the till's clock. */
  const mineNow = async (): Promise<void> => {
    const seconds = Math.floor(till.clock.now() / 1000);
    await anvil.rpc('evm_setNextBlockTimestamp', [`0x${seconds.toString(16)}`]);
    await anvil.mine(1);
  };
  /** Follows for so long, with a block now and then and no gap that breaks the watch. */
  const watchFor = async (minutes: number): Promise<void> => {
    for (let half = 0; half < 2 * minutes; half += 1) {
      till.clock.advance(MINUTE_MS / 2);
      await mineNow();
      const calls = proxy.calls('eth_getBlockByNumber');
      await proxy.waitForCall('eth_getBlockByNumber', calls + 8);
    }
  };

  it('counts as behind while its tip is old, so that no payment expires, and money paid meanwhile is credited', async () => {
    await mineNow();
    await healthUntil('it follows', ({ state }) => state === 'following');
    await watchFor(3);
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    await watchFor(1);
    const { address, amount } = payment.options.ETH;
    const minedAt = Math.floor(till.clock.now() / 1000) + 60;
    // The network goes on; this node hears nothing of it for ten minutes, twice the payment's time.
    const frozen = await anvil.rpc('eth_getBlockByNumber', ['latest', false]);
    const rewrite = (result: unknown, _method: string, [tag]: readonly unknown[]): unknown =>
      tag === 'latest' ? frozen : tag === 'pending' ? null : result;
    const fault = proxy.inject({ kind: 'rewrite', rewrite }, { methods: ['eth_getBlockByNumber'] });
    await anvil.pay({ address, amount: parseCoinAmount(amount, 'ETH') });
    till.clock.advance(10 * MINUTE_MS);
    await healthUntil('its head is old', ({ state }) => state === 'behind');
    expect((await till.api.call('GET', '/readyz')).status).toBe(503);
    const looks = proxy.calls('eth_getBlockByNumber');
    await proxy.waitForCall('eth_getBlockByNumber', looks + 10);
    expect((await shop.payment(payment.id)).status).not.toBe('expired');
    await anvil.rpc('evm_setNextBlockTimestamp', [`0x${minedAt.toString(16)}`]);
    await anvil.mine(1);
    fault.clear();
    await mineNow();
    await anvil.mine(payment.options.ETH.requiredConfirmations);
    const done = await eventually(
      'the payment of then is complete',
      () => shop.payment(payment.id),
      ({ status }) => status === 'completed',
    );
    expect(done.exception).toBeNull();
    await healthUntil('it follows again', ({ state }) => state === 'following');
  });

  it('causes a warning about payments from contracts when it returns no balances for its newest block', async () => {
    const fault = proxy.inject({ kind: 'rewrite', rewrite: noHashes }, { methods: ['eth_getBalance'] });
    till.clock.advance(MINUTE_MS);
    const told = await healthUntil('it is told', ({ warnings }) => warnings.length > 0);
    expect(told?.warnings.join()).toContain('payments through contracts');
    fault.clear();
    till.clock.advance(MINUTE_MS);
    await mineNow();
    await healthUntil('it is well again', ({ warnings }) => warnings.length === 0);
  });
});

/** A provider that takes a block's height only (no EIP-1898). */
function noHashes(): never {
  throw new RpcError('', -32_602, 'invalid argument 1: cannot unmarshal object');
}
