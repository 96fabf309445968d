import { CompiledQuery } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { findWatched, filterWatched } from '../../../src/store/ledger/addresses.ts';
import { countWaitingPayments, listWaitingPayments } from '../../../src/store/attention/waiting-payments.ts';
import {
  unpaidSubscriptions,
  uninvoicedSubscriptions,
} from '../../../src/store/attention/waiting-subscriptions.ts';
import { failedSends } from '../../../src/store/attention/waiting-sends.ts';
import { balancesAt } from '../../../src/store/ledger/holdings.ts';
import { listCustomers } from '../../../src/store/catalog/customers.ts';
import type { Database } from '../../../src/store/sqlite/database.ts';
import { listDue } from '../../../src/store/webhooks/delivery-leases.ts';
import { listEvents, listEventsInRange, newestSeq } from '../../../src/store/webhooks/events.ts';
import {
  outputsAbove,
  outputsOfPayment,
  outputsOfTransactions,
  ownOutpoints,
  unconfirmedOutputs,
} from '../../../src/store/ledger/outputs.ts';
import {
  paymentsWithMoneyAbove,
  paymentsWithUnquotedMoney,
  waitingPayments,
} from '../../../src/store/payments/payments-with-money.ts';
import { listCounterPayments, sumCounterPayments } from '../../../src/store/payments/counter-payments.ts';
import { listPayments } from '../../../src/store/payments/payment-list.ts';
import { totalPayments } from '../../../src/store/payments/payment-totals.ts';
import { findOpenOrder, paymentsDue } from '../../../src/store/payments/payments.ts';
import { forgetTransactionsBetween } from '../../../src/store/ledger/raw-transactions.ts';
import { spendableTotal } from '../../../src/store/ledger/spendable.ts';
import { listDeliveries } from '../../../src/store/webhooks/delivery-list.ts';
import { listWebhookLogs } from '../../../src/store/webhooks/webhook-logs.ts';
import { contestedOutpoints } from '../../../src/store/ledger/unconfirmed-inputs.ts';
import { sumVolume } from '../../../src/store/payments/volume.ts';
import { pageWalletTransactions } from '../../../src/store/ledger/wallet-transactions.ts';
import { currenciesInUse } from '../../../src/store/rates/currencies-in-use.ts';
import { listRunning, sumChurn, sumRevenue } from '../../../src/store/subscriptions/figures.ts';
import { openDatabase } from '../../../src/store/sqlite/open.ts';
import { recordQueries } from '../../_helpers/recorded-queries.ts';

let db: Database;
const takeQueries = recordQueries();

beforeAll(async () => {
  ({ db } = await openDatabase(':memory:'));
});
afterAll(async () => db.close());

/** How SQLite finds the rows of every query that the work makes. */
async function plansOf(work: () => Promise<unknown>): Promise<string[]> {
  takeQueries();
  await work();
  const plans: string[] = [];
  for (const { sql, parameters } of takeQueries()) {
    const explain = CompiledQuery.raw(`EXPLAIN QUERY PLAN ${sql}`, [...parameters]);
    const { rows } = await db.executeQuery<{ detail: string }>(explain);
    plans.push(rows.map(({ detail }) => detail).join('\n'));
  }
  return plans;
}

const chain = { coin: 'BTC', mode: 'live' } as const;
const shop = { merchantId: 'm', mode: 'live' } as const;
const page = { limit: 10, offset: 0 };
const logPage = { merchantId: 'm', page: 1, limit: 10 };
const text = { text: 'Abcdef', emailKey: 'abcdef', userId: 'u' };
const money = { ...shop, coin: null, direction: null, page: 1, limit: 10 };
const due = { now: 1, perEndpoint: 4, exceptEndpoints: ['https://a.example'], exceptIds: ['d'] };

test('balancesAt reads unspent outputs by account, and spent outputs by the height at which they were spent', async () => {
  const plans = await plansOf(() => balancesAt(db, chain, ['a', 'b'], 9));
  expect(plans).toHaveLength(2);
  const [held, spent] = plans;
  expect(held).toContain('outputs_by_address (address_id=?)');
  expect(spent).toContain('outputs_spent_height (coin=? AND mode=? AND spent_height>?)');
  for (const plan of plans) expect(plan).not.toMatch(/SCAN/);
});

test('the query of a payment search scans the payments of the shop once, and finds hashes, addresses and customers by index', async () => {
  const named = { ...shop, search: text };
  const plans = [
    ...(await plansOf(() => listPayments(db, named, page))),
    ...(await plansOf(() => totalPayments(db, named))),
  ].filter(Boolean);
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).not.toMatch(/SCAN (outputs|payments|addresses|customers|sends?|send_versions|refunds)\b/);
    expect(plan).not.toContain('TEMP B-TREE');
    for (const way of [
      '(merchant_id=? AND mode=?)',
      'customers_by_user (user_id=?)',
      'sqlite_autoindex_outputs_1 (coin=? AND mode=? AND txid>? AND txid<?)',
      'sqlite_autoindex_send_versions_2 (coin=? AND mode=? AND txid>? AND txid<?)',
      'addresses_by_text (merchant_id=? AND mode=? AND <expr>>? AND <expr><?)',
    ])
      expect(plan).toContain(way);
  }
  const ofAmount = { ...shop, search: { ...text, text: '12.5' } };
  const [plan] = await plansOf(() => listPayments(db, ofAmount, page));
  expect(plan).toContain('outputs_by_merchant (merchant_id=? AND mode=?)');
});

test('the queries of payments that need a decision and of failed sends read in index order', async () => {
  const [list, count, sends] = [
    ...(await plansOf(() => listWaitingPayments(db, shop, { limit: 10, offset: 10 }))),
    ...(await plansOf(() => countWaitingPayments(db, shop))),
    ...(await plansOf(() => failedSends(db, shop, { since: 1, limit: 10 }))),
  ];
  for (const plan of [list, count]) {
    expect(plan).toContain('SEARCH payments USING INDEX payments_waiting (merchant_id=? AND mode=?)');
    expect(plan).not.toContain('TEMP B-TREE');
  }
  expect(sends).toContain('sends USING INDEX sends_failed (merchant_id=? AND mode=? AND updated_at>?)');
});

test('the query of subscriptions that need a decision of the shop uses an index', async () => {
  const [uninvoiced] = await plansOf(() => uninvoicedSubscriptions(db, shop, { before: 1, limit: 10 }));
  const [unpaid] = await plansOf(() => unpaidSubscriptions(db, shop, 10));
  expect(uninvoiced).toContain(
    'subscriptions USING INDEX subscriptions_with_problem (merchant_id=? AND mode=? AND problem_at<?)',
  );
  expect(uninvoiced).not.toContain('TEMP B-TREE');
  expect(unpaid).toContain('subscriptions USING INDEX subscriptions_past_due (merchant_id=? AND mode=?)');
  expect(unpaid).not.toMatch(/SCAN/);
});

test('the queries of subscription figures read the rows of one shop by index, and running subscriptions in page order', async () => {
  const bounds = [1, 2, 3];
  const [revenue, churn, running] = [
    ...(await plansOf(() => sumRevenue(db, shop, bounds))),
    ...(await plansOf(() => sumChurn(db, shop, bounds))),
    ...(await plansOf(() => listRunning(db, shop, { after: { createdAt: 1, id: 's' }, limit: 10 }))),
  ];
  for (const plan of [revenue, churn, running]) {
    expect(plan).toContain('INDEX subscriptions_by_merchant (merchant_id=? AND mode=?');
    expect(plan).not.toMatch(/SCAN (?:subscriptions|invoice)/);
  }
  for (const plan of [revenue, churn])
    expect(plan).toContain('invoice USING PRIMARY KEY (subscription_id=?)');
  expect(running).not.toContain('TEMP B-TREE');
});

test('the query of a late page reads only the rows of that page', async () => {
  const far = { limit: 10, offset: 9_990 };
  for (const filter of [{}, { status: 'failed' }, { fromMs: 1 }, { coin: 'BTC' }] as const) {
    const [plan] = await plansOf(() => listPayments(db, { ...shop, ...filter }, far));
    // Sorted by the index, or all rows before the page would be read and sorted.
    expect(plan).not.toContain('TEMP B-TREE');
  }
  const [book] = await plansOf(() => pageWalletTransactions(db, { ...money, page: 1_000 }));
  expect(book).toContain('outputs USING COVERING INDEX outputs_by_merchant');
});

test.each([
  ['createdAt', 'payments_by_merchant'],
  ['orderId', 'payments_by_order'],
  ['status', 'payments_by_status'],
] as const)(
  'the query of a list sorted by %s reads the index %s in its order, in both directions',
  async (key, index) => {
    for (const sort of [key, `-${key}`] as const) {
      const [plan] = await plansOf(() => listPayments(db, shop, { ...page, sort }));
      expect(plan).toBe(`SEARCH payments USING INDEX ${index} (merchant_id=? AND mode=?)`);
      const [ofDays] = await plansOf(() =>
        listPayments(db, { ...shop, fromMs: 1, toMs: 2 }, { ...page, sort }),
      );
      expect(ofDays).toContain(`USING INDEX ${index} `);
      expect(ofDays).not.toContain('TEMP B-TREE');
    }
  },
);

test('the query of logs of failed deliveries uses the index by delivery', async () => {
  for (const filter of [{}, { event: 'payment.created' }, { status: 500 }] as const) {
    const plans = await plansOf(() => listWebhookLogs(db, { ...logPage, state: 'failed', ...filter }));
    for (const plan of plans)
      expect(plan).toContain('log USING INDEX webhook_logs_by_delivery (delivery_id=?)');
  }
});

test('the query of deliveries uses one covering index, and their total the daily counts', async () => {
  await db
    .insertInto('delivery_counts')
    .values({
      merchantId: 'm',
      day: 0,
      mode: 'live',
      eventType: 'payment.created',
      endpointId: 'm',
      count: 9,
    })
    .execute();
  for (const filter of [{}, { event: 'payment.created' }, { endpointId: 'm' }, { mode: 'live' }] as const) {
    const [total, page] = await plansOf(() => listDeliveries(db, { ...logPage, ...filter }));
    expect(total).toBe(
      'SCAN CONSTANT ROW\nSCALAR SUBQUERY 1\nSEARCH delivery_counts USING PRIMARY KEY (merchant_id=?)',
    );
    expect(page).toContain('SEARCH its USING INDEX deliveries_listed (merchant_id=?)');
    expect(page).not.toContain('TEMP B-TREE');
  }
  const [ofDays] = await plansOf(() => listDeliveries(db, { ...logPage, from: 1, to: 1e9 }));
  expect(ofDays).toContain('delivery_counts USING PRIMARY KEY (merchant_id=? AND day>? AND day<?)');
  const ends = 'COVERING INDEX deliveries_listed (merchant_id=? AND created_at>? AND created_at<?)';
  expect(ofDays?.split(ends)).toHaveLength(3);
  const [failed] = await plansOf(() => listDeliveries(db, { ...logPage, state: 'failed', endpointId: 'm' }));
  expect(failed).toContain(
    'its USING COVERING INDEX deliveries_undelivered (merchant_id=? AND status=? AND replaced=?)',
  );
  await db.deleteFrom('delivery_counts').execute();
});

test('the query of a late page of events reads in the order of an index, without sorting', async () => {
  const [, plan] = await plansOf(() => listEvents(db, { merchantId: 'm', page: 1_000, limit: 9 }));
  expect(plan).toBe('SEARCH events USING INDEX events_by_merchant (merchant_id=?)');
});

test('the query of sandbox payments reads only the sandbox events', async () => {
  const events = 'events USING COVERING INDEX events_of_sandbox (merchant_id=?';
  const asked = { merchantId: 'm', mode: 'sandbox', page: 1, limit: 9 } as const;
  const [total, list] = await plansOf(() => listEvents(db, asked));
  expect(total).toContain(events);
  expect(list).toBe('SEARCH events USING INDEX events_of_sandbox (merchant_id=?)');
  for (const filter of [{}, { event: 'payment.created' }, { status: 500 }] as const) {
    for (const plan of await plansOf(() => listWebhookLogs(db, { ...logPage, mode: 'sandbox', ...filter }))) {
      expect(plan).toContain('played USING INDEX events_of_sandbox (merchant_id=?)');
      expect(plan).toContain('log USING INDEX webhook_logs_by_delivery (delivery_id=?)');
    }
  }
});

test('the query of the total of live rows subtracts the sandbox rows, and the list is read from the newest', async () => {
  const asked = { merchantId: 'm', mode: 'live', page: 1, limit: 9 } as const;
  const [played, all, list] = await plansOf(() => listEvents(db, asked));
  expect(played).toContain('events_of_sandbox');
  expect(all).toContain('event_counts');
  expect(list).toBe('SEARCH events USING INDEX events_by_merchant (merchant_id=?)');
  const [total, page] = await plansOf(() => listWebhookLogs(db, { ...logPage, mode: 'live' }));
  expect(total).toContain('webhook_log_counts USING PRIMARY KEY (merchant_id=?');
  expect(total).toContain('played USING INDEX events_of_sandbox (merchant_id=?)');
  expect(page).toContain('log USING INDEX webhook_logs_by_merchant (merchant_id=?)');
  expect(page).not.toContain('TEMP B-TREE');
});

test('the query of a total over a date range adds up daily totals, and reads only the partial days by index', async () => {
  for (const filter of [{}, { status: 'failed' }, { coin: 'BTC' }] as const) {
    const [plan] = await plansOf(() => totalPayments(db, { ...shop, ...filter, fromMs: 1, toMs: 1e9 }));
    expect(plan).toContain(
      'payment_day_counts USING PRIMARY KEY (merchant_id=? AND mode=? AND day>? AND day<?)',
    );
    const index = 'status' in filter ? 'payments_by_status' : 'payments_by_merchant';
    expect(plan?.match(new RegExp(`payments USING COVERING INDEX ${index} `, 'g'))).toHaveLength(2);
    expect(plan).not.toContain('SCAN p');
  }
});

test('the query of the volume of a UTC day reads one row of the daily totals', async () => {
  const day = 24 * 3_600_000;
  const [plan] = await plansOf(() => sumVolume(db, { ...shop, fromMs: day, beforeMs: 2 * day }));
  expect(plan).toBe(
    'SEARCH volume_totals USING PRIMARY KEY (merchant_id=? AND mode=? AND period_ms=? AND starts_at>? AND starts_at<?)',
  );
});

test('the query of a total of webhook logs adds up daily totals, and reads only the partial days by index', async () => {
  const days = 'SEARCH webhook_log_counts USING PRIMARY KEY (merchant_id=?';
  const [all] = await plansOf(() => listWebhookLogs(db, { ...logPage, status: 200 }));
  expect(all).toContain(days);
  expect(all).not.toContain('webhook_logs');
  const [some] = await plansOf(() => listWebhookLogs(db, { ...logPage, from: 1, to: 1e9 }));
  expect(some).toContain(`${days} AND day>? AND day<?)`);
  const ends = 'COVERING INDEX webhook_logs_by_merchant (merchant_id=? AND created_at>? AND created_at<?)';
  expect(some?.split(ends)).toHaveLength(3);
});

test('the query of a volume adds up hourly totals, and reads payments only for the two partial hours', async () => {
  const hour = 3_600_000;
  const hours =
    'SEARCH volume_totals USING PRIMARY KEY (merchant_id=? AND mode=? AND period_ms=? AND starts_at>? AND starts_at<?)';
  expect(await plansOf(() => sumVolume(db, { ...shop, fromMs: hour, beforeMs: 25 * hour }))).toEqual([hours]);
  const [first, whole, last] = await plansOf(() =>
    sumVolume(db, { ...shop, fromMs: 1, beforeMs: 24 * hour - 1 }),
  );
  expect(whole).toBe(hours);
  for (const end of [first, last]) {
    expect(end).toContain(
      'p USING INDEX payments_by_status (merchant_id=? AND mode=? AND status=? AND created_at>? AND created_at<?)',
    );
    expect(end).toContain('outputs_by_payment (payment_id=? AND state=?)');
    expect(end).not.toMatch(/SCAN (p|o|payments|outputs)\b/);
  }
});

test.each([
  ['watched scripts', 'sqlite_autoindex_addresses_1', () => findWatched(db, chain, ['a', 'b'])],
  ['outputs of transactions', 'sqlite_autoindex_outputs_1', () => outputsOfTransactions(db, chain, ['a'])],
  [
    'outputs of the wallet by outpoint',
    'COVERING INDEX sqlite_autoindex_outputs_1',
    () => ownOutpoints(db, chain, ['a', 'b']),
  ],
  [
    'outputs spent by unconfirmed payments',
    'PRIMARY KEY (coin=? AND mode=? AND txid=?)',
    () => contestedOutpoints(db, chain, ['a', 'b']),
  ],
  [
    'watched keys by name',
    'COVERING INDEX sqlite_autoindex_addresses_1',
    () => filterWatched(db, chain, ['a', 'b']),
  ],
  ['credits of a payment', 'outputs_by_payment', () => outputsOfPayment(db, 'p')],
  ['unconfirmed money', 'outputs_unconfirmed', () => unconfirmedOutputs(db, chain)],
  ['credits above a height', 'outputs_by_height', () => outputsAbove(db, chain, 9)],
  ['payments waiting for confirmations', 'outputs_by_height', () => paymentsWithMoneyAbove(db, chain, 9)],
  [
    'payment groups after a restart',
    'payments_by_group (group_id>?)',
    () => waitingPayments(db, chain, { height: 9, settledHeight: 9 }, { after: 'a', limit: 9 }),
  ],
  ['late credits without a rate', 'outputs_unquoted', () => paymentsWithUnquotedMoney(db, chain, '', 9)],
  ['payments past their deadline', 'payments_due', () => paymentsDue(db, 1, { expiresAt: 0, id: '' }, 9)],
  ['the currencies of open payments', 'payments_due', () => currenciesInUse(db)],
  ['the payment of an order', 'payments_by_order', () => findOpenOrder(db, { ...shop, orderId: 'o' })],
  ['payments', 'payments_by_merchant', () => listPayments(db, shop, page)],
  ['payments by status', 'payments_by_status', () => listPayments(db, { ...shop, status: 'failed' }, page)],
  [
    'payments by customer',
    'payments_by_customer',
    () => listPayments(db, { ...shop, customerId: 'c' }, page),
  ],
  [
    'customers by part of the address',
    'COVERING INDEX customers_by_user (user_id=?)',
    () => listCustomers(db, { userId: 'u', search: 's', page: 1, limit: 9 }),
  ],
  [
    'customers by ids',
    'sqlite_autoindex_customers_1 (id=?)',
    () => listCustomers(db, { userId: 'u', search: '', ids: ['a', 'b'], page: 1, limit: 9 }),
  ],
  [
    'events of a payment',
    'events_by_payment',
    () => listEvents(db, { merchantId: 'm', paymentId: 'p', page: 1, limit: 9 }),
  ],
  [
    'events after a cursor',
    'events_by_merchant (merchant_id=? AND seq>? AND seq<?)',
    () => listEventsInRange(db, { merchantId: 'm', after: 1, through: 9, limit: 9 }),
  ],
  ['the newest event', 'events_by_merchant (merchant_id=?)', () => newestSeq(db, 'm')],
  [
    'the spendable outputs of a wallet',
    'COVERING INDEX outputs_spendable',
    () => spendableTotal(db, { ...shop, coin: 'BTC' }, 68n),
  ],
  ['payments by order', 'payments_by_order', () => listPayments(db, { ...shop, orderId: 'o' }, page)],
  ['deliveries that are due', 'deliveries_due', () => db.transaction((tx) => listDue(tx, due))],
  [
    'failed webhook attempts',
    'webhook_logs_by_status (merchant_id=? AND status=? AND created_at>? AND created_at<?)',
    () => listWebhookLogs(db, { ...logPage, status: 500, from: 1, to: 2 }),
  ],
  [
    'webhooks of a type',
    'webhook_logs_by_event_type (merchant_id=? AND event_type=?',
    () => listWebhookLogs(db, { ...logPage, event: 'payment.created', from: 1 }),
  ],
  [
    'abandoned webhook deliveries',
    'deliveries_undelivered (merchant_id=? AND status=?)',
    () => listWebhookLogs(db, { ...logPage, state: 'failed', event: 'payment.created', from: 1 }),
  ],
  [
    'webhooks of a payment',
    'webhook_logs_by_delivery (delivery_id=?)',
    () => listWebhookLogs(db, { ...logPage, paymentId: 'p' }),
  ],
  [
    'deliveries of a payment',
    'deliveries_by_event (event_id=?)',
    () => listDeliveries(db, { ...logPage, paymentId: 'p', state: 'failed' }),
  ],
  [
    'attempts of a delivery',
    'webhook_logs_by_delivery (delivery_id=?)',
    () => listWebhookLogs(db, { ...logPage, deliveryId: 'd', mode: 'live' }),
  ],
  [
    'raw bytes of deeply confirmed transactions',
    'raw_transactions USING PRIMARY KEY (coin=? AND mode=? AND txid=?)',
    () => db.transaction((tx) => forgetTransactionsBetween(tx, chain, { from: 1, below: 9 })),
  ],
])('the query of %s uses the index %s, however long the history is', async (_what, index, work) => {
  const plans = (await plansOf(work)).filter((plan) => plan !== '');
  expect(plans.length).toBeGreaterThan(0);
  for (const plan of plans) {
    expect(plan).toContain(index);
    expect(plan).not.toMatch(
      /SCAN (outputs|payments|addresses|customers|sends?|send_versions|refunds|deliveries|d\b|raw_transactions|events)\b/,
    );
  }
});

test('the day of a counter reads its payments of the day by index', async () => {
  const range = { counterId: 'c', mode: 'live', fromMs: 1, beforeMs: 2 } as const;
  const plans = await plansOf(async () => {
    await listCounterPayments(db, range, 100);
    await sumCounterPayments(db, range);
  });
  expect(plans).toHaveLength(2);
  for (const plan of plans) {
    expect(plan).toContain('payments_by_counter (counter_id=? AND mode=? AND created_at>? AND created_at<?)');
    expect(plan).not.toContain('SCAN');
  }
});
