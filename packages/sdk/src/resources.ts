import type { Data, ListedEvent, PayerPayment, Payment, Query } from './contract.ts';
import { eventsSince, followEvents, type FollowOptions, type SinceOptions } from './events.ts';
import type { Operations } from './operations.ts';
import type { Call, CallOptions } from './request.ts';

/** Every operation of the API under a name: its tag and the last part of its path. */

type One = Query<'GET', '/payment/get'>;
type MonthQuery = Omit<NonNullable<Query<'GET', '/payment/month-report'>>, 'format'>;
type ExportRange = Omit<NonNullable<Query<'GET', '/payment/export'>>, 'format'>;

export const payments = ({ get, all, post, patch }: Operations, call: Call) => ({
  /** Creates a payment. The same order again returns the existing payment. */
  create: post('/payment/create'),
  /** Changes the price or other terms while the payment is unpaid. */
  update: patch('/payment/update'),
  /** The complete payment; a public key reads it by `payerView`. */
  get: get('/payment/get') as (query: One, options?: CallOptions) => Promise<Payment>,
  /** The shop's own note on a payment, which payers never see. */
  note: get('/payment/note'),
  /** An empty note removes it. */
  writeNote: patch('/payment/note'),
  /** The fields that a payer may see, and all that a public key may read. */
  payerView: get('/payment/get') as (query: One, options?: CallOptions) => Promise<PayerPayment>,
  list: get('/payment/list'),
  all: all('/payment/list'),
  /** Rejected with INVALID_STATE once money was seen. */
  cancel: post('/payment/cancel'),
  /** Accepts the received money, or records that it was refunded elsewhere. */
  resolve: post('/payment/resolve'),
  /** The URL of the receipt's page, and whether it was mailed. */
  receipt: get('/payment/receipt'),
  /** Mails the receipt to the customer, once. */
  mailReceipt: post('/payment/receipt/mail'),
  volume: get('/merchant/volume'),
  /** Every movement of money in a range; give a long range of a busy shop more `timeoutMs`. */
  export: get('/payment/export') as (
    query?: ExportRange,
    options?: CallOptions,
  ) => Promise<Data<'GET', '/payment/export'>>,
  /** The same as the text of a CSV file. A truncated response is requested again, never returned. */
  exportCsv: (range?: ExportRange, options?: CallOptions) => {
    const query = { ...range, format: 'csv' };
    return call({ method: 'GET', path: '/payment/export', query, as: 'text', options }) as Promise<string>;
  },
  /** The figures of a month: totals, the balance of each coin from beginning to end, and the rates. */
  monthReport: get('/payment/month-report') as (
    query?: MonthQuery,
    options?: CallOptions,
  ) => Promise<Data<'GET', '/payment/month-report'>>,
  /** The same as the text of a CSV file. */
  monthReportCsv: (range?: MonthQuery, options?: CallOptions) => {
    const query = { ...range, format: 'csv' };
    return call({
      method: 'GET',
      path: '/payment/month-report',
      query,
      as: 'text',
      options,
    }) as Promise<string>;
  },
});

export const refunds = ({ money }: Operations) => ({
  /** Refunds to an address, at once. */
  create: money('/payment/refund'),
});

export const refundLinks = ({ get, all, post, money }: Operations) => ({
  /** A link by which the payer claims the refund, to an address of the payer's choice. */
  create: money('/payment/refund-link'),
  cancel: post('/payment/refund-link/cancel'),
  approve: post('/payment/refund-link/approve'),
  list: get('/payment/refund-links'),
  all: all('/payment/refund-links'),
});

export const customers = ({ get, all, post, patch, del }: Operations) => ({
  create: post('/merchant/customer/create'),
  edit: patch('/merchant/customer/edit'),
  /** Removes email, name and metadata from all stored data; payments stay. */
  erase: del('/merchant/customer/erase'),
  /** By `customerId` or by `email`. */
  get: get('/merchant/customer/get'),
  list: get('/merchant/customer/list'),
  all: all('/merchant/customer/list'),
});

export const products = ({ get, all, post, patch, del }: Operations) => ({
  create: post('/merchant/product/create'),
  edit: patch('/merchant/product/edit'),
  delete: del('/merchant/product/delete'),
  list: get('/merchant/product/list'),
  all: all('/merchant/product/list'),
});

export const prices = ({ get, all, post, patch, del }: Operations) => ({
  create: post('/merchant/price/create'),
  edit: patch('/merchant/price/edit'),
  delete: del('/merchant/price/delete'),
  list: get('/merchant/price/list'),
  all: all('/merchant/price/list'),
});

export const links = ({ get, all, post, patch, del }: Operations) => ({
  create: post('/merchant/link/create'),
  edit: patch('/merchant/link/edit'),
  delete: del('/merchant/link/delete'),
  list: get('/merchant/link/list'),
  all: all('/merchant/link/list'),
});

export const counters = ({ get, post, patch, del }: Operations) => ({
  create: post('/merchant/counter/create'),
  edit: patch('/merchant/counter/edit'),
  delete: del('/merchant/counter/delete'),
  list: get('/merchant/counter/list'),
  /** A code that connects a device, once. */
  connect: post('/merchant/counter/connect'),
});

export const subscriptions = ({ get, all, post, patch }: Operations) => ({
  create: post('/merchant/subscription/create'),
  edit: patch('/merchant/subscription/edit'),
  pause: post('/merchant/subscription/pause'),
  resume: post('/merchant/subscription/resume'),
  cancel: post('/merchant/subscription/cancel'),
  /** Credit that the next invoice uses up. */
  credit: post('/merchant/subscription/credit'),
  rotatePortal: post('/merchant/subscription/portal/rotate'),
  get: get('/merchant/subscription/get'),
  list: get('/merchant/subscription/list'),
  all: all('/merchant/subscription/list'),
  invoices: get('/merchant/subscription/invoices'),
  allInvoices: all('/merchant/subscription/invoices'),
  /** Revenue, churn, recurring revenue and coming invoices. */
  summary: get('/merchant/subscription/summary'),
});

export const wallet = ({ get, all, post, patch, del, money }: Operations) => ({
  balances: get('/merchant/wallet/balances'),
  addresses: get('/merchant/wallet/addresses'),
  send: money('/merchant/wallet/send'),
  estimateFee: post('/merchant/wallet/estimate-fee'),
  sendStatus: get('/merchant/wallet/send-status'),
  /** Bumps the fee of an unconfirmed send. */
  bump: post('/merchant/wallet/send/bump'),
  /** Cancels an unconfirmed send by a replacement that returns its coins to the wallet. */
  cancel: post('/merchant/wallet/send/cancel'),
  /** Adds the signatures of a PSBT to a send from a watched account. */
  submitPsbt: post('/merchant/wallet/psbt/submit'),
  transactions: get('/merchant/wallet/transactions'),
  allTransactions: all('/merchant/wallet/transactions'),
  treasury: get('/merchant/wallet/treasury'),
  /** Labels as BIP 329 has them. */
  labels: get('/merchant/wallet/labels') as (
    query: Omit<Query<'GET', '/merchant/wallet/labels'>, 'format'>,
    options?: CallOptions,
  ) => Promise<Data<'GET', '/merchant/wallet/labels'>>,
  importLabels: post('/merchant/wallet/labels'),
  outputs: get('/merchant/wallet/outputs'),
  allOutputs: all('/merchant/wallet/outputs'),
  freeze: post('/merchant/wallet/outputs/freeze'),
  unfreeze: post('/merchant/wallet/outputs/unfreeze'),
  freezeState: get('/merchant/wallet/freeze'),
  /** Stops everything that signs for this wallet, in an emergency. The owner unfreezes it in the dashboard. */
  freezeWallet: post('/merchant/wallet/freeze'),
  limits: get('/merchant/wallet/limits'),
  /** What allows less takes effect at once, what allows more after a delay. With a user token. */
  editLimits: patch('/merchant/wallet/limits'),
  dropPendingLimits: del('/merchant/wallet/limits/pending'),
  /** Forwards to cold storage. */
  forwards: get('/merchant/wallet/forward'),
  /** A new destination takes effect after a delay. With a user token. */
  editForward: patch('/merchant/wallet/forward'),
  endForward: del('/merchant/wallet/forward'),
  dropPendingForward: del('/merchant/wallet/forward/pending'),
  /** Accounts of other wallets that new orders are paid to. */
  watched: get('/merchant/wallet/watch'),
  /** Shows the first addresses of an account; it has no effect before `confirmWatch`. With a user token. */
  watch: post('/merchant/wallet/watch'),
  confirmWatch: post('/merchant/wallet/watch/confirm'),
  endWatch: del('/merchant/wallet/watch'),
  dropPendingWatch: del('/merchant/wallet/watch/pending'),
  /** Sends above a limit, which wait for an approval. */
  approvals: get('/merchant/wallet/send/approvals'),
  /** With a user token: keys never approve. */
  approve: post('/merchant/wallet/send/approve'),
  reject: post('/merchant/wallet/send/reject'),
  /** Consolidates many small outputs into one. */
  consolidate: post('/merchant/wallet/consolidate'),
});

export const webhooks = ({ get, all, post, act }: Operations) => ({
  logs: get('/merchant/webhook-logs'),
  allLogs: all('/merchant/webhook-logs'),
  /** The deliveries of events to endpoints. */
  deliveries: get('/merchant/webhook/deliveries'),
  allDeliveries: all('/merchant/webhook/deliveries'),
  test: post('/merchant/webhook/test'),
  redeliver: post('/merchant/webhook/redeliver'),
  secret: get('/merchant/webhook/secret'),
  rotateSecret: act('/merchant/webhook/rotate-secret'),
});

export const endpoints = ({ get, post, patch, del }: Operations) => ({
  create: post('/merchant/webhook/endpoint/create'),
  edit: patch('/merchant/webhook/endpoint/edit'),
  delete: del('/merchant/webhook/endpoint/delete'),
  list: get('/merchant/webhook/endpoint/list'),
  secret: get('/merchant/webhook/endpoint/secret'),
  rotateSecret: post('/merchant/webhook/endpoint/rotate-secret'),
});

type Events = Omit<Data<'GET', '/merchant/events'>, 'events'> & { events: ListedEvent[] };

export const events = ({ get }: Operations, call: Call) => ({
  list: get('/merchant/events') as (
    query?: Query<'GET', '/merchant/events'>,
    options?: CallOptions,
  ) => Promise<Events>,
  /** Every event after a cursor up to now, oldest first: for a periodic job. */
  since: (options: SinceOptions) => eventsSince(call, options),
  /**
   * Every event after a cursor and future ones, until `signal` is aborted. Store `event.seq` once it is
   * processed.
   */
  follow: (options: FollowOptions) => followEvents(call, options),
});

export const merchants = ({ get, post, patch }: Operations) => ({
  create: post('/merchant/create'),
  list: get('/merchant/list'),
  edit: patch('/merchant/edit'),
  /** Switches between simulated and real coins. */
  sandbox: post('/merchant/sandbox'),
  /** The remaining steps before going live. */
  setup: get('/merchant/setup'),
  /** The email preferences of the signed-in user for a shop. */
  notices: get('/merchant/notices'),
  editNotices: patch('/merchant/notices'),
  /** Everything that waits for a person of the shop. */
  attention: get('/merchant/attention'),
  /** Takes an item off that list until its state changes. */
  dismissAttention: post('/merchant/attention/dismiss'),
  verifyDomain: post('/merchant/verify-domain'),
  checkDomain: post('/merchant/verify-domain/check'),
});

export const keys = ({ get, post, del }: Operations) => ({
  list: get('/merchant/keys'),
  create: post('/merchant/keys/create'),
  delete: del('/merchant/keys/delete'),
  /** A new public and secret key. */
  regenerate: post('/merchant/keys/regenerate'),
  confirm: post('/merchant/keys/confirm'),
});

export const connect = ({ get, post }: Operations) => ({
  request: get('/connect/request'),
  approve: post('/connect/approve'),
  /** Exchanges the code of the owner's redirect for a restricted key. */
  token: post('/connect/token'),
});

export const rates = ({ get }: Operations) => ({ get: get('/rates') });

export const sandbox = ({ post }: Operations) => ({
  /** Simulates the payer with simulated coins. */
  simulate: post('/sandbox/payment/simulate'),
});

export const auth = ({ get, post, act }: Operations) => ({
  register: post('/auth/register'),
  login: post('/auth/login'),
  me: get('/auth/me'),
  verifyEmail: post('/auth/verify-email'),
  resendVerification: act('/auth/resend-verification'),
  forgotPassword: post('/auth/forgot-password'),
  resetPassword: post('/auth/reset-password'),
  changePassword: post('/auth/change-password'),
  /** The second factor. */
  totp: get('/auth/totp'),
  totpSetup: post('/auth/totp/setup'),
  totpEnable: post('/auth/totp/enable'),
  totpDisable: post('/auth/totp/disable'),
});

export const service = ({ get }: Operations, call: Call) => ({
  healthz: get('/healthz'),
  /** The state of the daemon; also responds while it is not ready. */
  readyz: get('/readyz'),
  metrics: (options?: CallOptions) =>
    call({ method: 'GET', path: '/metrics', as: 'text', options }) as Promise<string>,
  /** The reference pages, as HTML. */
  docs: (options?: CallOptions) =>
    call({ method: 'GET', path: '/docs', as: 'text', options }) as Promise<string>,
  openapi: (options?: CallOptions) =>
    call({ method: 'GET', path: '/openapi.json', as: 'json', options }) as Promise<Record<string, unknown>>,
});
