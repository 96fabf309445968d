/** What the API answers, as far as the dashboard reads it (see /openapi.json). */

export const COINS = ['BTC', 'ETH', 'LTC', 'SOL'] as const;
export type Coin = (typeof COINS)[number];
export type PerCoin = Record<Coin, string>;

export interface Pagination {
  page: number;
  limit: number;
  total: number;
}

export interface User {
  id: string;
  email: string;
  isVerified: boolean;
}

export interface SessionAnswer {
  token: string;
  expiresAt: string;
  user: User;
}

export interface Shop {
  id: string;
  name: string;
  description: string | null;
  domain: string;
  isVerified: boolean;
  webhookUrl: string | null;
  sandboxMode: boolean;
  paymentLifetimeMinutes: number;
  tolerancePercent: string;
  latePayments: 'accept' | 'review';
  createdAt: string;
}

export const STATUSES = [
  'pending',
  'underpaid',
  'confirming',
  'completed',
  'expired',
  'cancelled',
  'failed',
  'refunded',
] as const;
export type Status = (typeof STATUSES)[number];

export interface Payment {
  id: string;
  status: Status;
  exception: string | null;
  amount: string;
  currency: string;
  customerId: string;
  orderId: string;
  metadata: Record<string, unknown> | null;
  sandbox: boolean;
  checkoutUrl: string;
  createdAt: string;
  expiresAt: string;
  options: Partial<
    Record<
      Coin,
      {
        address: string;
        amount: string;
        rate: string;
        rateSources: string[];
        received: string;
        confirmations: number;
        requiredConfirmations: number;
      }
    >
  >;
  transactions: {
    coin: Coin;
    txid: string;
    index: number;
    amount: string;
    status: 'unconfirmed' | 'confirmed' | 'reversed';
    confirmations: number;
    late: boolean;
    firstSeenAt: string;
  }[];
  refunds?: { sendId: string; coin: Coin; amount: string; fee: string; txHash: string; status: string }[];
  timeline: { type: string; sequence: number; at: string }[];
}

export interface Customer {
  id: string;
  email: string;
  metadata: Record<string, unknown>;
  createdAt: string;
}

export interface Product {
  id: string;
  name: string;
  description: string | null;
  recurring: boolean;
  recurringInterval: string | null;
  active: boolean;
}

export interface Price {
  id: string;
  productId: string;
  amount: string;
  currency: string;
  active: boolean;
}

export interface WalletTransaction {
  id: string;
  direction: 'in' | 'out';
  coin: Coin;
  txHash: string;
  address: string;
  amount: string;
  fee: string | null;
  status: string;
  confirmations: number;
  paymentId: string | null;
  error: string | null;
  createdAt: string;
}

export interface Send {
  id: string;
  status: string;
  txHash: string;
  fee: string;
  amount: string;
  destination: string;
}

export interface ApiKey {
  id: string;
  kind: 'public' | 'secret';
  key: string | null;
  prefix: string;
  lastFour: string;
  createdAt: string;
  expiresAt: string | null;
  lastUsedAt: string | null;
}

export interface WebhookLog {
  id: string;
  createdAt: string;
  paymentId: string | null;
  endpoint: string;
  status: number;
  attempt: number;
  durationMs: number;
  error: string | null;
  request: { method: string; headers: Record<string, string>; body: { type: string } };
  response: { status: number; headers: Record<string, string>; body: string };
}

export interface Chain {
  coin: Coin;
  mode: 'live' | 'sandbox';
  state: string;
  height: number | null;
  lag: number | null;
  lastError: string | null;
  nodeVersion: string | null;
}

export interface Readiness {
  ready: boolean;
  database: string;
  chains: Record<string, Chain>;
}
