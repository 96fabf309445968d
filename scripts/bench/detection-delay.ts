import { setTimeout as sleep } from 'node:timers/promises';
import { Shop, type PaymentJson } from '../../test/_helpers/api-client.ts';
import { startBitcoind, startLitecoind, toAtoms, type RegtestNode } from '../../test/_helpers/nodes/index.ts';
import { WebhookSink } from '../../test/_helpers/webhook-sink.ts';
import { compare } from './harness/alternate.ts';
import { startDaemon } from './harness/daemon.ts';
import type { Bench, Comparison, Question } from './harness/question.ts';
import { percentile } from './harness/stats.ts';

const POLL_MS = 1_000;
/** The golden ratio of the interval distributes the payments evenly over it. */
const STEP_MS = 0.618 * POLL_MS;
const SAMPLES = 50;
/** A node accepts at most 25 unconfirmed transactions in a chain, each spending the change of the previous one. */
const PAYMENTS_PER_BLOCK = 20;

/** How soon a shop is notified of money if the daemon only polls. */
export const question: Question = {
  asks: 'delay from a node that accepts a transaction to the webhook received, p95, polling every second',
  against: 'the polling interval',
  run: async (bench) => {
    const comparisons: Comparison[] = [];
    const notes: string[] = [];
    for (const coin of ['BTC', 'LTC'] as const) {
      const found = await measure(bench, coin);
      comparisons.push(found.comparison);
      notes.push(found.note);
    }
    return { comparisons, notes };
  },
};

async function measure(bench: Bench, coin: 'BTC' | 'LTC'): Promise<{ comparison: Comparison; note: string }> {
  const node = await (coin === 'BTC' ? startBitcoind() : startLitecoind());
  bench.onEnd(async () => node.stop());
  const sink = await WebhookSink.start();
  bench.onEnd(async () => sink.close());
  const daemon = await startDaemon(bench, {
    env: {
      TILLD_NETWORK: 'regtest',
      TILLD_POLL_INTERVAL: '1s',
      TILLD_ALLOW_PRIVATE_WEBHOOKS: 'on',
      [`TILLD_${coin}_RPC_URL`]: node.rpcUrl,
    },
  });
  const shop = await Shop.open(daemon.api, { webhookUrl: sink.url });
  const rounds: number[][] = [];
  // The first round is discarded, because code is compiled in it.
  for (let round = 0; round <= (bench.quick ? 1 : 3); round += 1) {
    rounds.push(await delays({ coin, node, shop, sink }));
    bench.progress(`${coin}: round ${round} done`);
  }
  await daemon.stop();
  const measured = rounds.slice(1).map((each) => each.toSorted((a, b) => a - b));
  const all = measured.flat().toSorted((a, b) => a - b);
  return {
    comparison: compare(
      { ours: measured.map((each) => percentile(each, 95)), baseline: measured.map(() => POLL_MS) },
      { what: `${coin}, p95`, unit: 'ms', figure: (ms) => ms, target: { atMost: 1.5 } },
    ),
    note: `${coin}: ${all.length} payments in ${measured.length} rounds, median ${Math.round(percentile(all, 50))} ms, longest ${Math.round(all.at(-1) ?? 0)} ms`,
  };
}

/** Each payment is sent at another time between two polls; ms until its webhook was received completely. */
async function delays(world: {
  readonly coin: 'BTC' | 'LTC';
  readonly node: RegtestNode;
  readonly shop: Shop;
  readonly sink: WebhookSink;
}): Promise<number[]> {
  const { coin, node, shop, sink } = world;
  const payments: PaymentJson[] = [];
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    // Small, because the miner pays two hundred of them.
    payments.push(await shop.createPayment({ amount: '5', allowedCryptos: [coin] }));
  }
  const started = performance.now();
  const received: Promise<number>[] = [];
  for (const [sample, { id, options }] of payments.entries()) {
    const { address, amount } = options[coin];
    if (sample % PAYMENTS_PER_BLOCK === 0) await node.mine(1);
    await sleep(Math.max(0, started + sample * STEP_MS - performance.now()));
    await node.pay({ address, amountAtoms: toAtoms(amount) });
    const accepted = performance.now();
    received.push(
      sink.waitForEvent('payment.confirming', id, 30_000).then(() => performance.now() - accepted),
    );
  }
  return Promise.all(received);
}
