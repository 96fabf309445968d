import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { Shop } from '../../test/_helpers/api-client.ts';
import { alternate, compare } from './harness/alternate.ts';
import { NICE_ELSEWHERE, nextMessage, startNode } from './harness/child.ts';
import { startDaemon, type Daemon } from './harness/daemon.ts';
import { putLoad } from './harness/load.ts';
import type { Bench, Question } from './harness/question.ts';

const ENDPOINTS = 64;
const LEAD_MS = 2_000;

/**
 * Whether shops notice the scan of a block and a draining queue of webhooks. On a machine of two cores, processes that
 * represent other machines share them with the daemon: the load generator, the endpoints (the sink), and the node.
 * On both sides, endpoints and node have a lower priority, and the load generator a higher one if the system permits it
 * (as root); otherwise its own wait for a core would be measured as the daemon's. Time that the daemon itself waits for
 * a core, even for one that its own threads use, counts.
 */
export const question: Question = {
  asks: 'p99 of payment/get while full blocks are scanned and 10,000 webhooks drain',
  against: 'the same requests at the same pace, otherwise idle',
  run: async (bench) => {
    const script = fileURLToPath(new URL('chain/block-node.ts', import.meta.url));
    const node = startNode(bench, [script], {}, NICE_ELSEWHERE);
    const { port } = (await nextMessage(node)) as { port: number };
    const sink = startNode(
      bench,
      [fileURLToPath(new URL('harness/sink-server.ts', import.meta.url)), String(ENDPOINTS)],
      {},
      NICE_ELSEWHERE,
    );
    const { ports } = (await nextMessage(sink)) as { ports: number[] };
    const daemon = await startDaemon(bench, {
      env: { TILLD_NETWORK: 'regtest', TILLD_BTC_RPC_URL: `http://u:p@127.0.0.1:${port}` },
    });
    const shop = await Shop.open(daemon.api);
    const { id } = await shop.createPayment();
    const webhooks = bench.quick ? 1_000 : 10_000;
    const durationMs = bench.quick ? 4_000 : 10_000;
    const request = {
      method: 'GET' as const,
      path: `/payment/get?paymentId=${id}`,
      headers: { Authorization: `Bearer ${shop.secretKey}` },
    };
    const ask = () =>
      putLoad(bench, {
        url: daemon.url,
        connections: 8,
        ratePerSecond: 200,
        durationMs,
        requests: [request],
        isElsewhere: true,
      });
    const left: number[] = [];
    const rounds = await alternate({
      rounds: bench.quick ? 2 : 5,
      ours: async () => {
        queueWebhooks(daemon, { merchantId: shop.merchantId, paymentId: id, ports, webhooks });
        await sleep(LEAD_MS);
        const mining = setInterval(() => node.process.send('mine'), durationMs / 4);
        const measured = await ask().finally(() => clearInterval(mining));
        left.push(await drained(bench, daemon));
        return measured;
      },
      baseline: ask,
    });
    return {
      comparisons: [
        compare(rounds, { what: 'p99', unit: 'ms', figure: (m) => m.p99Ms, target: { atMost: 3 } }),
        compare(rounds, { what: 'median', unit: 'ms', figure: (m) => m.p50Ms, target: null }),
        compare(rounds, { what: 'longest', unit: 'ms', figure: (m) => m.maxMs, target: null }),
      ],
      notes: [
        `200 requests/s for ${durationMs / 1000} s; three full blocks (4 M weight) and ${webhooks} webhooks to ${ENDPOINTS} endpoints within`,
        `webhooks left at the end of the load: ${left.join(', ')}`,
        rounds.ours.every(({ isPreferred }) => isPreferred)
          ? 'the loader got a core at once, endpoints and node gave way, on both sides'
          : 'the loader waited for its core like everybody (not root), endpoints and node gave way, on both sides',
      ],
    };
  },
};

/** Events and deliveries as after an outage of the shops' endpoints; due in a moment. */
function queueWebhooks(
  daemon: Daemon,
  to: { merchantId: string; paymentId: string; ports: readonly number[]; webhooks: number },
): void {
  const sqlite = new Database(join(daemon.dataDir, 'tilld.sqlite'), { timeout: 10_000 });
  const now = Date.now();
  const run = `${now}`;
  const event =
    sqlite.prepare(`INSERT INTO events (id, merchant_id, mode, type, payment_id, send_id, sequence, body_json, created_at)
    SELECT ?, merchant_id, mode, type, NULL, NULL, 0, body_json, ? FROM events WHERE payment_id = ? LIMIT 1`);
  const delivery =
    sqlite.prepare(`INSERT INTO deliveries (id, event_id, event_seq, merchant_id, payment_id, order_key, url, origin,
    mode, event_type, status, attempts, next_attempt_at, lease_until, lease_token, created_at, updated_at)
    VALUES (?, ?, ?, ?, NULL, ?, ?, ?, 'sandbox', 'payment.created', 'pending', 0, ?, NULL, NULL, ?, ?)`);
  sqlite.transaction(() => {
    for (let at = 0; at < to.webhooks; at += 1) {
      const eventId = `evt_bench${run}-${at}`;
      const { lastInsertRowid } = event.run(eventId, now, to.paymentId);
      const origin = `http://127.0.0.1:${to.ports[at % to.ports.length]}`;
      const id = `dlv_bench${run}-${at}`;
      delivery.run(
        id,
        eventId,
        lastInsertRowid,
        to.merchantId,
        eventId,
        `${origin}/hook`,
        origin,
        now + LEAD_MS,
        now,
        now,
      );
    }
  })();
  sqlite.close();
}

/** Waits until the queue is empty. @returns its length at the call */
async function drained(bench: Bench, daemon: Daemon): Promise<number> {
  const sqlite = new Database(join(daemon.dataDir, 'tilld.sqlite'), { readonly: true });
  const count = sqlite.prepare("SELECT count(*) FROM deliveries WHERE status = 'pending'").pluck();
  const atFirst = Number(count.get());
  for (let waited = 0; Number(count.get()) > 0; waited += 100) {
    if (waited > 120_000) throw new Error('the webhook queue did not drain');
    await sleep(100);
  }
  sqlite.close();
  if (atFirst > 0) bench.progress(`${atFirst} webhooks were pending`);
  return atFirst;
}
