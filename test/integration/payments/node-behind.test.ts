import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { Anvil } from '../../_helpers/anvil/anvil.ts';
import { type ApiClient, Shop } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { addressOf, due, SETTLED, SvmWorld } from '../../_helpers/svm/world.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
/** Deadlines are looked at every second. */
const SOME_DEADLINES_MS = 3 * SECOND;

interface ChainReady {
  readonly state: string;
  readonly height: number;
  readonly lastSeenAt: string | number | null;
  readonly warnings: readonly string[];
}

async function readyOf(api: ApiClient, coin: 'ETH' | 'SOL') {
  const { status, body } = await api.call<{ chains: Record<string, ChainReady> }>('GET', '/readyz');
  return { status, chain: body.data.chains[coin] };
}

describe('a node that lags behind its network', () => {
  it('causes no SOL payment to expire, and a payment made in time is not late', async () => {
    await using world = await SvmWorld.start();
    const shop = await world.openShop();
    const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
    // After a restart a node replays for minutes to an hour, and says so.
    const behind = world.node.inject(
      {
        kind: 'error',
        code: -32005,
        message: 'Node is behind by 9600 slots',
        data: { numSlotsBehind: 9600 },
      },
      { methods: ['getHealth'] },
    );
    world.till.clock.advance(64 * MINUTE);
    const { status, chain } = await eventually(
      'it says that it is behind',
      () => readyOf(world.till.api, 'SOL'),
      (ready) => ready.chain?.state === 'behind',
    );
    expect(status).toBe(503);
    expect(chain?.warnings.join()).toMatch(/not in step with its network; no payment expires/);
    await delay(SOME_DEADLINES_MS);
    expect(world.sink.types(payment.id)).toEqual(['payment.created']);
    // It comes up to its network; blocks have the time at which they were made, an hour ago.
    world.payer.pay([{ address: addressOf(payment), amount: due(payment) }]);
    world.node.advance(SETTLED);
    await world.sink.waitForEvent('payment.completed', payment.id);
    behind.clear();
    await world.till.ready();
    expect(await shop.payment(payment.id)).toMatchObject({
      exception: null,
      transactions: [{ late: false }],
    });
    expect(world.sink.types(payment.id)).not.toContain('payment.expired');
  });

  it('causes no ETH payment to expire while its tip is older than the deadline, and a payment mined in time is not late', async () => {
    await using anvil = await Anvil.start({ chainId: 17_000 });
    await using sink = await WebhookSink.start();
    await using till = await Till.start({
      TILLD_NETWORK: 'testnet',
      TILLD_ETH_RPC_URL: anvil.rpcUrl,
      TILLD_CONFIRMATIONS_ETH: '2',
      TILLD_ALLOW_PRIVATE_WEBHOOKS: 'true',
    });
    const block = async (atMs: number): Promise<void> => {
      await anvil.rpc('evm_setNextBlockTimestamp', [Math.floor(atMs / SECOND)]);
      await anvil.mine(1);
    };
    /** A block every twelve seconds, each read before the next. */
    const passWithBlocks = async (count: number): Promise<void> => {
      for (let made = 0; made < count; made += 1) {
        till.clock.advance(12 * SECOND);
        await block(till.clock.now());
        const height = Number(await anvil.rpc('eth_blockNumber', []));
        await eventually(
          'the block is read',
          () => readyOf(till.api, 'ETH'),
          ({ chain }) => chain?.height === height,
        );
      }
    };
    await passWithBlocks(14);
    const shop = await Shop.open(till.api, {
      webhookUrl: sink.url,
      settings: { paymentLifetimeMinutes: 5 },
    });
    const payment = await shop.createPayment({ allowedCryptos: ['ETH'] });
    const created = till.clock.now();
    await passWithBlocks(18);
    // Its consensus client dies after 3:36; the payer's transaction is mined elsewhere at 4:30.
    for (let passed = 0; passed < 2; passed += 1) {
      till.clock.advance(MINUTE);
      await delay(SOME_DEADLINES_MS);
    }
    expect(sink.types(payment.id)).toEqual(['payment.created']);
    till.clock.advance(MINUTE);
    await eventually(
      'it is seen to be behind',
      () => readyOf(till.api, 'ETH'),
      ({ status, chain }) => status === 503 && chain?.state === 'behind',
    );
    await delay(SOME_DEADLINES_MS);
    expect(sink.types(payment.id)).toEqual(['payment.created']);
    const { address, amount } = payment.options.ETH;
    // Mined at once: here nothing of it was heard before.
    await anvil.rpc('evm_setNextBlockTimestamp', [Math.floor((created + 270 * SECOND) / SECOND)]);
    await anvil.rpc('evm_setAutomine', [true]);
    await anvil.pay({ address, amount: parseCoinAmount(amount, 'ETH') });
    await anvil.rpc('evm_setAutomine', [false]);
    await block(created + 282 * SECOND);
    await passWithBlocks(2);
    await sink.waitForEvent('payment.completed', payment.id);
    expect(await shop.payment(payment.id)).toMatchObject({
      exception: null,
      transactions: [{ late: false }],
    });
    expect(sink.types(payment.id)).not.toContain('payment.expired');
  });
});

it('a payment does not expire while its Solana account has a balance whose transactions the node has lost', async () => {
  await using world = await SvmWorld.start();
  const shop = await world.openShop();
  const payment = await shop.createPayment({ allowedCryptos: ['SOL'] });
  const address = addressOf(payment);
  const lost = world.node.inject(
    { kind: 'rewrite', rewrite: () => [] },
    { methods: ['getSignaturesForAddress'], about: ([asked]) => asked === address },
  );
  world.payer.pay([{ address, amount: due(payment) }]);
  world.node.advance(SETTLED);
  await eventually(
    'it is looked for',
    async () => lost.hits,
    (hits) => hits > 0,
  );
  // Patience with one account ends after a while, and the others go on.
  world.till.clock.advance(30_000);
  await world.till.ready();
  world.till.clock.advance(61 * 60_000);
  const warned = await eventually(
    'the operator is told',
    async () => (await fetch(`${world.till.api.baseUrl}/metrics`)).text(),
    (metrics) => /tilld_uncredited_payments\{coin="SOL",mode="live"\} 1/.test(metrics),
  );
  expect(warned).toMatch(/tilld_uncredited_amount\{coin="SOL",mode="live"\} 0\.5/);
  expect(world.sink.types(payment.id)).toEqual(['payment.created']);
  lost.clear();
  world.node.advance(SETTLED);
  await world.sink.waitForEvent('payment.confirming', payment.id, 20_000);
  expect(world.sink.types(payment.id)).not.toContain('payment.expired');
});
