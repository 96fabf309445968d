import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AccountSubscriptions } from '../../../src/chains/solana/accounts/account-subscriptions.ts';
import { parseCoinAmount } from '../../../src/domain/money.ts';
import { eventually } from '../../_helpers/poll.ts';
import { SvmNode } from '../../_helpers/svm/node.ts';
import { Payer, strangerAddress } from '../../_helpers/svm/payer.ts';
import { SvmWorld } from '../../_helpers/svm/world.ts';

const silent = { debug() {}, info() {}, warn() {}, error() {} };
const limits = { minGapMs: 50, firstPauseMs: 20, longestPauseMs: 100, silenceMs: 10_000 };
/** So long that what is seen earlier was not seen by a poll, on a busy machine neither. */
const POLL_MS = 20_000;

describe('AccountSubscriptions on Solana (WebSocket)', () => {
  let node: SvmNode;
  let payer: Payer;
  let hints: AccountSubscriptions;
  let wakes: number;
  let address: string;

  beforeEach(async () => {
    node = await SvmNode.start();
    payer = new Payer(node);
    address = strangerAddress();
    wakes = 0;
    hints = new AccountSubscriptions({ url: node.wsUrl, logger: silent, limits });
  });
  afterEach(async () => {
    hints.close();
    await node.stop();
  });

  const asked = (method: string): number => node.subscriptions.calls.filter((each) => each === method).length;
  const subscribed = async (times: number): Promise<unknown> =>
    eventually(
      'subscribed',
      () => asked('accountSubscribe'),
      (count) => count >= times,
    );
  const woken = async (): Promise<unknown> =>
    eventually(
      'woken',
      () => wakes,
      (count) => count > 0,
    );

  function start(): void {
    hints.start(() => (wakes += 1));
    hints.follow([address]);
  }

  function pay(): void {
    payer.pay([{ address, amount: 5_000_000n }]);
    node.advance(2);
  }

  it('trigger a poll when an account changes, not when a block arrives', async () => {
    start();
    await subscribed(1);
    for (let blocks = 0; blocks < 20; blocks += 1) node.advance();
    expect(wakes).toBe(0);
    pay();
    await woken();
  });

  it('subscribe to new addresses and unsubscribe from old ones', async () => {
    start();
    await subscribed(1);
    node.advance();
    hints.follow([strangerAddress()]);
    await subscribed(2);
    // The answer to the first subscription may come later than its end is wished for.
    await eventually(
      'left',
      async () => {
        hints.follow([strangerAddress()]);
        return asked('accountUnsubscribe');
      },
      (count) => count > 0,
    );
  });

  it('reconnect after each connection loss, and then trigger a poll for missed changes', async () => {
    start();
    await subscribed(1);
    node.subscriptions.cut();
    await subscribed(2);
    await woken();
    await node.down();
    pay();
    wakes = 0;
    await node.up();
    await woken();
    await subscribed(3);
  });

  it('disconnect from a node that sends nothing', async () => {
    hints = new AccountSubscriptions({
      url: node.wsUrl,
      logger: silent,
      limits: { ...limits, silenceMs: 100 },
    });
    start();
    // Without blocks there are no slots.
    await subscribed(3);
  });

  it('use bounded memory whatever the server sends', async () => {
    start();
    await subscribed(1);
    const change = { jsonrpc: '2.0', method: 'accountNotification', params: { subscription: 7, result: {} } };
    for (const junk of ['', 'x'.repeat(100_000), '[]', 'null', '{"id":1e400}', JSON.stringify({ id: 5 })]) {
      node.subscriptions.shout(junk, 10);
    }
    const before = performance.now();
    node.subscriptions.shout(JSON.stringify(change), 5_000);
    await woken();
    pay();
    await eventually(
      'several',
      () => wakes,
      (count) => count > 1,
    );
    expect(wakes).toBeLessThanOrEqual(1 + (performance.now() - before) / limits.minGapMs);
  });

  it('are not required when the node offers no subscriptions', async () => {
    await node.down();
    start();
    await node.up();
    await subscribed(1);
    pay();
    await woken();
  });
});

it('a daemon with an account subscription detects a payment long before its next poll, and without one at the poll', async () => {
  await using world = await SvmWorld.start({
    env: ({ wsUrl }) => ({ TILLD_SOL_WS_URL: wsUrl, TILLD_POLL_INTERVAL: `${POLL_MS}ms` }),
  });
  const { node, payer, sink } = world;
  const shop = await world.openShop();
  const seenAfter = async (): Promise<number> => {
    const before = node.subscriptions.calls.length;
    const looks = node.calls.length;
    const { id, options } = await shop.createPayment({ allowedCryptos: ['SOL'] });
    const news = (): number => node.subscriptions.calls.length - before + (node.calls.length - looks);
    await eventually('looked at', news, (count) => count > 0, 2 * POLL_MS);
    const startedAt = performance.now();
    const { address, amount } = options['SOL'];
    payer.pay([{ address, amount: parseCoinAmount(amount, 'SOL') }]);
    node.advance(2);
    await sink.waitForEvent('payment.confirming', id, 3 * POLL_MS);
    return performance.now() - startedAt;
  };
  await eventually(
    'connected',
    () => node.subscriptions.connected,
    (count) => count === 1,
  );
  expect(await seenAfter()).toBeLessThan(POLL_MS / 2);
  node.subscriptions.cut();
  await node.down();
  await node.up();
  await seenAfter();
});
