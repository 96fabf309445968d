import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import Database from 'better-sqlite3';
import { Shop, type PaymentJson } from '../../../test/_helpers/api-client.ts';
import { nextMessage, startNode } from './child.ts';
import { startDaemon, type Daemon } from './daemon.ts';
import type { Bench } from './question.ts';

/** A payment that the daemon itself brought to its final state, to be copied. */
export interface Template {
  readonly paymentId: string;
  /** Number of its copies in 100. */
  readonly share: number;
}

export interface Templates {
  readonly templates: readonly Template[];
  /** A pending payment. */
  readonly waitingId: string;
  /** Creation time of the templates, ms. */
  readonly madeAt: number;
}

type Coin = 'BTC' | 'LTC' | 'ETH' | 'SOL';

interface Shape {
  readonly share: number;
  /** The coins that the payer can choose; all four by default. */
  readonly offered?: readonly Coin[];
  /** The payer's action; none by default. */
  readonly pays?: { readonly coin: Coin; readonly scenario: 'exact' | 'underpay' | 'overpay' };
  readonly ends: 'completed' | 'expired' | 'cancelled' | 'underpaid' | 'pending';
  /** Past its deadline. */
  readonly isOver?: true;
}

/** The outcomes of a hundred payments in a shop's year. */
const SHAPES: readonly Shape[] = [
  { share: 20, pays: { coin: 'BTC', scenario: 'exact' }, ends: 'completed' },
  { share: 7, pays: { coin: 'LTC', scenario: 'exact' }, ends: 'completed' },
  { share: 12, pays: { coin: 'ETH', scenario: 'exact' }, ends: 'completed' },
  { share: 12, pays: { coin: 'SOL', scenario: 'exact' }, ends: 'completed' },
  { share: 11, offered: ['BTC', 'LTC'], pays: { coin: 'BTC', scenario: 'exact' }, ends: 'completed' },
  { share: 20, ends: 'expired', isOver: true },
  { share: 10, offered: ['BTC'], ends: 'expired', isOver: true },
  { share: 5, ends: 'cancelled' },
  {
    share: 2,
    offered: ['BTC', 'LTC'],
    pays: { coin: 'BTC', scenario: 'underpay' },
    ends: 'underpaid',
    isOver: true,
  },
  { share: 1, pays: { coin: 'LTC', scenario: 'overpay' }, ends: 'completed' },
  { share: 0, ends: 'pending' },
];

/** Blocks mined on a payment at once: more than any coin of the sandbox requires. */
const CONFIRMATIONS = 40;
const PATIENCE_MS = 60_000;

/**
 * Lets the daemon create one payment of each shape in its own shop, and deliver the webhooks of all its events. The
 * deadline of those that expire is changed in the database between two runs, so that the benchmark need not wait an
 * hour.
 */
export async function makeTemplates(bench: Bench, daemon: Daemon): Promise<Templates> {
  const script = fileURLToPath(new URL('sink-server.ts', import.meta.url));
  const sink = startNode(bench, [script, '1'], {});
  const { ports } = (await nextMessage(sink)) as { ports: readonly number[] };
  const webhookUrl = `http://127.0.0.1:${ports[0]}/webhooks/tilld`;
  const shop = await Shop.open(daemon.api, { webhookUrl });
  const ids: string[] = [];
  for (const [number, shape] of SHAPES.entries()) ids.push(await make(shop, shape, `template-${number}`));
  await daemon.stop();
  const path = join(daemon.dataDir, 'tilld.sqlite');
  const expiring = ids.filter((_, number) => SHAPES[number]?.isOver);
  inFile(path, (sqlite) => {
    const expire = sqlite.prepare('UPDATE payments SET expires_at = ? WHERE id = ?');
    for (const id of expiring) expire.run(Date.now(), id);
  });
  const again = await startDaemon(bench, { dataDir: daemon.dataDir });
  const settled = { api: again.api, secretKey: shop.secretKey };
  for (const [number, id] of ids.entries()) await reach(settled, id, SHAPES[number]?.ends ?? '');
  while (inFile(path, (sqlite) => waitingDeliveries(sqlite)) > 0) await sleep(50);
  await again.stop();
  await sink.stop();
  const madeAt = inFile(path, (sqlite) =>
    Number(sqlite.prepare('SELECT min(created_at) FROM payments').pluck().get()),
  );
  const made = SHAPES.map(({ share }, number) => ({ paymentId: ids[number] ?? '', share }));
  const waitingId = ids[SHAPES.findIndex(({ ends }) => ends === 'pending')] ?? '';
  return { templates: made, waitingId, madeAt };
}

async function make(shop: Shop, shape: Shape, orderId: string): Promise<string> {
  const { id } = await shop.api.must<{ id: string }>('POST', '/payment/create', {
    token: shop.publicKey,
    body: {
      amount: '49.90',
      currency: 'USD',
      customerId: shop.customerId,
      orderId,
      metadata: { tableNumber: 7 },
      successUrl: 'https://shop.example/thanks',
      returnUrl: 'https://shop.example/cart',
      ...(shape.offered === undefined ? {} : { allowedCryptos: shape.offered }),
    },
  });
  const token = shop.secretKey;
  if (shape.pays !== undefined) {
    await shop.api.must('POST', '/sandbox/payment/simulate', {
      token,
      body: { paymentId: id, ...shape.pays, confirmations: CONFIRMATIONS },
    });
  }
  if (shape.ends === 'cancelled') {
    await shop.api.must('POST', '/payment/cancel', { token, body: { paymentId: id } });
  }
  if (shape.ends === 'completed') await reach(shop, id, 'completed');
  return id;
}

async function reach(shop: Pick<Shop, 'api' | 'secretKey'>, id: string, status: string): Promise<void> {
  const started = Date.now();
  for (;;) {
    const path = `/payment/get?paymentId=${id}`;
    const payment = await shop.api.must<PaymentJson>('GET', path, { token: shop.secretKey });
    if (payment.status === status) return;
    if (Date.now() - started > PATIENCE_MS) throw new Error(`a template stays ${payment.status}: ${status}`);
    await sleep(50);
  }
}

function waitingDeliveries(sqlite: Database.Database): number {
  return Number(sqlite.prepare("SELECT count(*) FROM deliveries WHERE status = 'pending'").pluck().get());
}

function inFile<T>(path: string, work: (sqlite: Database.Database) => T): T {
  const sqlite = new Database(path);
  try {
    return work(sqlite);
  } finally {
    sqlite.close();
  }
}
