import { randomBytes } from 'node:crypto';

export interface ApiAnswer<T> {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    success: boolean;
    error: { status: number; code: string; message: string; details?: { field: string }[] } | null;
    data: T;
  };
}

export interface PaymentJson {
  id: string;
  status: string;
  exception: string | null;
  expiresAt: string;
  orderId: string;
  sandbox: boolean;
  options: Record<
    'BTC' | 'ETH' | 'LTC' | 'SOL',
    {
      address: string;
      amount: string;
      received: string;
      confirmations: number;
      requiredConfirmations: number;
      finality?: string | null;
      uri: string;
    }
  >;
  transactions: {
    txid: string;
    amount: string;
    status: string;
    confirmations: number;
    blockHeight: number | null;
    late: boolean;
  }[];
  timeline: { type: string; sequence: number; at: string }[];
}

export interface SendJson {
  id: string;
  status: string;
  txHash: string;
  fee: string;
  amount: string;
  destination: string;
  confirmations?: number;
}

/** Speaks HTTP with a till as an integrator would. */
export class ApiClient {
  readonly baseUrl: string;

  constructor(baseUrl: string) {
    this.baseUrl = baseUrl;
  }

  async call<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<ApiAnswer<T>> {
    const response = await fetch(this.baseUrl + path, {
      method,
      headers: {
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(options.token === undefined ? {} : { authorization: `Bearer ${options.token}` }),
        ...options.headers,
      },
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: AbortSignal.timeout(90_000),
    });
    const body = (await response.json()) as ApiAnswer<T>['body'];
    return { status: response.status, headers: response.headers, body };
  }

  /** As call, but anything other than success throws with the server's own words. */
  async must<T = Record<string, unknown>>(
    method: string,
    path: string,
    options: { token?: string; body?: unknown; headers?: Record<string, string> } = {},
  ): Promise<T> {
    const { status, body } = await this.call<T>(method, path, options);
    if (!body.success) throw new Error(`${method} ${path} answered ${status}: ${JSON.stringify(body.error)}`);
    return body.data;
  }
}

/** A merchant with a customer, ready to accept payments, made through the public API. */
export class Shop {
  readonly api: ApiClient;
  readonly token: string;
  readonly merchantId: string;
  readonly publicKey: string;
  readonly secretKey: string;
  readonly customerId: string;
  readonly wallets: Record<'BTC' | 'ETH' | 'LTC' | 'SOL', string>;

  private constructor(fields: Omit<Shop, 'createPayment' | 'payment' | 'balance' | 'send'>) {
    this.api = fields.api;
    this.token = fields.token;
    this.merchantId = fields.merchantId;
    this.publicKey = fields.publicKey;
    this.secretKey = fields.secretKey;
    this.customerId = fields.customerId;
    this.wallets = fields.wallets;
  }

  /** @param options.owner the token of the account it belongs to; a new one otherwise */
  static async open(
    api: ApiClient,
    options: { webhookUrl?: string; settings?: object; owner?: string } = {},
  ): Promise<Shop> {
    const suffix = randomBytes(6).toString('hex');
    const token = options.owner ?? (await Shop.#register(api, `owner-${suffix}@example.com`));
    const { merchant } = await api.must<{
      merchant: { id: string; auth: { public: string; secret: string }; wallets: Shop['wallets'] };
    }>('POST', '/merchant/create', { token, body: { name: 'Shop', domain: `shop-${suffix}.example` } });
    if (options.webhookUrl !== undefined || options.settings !== undefined) {
      await api.must('PATCH', '/merchant/edit', {
        token,
        body: {
          merchantId: merchant.id,
          ...(options.webhookUrl === undefined ? {} : { webhookUrl: options.webhookUrl }),
          ...options.settings,
        },
      });
    }
    const customer = await api.must<{ id: string }>('POST', '/merchant/customer/create', {
      token,
      body: { email: `buyer-${suffix}@example.com` },
    });
    return new Shop({
      api,
      token,
      merchantId: merchant.id,
      publicKey: merchant.auth.public,
      secretKey: merchant.auth.secret,
      customerId: customer.id,
      wallets: merchant.wallets,
    });
  }

  static async #register(api: ApiClient, email: string): Promise<string> {
    const body = { email, password: 'correct horse battery' };
    return (await api.must<{ token: string }>('POST', '/auth/register', { body })).token;
  }

  async createPayment(fields: Record<string, unknown> = {}): Promise<PaymentJson> {
    return this.api.must<PaymentJson>('POST', '/payment/create', {
      token: this.publicKey,
      body: {
        amount: '100',
        currency: 'USD',
        customerId: this.customerId,
        orderId: `order-${randomBytes(6).toString('hex')}`,
        ...fields,
      },
    });
  }

  async payment(id: string): Promise<PaymentJson> {
    return this.api.must<PaymentJson>('GET', `/payment/get?paymentId=${id}`, { token: this.secretKey });
  }

  async balance(coin: 'BTC' | 'ETH' | 'LTC' | 'SOL'): Promise<string> {
    const balances = await this.api.must<Record<string, string>>('GET', '/merchant/wallet/balances', {
      token: this.secretKey,
    });
    return balances[coin] ?? 'missing';
  }

  async send(
    body: Record<string, unknown>,
    headers: Record<string, string> = {},
  ): Promise<ApiAnswer<SendJson>> {
    return this.api.call<SendJson>('POST', '/merchant/wallet/send', { token: this.secretKey, body, headers });
  }
}
