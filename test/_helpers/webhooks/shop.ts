import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { EventType } from '../../../src/domain/events.ts';
import type { SecretBox } from '../../../src/domain/keys.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import type { Db } from '../../../src/store/sqlite/database.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { emitEvent } from '../../../src/usecases/events/emit-event.ts';
import { newId, newTimedId, newUuid, newWebhookSecret } from '../../../src/usecases/events/new-id.ts';
import { WebhookQueue } from '../../../src/workers/webhook-delivery/queue.ts';
import type { WebhookQueueLimits } from '../../../src/workers/webhook-delivery/queue-options.ts';
import { RETRY_DELAYS_MS } from '../../../src/workers/webhook-delivery/retry-schedule.ts';
import { resolveHost } from '../../../src/egress/resolve.ts';

/** Reversible and recognisable: a sealed secret must never be taken for an open one. */
export const secretBox: SecretBox = {
  seal: (plain) => `sealed:${Buffer.from(plain).toString('base64')}`,
  open: (sealed) => {
    if (!sealed.startsWith('sealed:')) throw new Error('not sealed');
    return Buffer.from(sealed.slice('sealed:'.length), 'base64').toString();
  },
};

export const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
};

interface FakeClock {
  now(): number;
  advance(ms: number): void;
}

function fakeClock(start = Date.UTC(2026, 10, 20, 12)): FakeClock {
  let now = start;
  return {
    now: () => now,
    advance: (ms) => {
      now += ms;
    },
  };
}

export const LIMITS: WebhookQueueLimits = {
  attemptLimitMs: 15_000,
  concurrency: 32,
  retryDelaysMs: RETRY_DELAYS_MS,
};

export interface Merchant {
  readonly id: string;
  readonly webhookUrl: string | null;
  readonly secret: string;
}

export interface Shop {
  readonly db: Db;
  readonly path: string;
  readonly clock: FakeClock;
  merchant(webhookUrl: string | null): Promise<Merchant>;
  /** A payment of a merchant; its events go to `webhookUrl` when given. */
  payment(merchant: Merchant, webhookUrl?: string): Promise<Payment>;
  queue(limits?: Partial<WebhookQueueLimits>, logger?: Logger): WebhookQueue;
  close(): Promise<void>;
}

interface Payment {
  readonly id: string;
  emit(type?: EventType, data?: object): Promise<{ eventId: string; deliveryId: string | null }>;
}

/** The clock of the machine, for measurements: ids begin with their time. */
export const realClock: FakeClock = {
  now: () => Date.now(),
  advance: () => {
    throw new Error('nobody moves the real clock');
  },
};

/** A database file with merchants and payments in it, and a clock that tests move. */
export async function openShop(at: { path?: string; clock?: FakeClock } = {}): Promise<Shop> {
  const folder = at.path === undefined ? mkdtempSync(join(tmpdir(), 'tilld-webhooks-')) : null;
  const path = at.path ?? join(folder ?? '', 'tilld.sqlite');
  const database = await openDatabase(path);
  const { db } = database;
  const clock = at.clock ?? fakeClock();
  const queues: WebhookQueue[] = [];
  return {
    db,
    path,
    clock,
    merchant: (webhookUrl) => insertMerchant(db, clock, webhookUrl),
    payment: (merchant, webhookUrl) => insertPayment(db, clock, merchant, webhookUrl ?? null),
    queue: (limits = {}, logger = silent) => {
      const queue = new WebhookQueue({
        db,
        clock,
        logger,
        secretBox,
        egress: { allowPrivate: true, resolve: resolveHost },
        limits: { ...LIMITS, ...limits },
        random: () => 0.5,
      });
      queues.push(queue);
      return queue;
    },
    close: async () => {
      await Promise.all(queues.map((queue) => queue.stop({ deadlineMs: 0 })));
      const ordered = await listSettledInOrder(db);
      await database.close();
      if (folder !== null) rmSync(folder, { recursive: true });
      if (ordered.length > 0) throw new Error(`settled deliveries with an order key: ${ordered.join(', ')}`);
    },
  };
}

/** The ids of deliveries that still have an order key or an origin once they are settled: none. */
async function listSettledInOrder(db: Db): Promise<string[]> {
  const settled = await db
    .selectFrom('deliveries')
    .select(['id', 'orderKey', 'origin'])
    .where('status', '<>', 'pending')
    .execute();
  return settled.filter(({ orderKey, origin }) => `${orderKey}${origin}` !== '').map(({ id }) => id);
}

let merchants = 0;

/** A merchant of a user of its own, without wallet and keys. */
export async function insertMerchant(
  db: Db,
  clock: FakeClock = realClock,
  webhookUrl: string | null = null,
): Promise<Merchant> {
  merchants += 1;
  const user = newUuid();
  const id = newUuid();
  const secret = newWebhookSecret();
  const times = { createdAt: clock.now(), updatedAt: clock.now() };
  await db
    .insertInto('users')
    .values({
      id: user,
      email: `${user}@example.com`,
      emailKey: `${user}@example.com`,
      passwordHash: '-',
      isVerified: true,
      tokenVersion: 0,
      ...times,
    })
    .execute();
  await db
    .insertInto('merchants')
    .values({
      id,
      userId: user,
      account: merchants,
      name: 'Shop',
      description: null,
      domain: `${id}.example`,
      domainToken: '-',
      domainVerifiedAt: null,
      webhookUrl,
      webhookSecretSealed: secretBox.seal(secret),
      webhookOldSecretSealed: null,
      webhookOldSecretUntil: null,
      sandbox: true,
      paymentLifetimeMinutes: 60,
      toleranceBps: 50,
      latePolicy: 'accept',
      embedOriginsJson: '[]',
      currency: 'USD',
      timeZone: null,
      supportContact: null,
      accentColor: null,
      logoHash: null,
      renewExpired: false,
      invoiceLeadDays: 7,
      graceDays: 7,
      excessToCredit: true,
      payerMayAskExcess: true,
      payerMayPause: false,
      payerMayCancel: true,
      mailsSubscribers: true,
      businessJson: null,
      receiptPrefix: '',
      booksClosedUntil: 0,
      ...times,
    })
    .execute();
  return { id, webhookUrl, secret };
}

async function insertPayment(
  db: Db,
  clock: FakeClock,
  merchant: Merchant,
  webhookUrl: string | null,
): Promise<Payment> {
  const id = newTimedId('pay_', clock.now());
  const customer = newId('cus_');
  const owner = await db
    .selectFrom('merchants')
    .select('userId')
    .where('id', '=', merchant.id)
    .executeTakeFirstOrThrow();
  const times = { createdAt: clock.now(), updatedAt: clock.now() };
  const email = `${customer}@example.com`;
  await db
    .insertInto('customers')
    .values({ id: customer, userId: owner.userId, email, emailKey: email, metadataJson: '{}', ...times })
    .execute();
  await db
    .insertInto('payments')
    .values({
      id,
      merchantId: merchant.id,
      customerId: customer,
      orderId: id,
      mode: 'sandbox',
      status: 'pending',
      exception: null,
      amount: '10',
      currency: 'USD',
      productId: null,
      priceId: null,
      metadataJson: null,
      customFieldsJson: null,
      webhookUrl,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptosJson: '["BTC"]',
      toleranceBps: 50,
      latePolicy: 'accept',
      requestHash: '-',
      sequence: 0,
      expiresAt: clock.now() + 3_600_000,
      cancelledAt: null,
      acceptedAt: null,
      refundedAt: null,
      refundedBy: null,
      ...times,
    })
    .execute();
  let sequence = 0;
  return {
    id,
    emit: async (type = 'payment.created', data = { payment: { id } }) => {
      sequence += 1;
      return db.transaction((tx) =>
        emitEvent(
          tx,
          { clock, logger: silent },
          {
            merchant,
            type,
            mode: 'sandbox',
            paymentId: id,
            sendId: null,
            sequence,
            data,
            paymentWebhookUrl: webhookUrl,
          },
        ),
      );
    },
  };
}
