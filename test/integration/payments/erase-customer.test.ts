/** Erasing a customer: nothing personal is left anywhere in the database, and the books do not change. */
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decompressJson } from '../../../src/store/sqlite/compressed-json.ts';
import { Shop, type ApiAnswer, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { Till } from '../../_helpers/till.ts';

const EMAIL = 'Ada.Lovelace+tea@Example.com';
const NAME = 'Ada Lovelace';
const PHONE = '+44 20 7946 0018';
/** What must be nowhere, in lower case. */
const PERSONAL = [EMAIL, encodeURIComponent(EMAIL), NAME, PHONE].map((text) => text.toLowerCase());

interface Customer {
  readonly id: string;
  readonly email: string;
  readonly metadata: object;
}

let till: Till;
let shop: Shop;
/** A shop that answers every webhook with what it was sent. */
let echo: Server;

beforeAll(async () => {
  echo = createServer((req, res) => req.pipe(res));
  await new Promise<void>((resolve) => echo.listen(0, '127.0.0.1', resolve));
  till = await Till.start();
  await till.ready();
  const { port } = echo.address() as AddressInfo;
  shop = await Shop.open(till.api, { webhookUrl: `http://127.0.0.1:${port}/hook` });
});
afterAll(async () => {
  await till.end();
  echo.closeAllConnections();
  await new Promise((resolve) => echo.close(resolve));
});

const call = async <T = Record<string, unknown>>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<ApiAnswer<T>> =>
  till.api.call<T>(method, path, {
    token: shop.secretKey,
    headers,
    ...(body === undefined ? {} : { body }),
  });

async function must<T>(
  method: string,
  path: string,
  body?: object,
  headers: Record<string, string> = {},
): Promise<T> {
  const { status, body: answer } = await call<T>(method, path, body, headers);
  if (!answer.success)
    throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(answer.error)}`);
  return answer.data;
}

const erase = async (customerId: string) => call('DELETE', '/merchant/customer/erase', { customerId });

function readText(value: unknown): string {
  return Buffer.isBuffer(value) ? (decompressJson(value) ?? value.toString('utf8')) : String(value);
}

/** Every text of every table that holds something personal. @returns where it was found */
function personalPlaces(texts: readonly string[]): string[] {
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'), { readonly: true });
  try {
    const tables = db
      .prepare(`SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'`)
      .pluck()
      .all() as string[];
    return tables.flatMap((table) =>
      (db.prepare(`SELECT * FROM "${table}"`).all() as Record<string, unknown>[]).flatMap((row) =>
        Object.entries(row).flatMap(([column, value]) => {
          const text = readText(value);
          return texts.some((personal) => text.toLowerCase().includes(personal))
            ? [`${table}.${column}`]
            : [];
        }),
      ),
    );
  } finally {
    db.close();
  }
}

const places = (texts: readonly string[]): string[] => [...new Set(personalPlaces(texts))].toSorted();

function run(sql: string, ...values: unknown[]): unknown[] {
  const db = new Sqlite(join(till.dataDir, 'tilld.sqlite'));
  try {
    db.function('text_of', readText);
    const statement = db.prepare(sql);
    return statement.reader ? statement.all(...values) : [statement.run(...values)];
  } finally {
    db.close();
  }
}

async function pay(paymentId: string): Promise<void> {
  await must('POST', '/sandbox/payment/simulate', { paymentId, scenario: 'exact', coin: 'BTC' });
  await eventually(
    'paid',
    async () => shop.payment(paymentId),
    ({ status }) => status === 'completed',
  );
}

/** A payment that carries what a careless shop may write into it. */
async function personalPayment(customerId: string, number: number): Promise<PaymentJson> {
  const way = `https://shop.example/order/{orderId}?mail=${encodeURIComponent(EMAIL)}`;
  return shop.createPayment({
    customerId,
    orderId: `erase-${number}`,
    orderLabel: `${NAME} ${number}`,
    description: `Tea for ${NAME.toUpperCase()}, ${EMAIL.toLowerCase()}`,
    lines: [{ name: `Tea (${NAME})`, quantity: 1, amount: '9' }],
    metadata: {
      phone: PHONE,
      site: 'https://shop.example',
      nested: { contact: [EMAIL.toUpperCase(), 'order 19'], big: 12345678901234567890n.toString() },
    },
    customFields: { name: NAME, gift: true },
    successUrl: way,
    returnUrl: way,
  });
}

async function linkPayment(): Promise<string> {
  const link = await must<{ url: string }>('POST', '/merchant/link/create', {
    name: 'Donation',
    amount: '5',
    currency: 'USD',
    fields: [{ name: 'email', required: true }, { name: 'name', required: true }, { name: 'note' }],
  });
  const made = await fetch(`${till.api.baseUrl}${new URL(link.url).pathname}?lang=en`, {
    method: 'POST',
    redirect: 'manual',
    body: new URLSearchParams({ email: EMAIL, name: 'Countess of L.', note: 'Call me by night' }),
  });
  return /\/checkout\/([^?]+)/.exec(made.headers.get('location') ?? '')?.[1] ?? '';
}

describe('DELETE /merchant/customer/erase', () => {
  it('removes personal data from every table, and changes no amount', async () => {
    const key = { 'idempotency-key': 'create-ada' };
    const fields = { email: EMAIL, metadata: { name: NAME, phone: PHONE, plan: 'gold' } };
    const customer = await must<Customer>('POST', '/merchant/customer/create', fields, key);
    const payments = [await personalPayment(customer.id, 1), await personalPayment(customer.id, 2)];
    const [paid, open] = payments;
    if (paid === undefined || open === undefined) throw new Error('no payments were made');
    const byLink = await linkPayment();
    await pay(paid.id);
    const refundLink = { paymentId: paid.id, preset: 'all', reason: `Goodwill for ${NAME}` };
    await must('POST', '/payment/refund-link', refundLink, { 'idempotency-key': 'refund-ada' });
    const links = run('SELECT id FROM refund_links') as { id: string }[];
    const update = { paymentId: open.id, amount: '90' };
    await must('POST', '/payment/cancel', { paymentId: open.id }, { 'idempotency-key': 'cancel-ada' });
    expect((await call('PATCH', '/payment/update', update)).status).toBe(409);
    await eventually(
      'webhooks answered',
      async () => run(`SELECT id FROM deliveries WHERE status = 'pending'`),
      (pending) => pending.length === 0,
    );
    run(
      `INSERT INTO mails (id, user_id, kind, state, body_sealed, attempts, next_attempt_at, expires_at, created_at, updated_at)
       VALUES (?, NULL, 'receipt', 'pending', 'sealed', 0, ?, ?, 1, 1)`,
      `receipt_${paid.id}`,
      Date.now() + 3_600_000,
      Date.now() + 7_200_000,
    );
    for (const subject of [paid.id, `${links[0]?.id} claim_1`])
      run(
        `INSERT INTO notices (key, reason, merchant_id, mode, subject, details_json, created_at)
         VALUES (?, 'paid', ?, 'sandbox', ?, ?, 1)`,
        `paid ${subject}`,
        shop.merchantId,
        subject,
        JSON.stringify({ order: `${NAME} 1`, price: '100 USD' }),
      );
    expect(places(PERSONAL)).toEqual([
      'customers.email',
      'customers.email_key',
      'customers.metadata_json',
      'events.body_json',
      'notices.details_json',
      'payments.custom_fields_json',
      'payments.description',
      'payments.lines_json',
      'payments.metadata_json',
      'payments.order_label',
      'payments.return_url',
      'payments.success_url',
      'refund_links.reason',
      'webhook_logs.exchange_json',
    ]);
    // Blocks come meanwhile, so confirmations grow.
    const { options: _o, transactions: _t, ...before } = await shop.payment(paid.id);
    const books = JSON.stringify(await must('GET', '/payment/export'));

    expect((await erase(customer.id)).body.data).toEqual({ erased: true, customerId: customer.id });

    expect(places([...PERSONAL, 'countess', 'call me by night'])).toEqual([]);
    expect(JSON.stringify(await must('GET', '/payment/export'))).toBe(books.replace(`${NAME} 1`, 'erased 1'));
    expect(await shop.payment(paid.id)).toMatchObject({
      ...before,
      customerId: customer.id,
      orderLabel: 'erased 1',
      description: 'Tea for erased, erased',
      lines: [{ name: 'Tea (erased)', quantity: 1, amount: '9' }],
      metadata: {
        site: 'https://shop.example',
        nested: { contact: ['erased', 'order 19'], big: '12345678901234567890' },
      },
      customFields: { gift: true },
      successUrl: 'https://shop.example/order/{orderId}?mail=erased',
      returnUrl: 'https://shop.example/order/{orderId}?mail=erased',
    });
    expect((await shop.payment(byLink)) as object).toMatchObject({
      metadata: { paymentLinkId: expect.stringMatching(/^plink_/) as string },
    });
    expect(run('SELECT state, body_sealed FROM mails WHERE id = ?', `receipt_${paid.id}`)).toEqual([
      { state: 'failed', body_sealed: null },
    ]);
    for (const [path, body, name] of [
      ['/merchant/customer/create', fields, 'create-ada'],
      ['/payment/refund-link', refundLink, 'refund-ada'],
      ['/payment/cancel', { paymentId: open.id }, 'cancel-ada'],
    ] as const) {
      const replay = await call('POST', path, body, { 'idempotency-key': name });
      expect(replay.headers.get('idempotent-replayed')).toBe('true');
      const text = JSON.stringify(replay.body).toLowerCase();
      expect(PERSONAL.filter((personal) => text.includes(personal))).toEqual([]);
    }
  });

  it('returns the customer as erased afterwards, and is idempotent', async () => {
    const { id } = await must<Customer>('POST', '/merchant/customer/create', {
      email: 'again@example.com',
      metadata: { name: 'Again' },
    });
    expect((await erase(id)).status).toBe(200);
    expect((await erase(id)).status).toBe(200);
    const shown = { id, email: `${id}@erased.invalid`, metadata: {} };
    expect(await must('GET', `/merchant/customer/get?customerId=${id}`)).toMatchObject(shown);
    const edit = await call('PATCH', '/merchant/customer/edit', {
      customerId: id,
      email: 'back@example.com',
    });
    expect([edit.status, edit.body.error?.code]).toEqual([409, 'INVALID_STATE']);
  });

  it('allows another customer to be created with the same address later', async () => {
    const email = 'twice@example.com';
    const { id } = await must<Customer>('POST', '/merchant/customer/create', { email });
    await erase(id);
    const later = (await shop.createPayment({
      customerId: undefined,
      customer: { email },
    })) as PaymentJson & {
      readonly id: string;
    };
    const payment = (await shop.payment(later.id)) as PaymentJson & { readonly customerId: string };
    expect(payment.customerId).not.toBe(id);
    expect(await must('GET', `/merchant/customer/get?email=${email}`)).toMatchObject({
      id: payment.customerId,
    });
    // A customer with the address that an erased one is shown with does not stand in its way.
    const squatted = await must<Customer>('POST', '/merchant/customer/create', {
      email: 'squat@example.com',
    });
    await must('POST', '/merchant/customer/create', { email: `${squatted.id}@erased.invalid` });
    expect((await erase(squatted.id)).status).toBe(200);
  });

  it('erases many payments of the customer, and none of another customer', async () => {
    const email = 'many@example.com';
    const { id } = await must<Customer>('POST', '/merchant/customer/create', { email });
    const other = await shop.createPayment({ description: `For ${email}` });
    for (let number = 0; number < 45; number += 1)
      await shop.createPayment({ customerId: id, metadata: { email, number } });
    await erase(id);
    expect(places([email])).toEqual([
      'events.body_json',
      'payments.description',
      'webhook_logs.exchange_json',
    ]);
    expect(
      run('SELECT DISTINCT payment_id FROM events WHERE text_of(body_json) LIKE ?', `%${email}%`),
    ).toEqual([{ payment_id: other.id }]);
  });

  it('clears an exchange whose stored bytes are damaged, because they may contain anything', async () => {
    const email = 'damaged@example.com';
    const { id } = await must<Customer>('POST', '/merchant/customer/create', { email });
    const payment = await shop.createPayment({ customerId: id });
    const logs = async () =>
      run('SELECT exchange_json AS exchange FROM webhook_logs WHERE payment_id = ?', payment.id);
    await eventually('the attempt is logged', logs, (rows) => rows.length > 0);
    run(
      'UPDATE webhook_logs SET exchange_json = CAST(? AS BLOB) WHERE payment_id = ?',
      `x ${email}`,
      payment.id,
    );
    await erase(id);
    expect(await logs()).toEqual([{ exchange: null }]);
    expect(places([email])).toEqual([]);
  });

  it('also removes personal data from the response to a webhook that was in flight', async () => {
    const email = 'underway@example.com';
    const asked = Promise.withResolvers<() => void>();
    const slow = createServer((req, res) => {
      asked.resolve(() => req.pipe(res));
    });
    await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve));
    try {
      const { id } = await must<Customer>('POST', '/merchant/customer/create', { email });
      const { port } = slow.address() as AddressInfo;
      const webhookUrl = `http://127.0.0.1:${port}/hook`;
      const payment = await shop.createPayment({ customerId: id, webhookUrl, metadata: { email } });
      const answer = await asked.promise;
      await erase(id);
      answer();
      await eventually(
        'the answer is logged',
        async () => run('SELECT id FROM webhook_logs WHERE payment_id = ?', payment.id),
        (logs) => logs.length > 0,
      );
      expect(
        run('SELECT payment_id FROM webhook_logs WHERE text_of(exchange_json) LIKE ?', `%${email}%`),
      ).toEqual([]);
    } finally {
      slow.closeAllConnections();
      await new Promise((resolve) => slow.close(resolve));
    }
  });

  it('answers 404 for a customer that does not exist or belongs to another account', async () => {
    const stranger = await Shop.open(till.api);
    for (const id of ['cus_nobody', stranger.customerId]) {
      const { status, body } = await erase(id);
      expect([status, body.error?.code]).toEqual([404, 'CUSTOMER_NOT_FOUND']);
    }
    expect(
      await stranger.api.must('GET', `/merchant/customer/get?customerId=${stranger.customerId}`, {
        token: stranger.secretKey,
      }),
    ).toMatchObject({ email: expect.stringContaining('buyer-') as string });
  });

  it('is recorded in the audit log, also when an API key requests it', async () => {
    const { id } = await must<Customer>('POST', '/merchant/customer/create', { email: 'log@example.com' });
    await erase(id);
    expect(run('SELECT action, actor_kind, result FROM audit_log WHERE object_id = ?', id)).toEqual([
      { action: 'DELETE /merchant/customer/erase', actor_kind: 'secret', result: 'OK' },
    ]);
  });
});
