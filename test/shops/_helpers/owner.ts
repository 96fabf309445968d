import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import type { Payment } from '../../../packages/sdk/src/index.ts';
import { eventually } from '../../_helpers/poll.ts';
import { TillProcess } from '../../_helpers/till.ts';

/** Blocks come when a test mines them (and every ten minutes), so that money stays unconfirmed as long as a test needs. */
const ENV = {
  TILLD_RATES: 'fixed:BTC=100000,ETH=4000,LTC=100,SOL=200,USD/EUR=0.92,USD/JPY=150,USD/KWD=0.3,USD/CLF=0.025',
  TILLD_SANDBOX_BLOCK_INTERVAL: '10m',
  TILLD_WEBHOOK_RETRY_GAPS: '1s,1s,2s,2s,4s,4s,8s,16s,32s',
};
/** Sandbox payments are final after two blocks (test/_helpers/till.yaml). */
const BLOCKS = 3;
const BEFORE_FINAL = 1;

/** The example of BIP 173: no wallet of this daemon has it. */
const PAYER_ADDRESS = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx';

type Scenario = 'exact' | 'underpay' | 'overpay' | 'late' | 'reorg' | 'confirm';

export interface PaymentSeen {
  readonly id: string;
  readonly orderId: string;
  readonly status: Payment['status'];
  readonly exception: Payment['exception'];
  readonly supersededBy?: string;
  readonly amount: string;
  readonly currency: string;
  readonly keptFiat: string | null;
  readonly checkoutUrl: string;
  readonly successUrl: string | null;
  readonly returnUrl: string | null;
  readonly metadata: object | null;
  readonly lines: readonly { readonly amount: string }[];
}

interface RefundLinkSeen {
  readonly id: string;
  readonly status: string;
  readonly claimId: string | null;
  readonly amount: string;
  readonly deductFee: boolean;
}

/** tilld in a process of its own with one shop in sandbox mode, and its owner. */
export class Owner implements AsyncDisposable {
  readonly till: TillProcess;
  readonly merchantId: string;
  readonly #token: string;
  readonly #publicKey: string;

  private constructor(till: TillProcess, merchant: { id: string; auth: { public: string } }, token: string) {
    this.till = till;
    this.merchantId = merchant.id;
    this.#publicKey = merchant.auth.public;
    this.#token = token;
  }

  static async start(): Promise<Owner> {
    const till = await TillProcess.start(ENV);
    await till.ready();
    const account = { email: 'owner@shop.example', password: 'a long pass phrase of the owner' };
    await till.api.must('POST', '/auth/register', { body: account });
    const { token } = await till.api.must<{ token: string }>('POST', '/auth/login', { body: account });
    const body = { name: 'Corner shop', domain: 'shop.example' };
    const { merchant } = await till.api.must<{ merchant: { id: string; auth: { public: string } } }>(
      'POST',
      '/merchant/create',
      { token, body },
    );
    return new Owner(till, merchant, token);
  }

  /** Agrees on the connect page; answers where the owner is sent back to. */
  async agree(connectUrl: string): Promise<string> {
    const query = Object.fromEntries(new URL(connectUrl).searchParams);
    const { redirectTo } = await this.#post<{ redirectTo: string }>('/connect/approve', {
      ...query,
      merchantId: this.merchantId,
    });
    return redirectTo;
  }

  async payment(paymentId: string): Promise<PaymentSeen> {
    return this.#get<PaymentSeen>(`/payment/get?paymentId=${paymentId}`);
  }

  /** The ids of all payments that were made for an order. */
  async paymentsOf(orderId: string): Promise<string[]> {
    const path = `/payment/list?search=${encodeURIComponent(orderId)}`;
    return (await this.#get<{ payments: { id: string }[] }>(path)).payments.map(({ id }) => id);
  }

  /** A payment that names the order of another one in all but its id. */
  async twin(paymentId: string): Promise<string> {
    const { amount, currency, orderId, metadata } = await this.payment(paymentId);
    const body = { amount, currency, orderId: `${orderId}-again`, metadata, customer: {} };
    return (await this.#post<{ id: string }>('/payment/create', body)).id;
  }

  /** Lets a payment expire and renews it on its page, as its payer does. @returns the id of the new one */
  async renew(paymentId: string): Promise<string> {
    await this.editShop({ renewExpired: true });
    const db = new Sqlite(join(this.till.dataDir, 'tilld.sqlite'));
    try {
      db.prepare('UPDATE payments SET expires_at = created_at + 1 WHERE id = ?').run(paymentId);
    } finally {
      db.close();
    }
    await eventually(
      'the payment is expired',
      () => this.payment(paymentId),
      ({ status }) => status === 'expired',
    );
    const page = `${this.till.api.baseUrl}/checkout/${paymentId}/renew`;
    const { headers } = await fetch(page, { method: 'POST', redirect: 'manual' });
    const [renewal] = /pay_\w+/.exec(headers.get('location') ?? '') ?? [];
    if (renewal === undefined || renewal === paymentId) throw new Error('the payment was not renewed');
    return renewal;
  }

  /** A payment made with the public key, as every visitor of a page with that key can. */
  async payAsStranger(orderId: string): Promise<void> {
    const body = { amount: '1', currency: 'USD', orderId, customer: {} };
    await this.till.api.must('POST', '/payment/create', { token: this.#publicKey, body });
  }

  /** The payer pays what is missing; it is in the mempool until `mine`. */
  async pay(paymentId: string, scenario: Scenario = 'exact'): Promise<void> {
    await this.#simulate({ paymentId, scenario });
  }

  /** Pays what is missing, with all confirmations. */
  async payFinally(paymentId: string, scenario: Scenario = 'exact'): Promise<void> {
    await this.#simulate({ paymentId, scenario, confirmations: BLOCKS });
  }

  async mine(paymentId: string): Promise<void> {
    await this.#simulate({ paymentId, scenario: 'confirm', confirmations: BLOCKS });
  }

  /** A better chain has something else in place of the payer's transaction. */
  async takeBack(paymentId: string): Promise<void> {
    await this.#simulate({ paymentId, scenario: 'reorg', confirmations: BEFORE_FINAL });
  }

  async editShop(fields: Record<string, unknown>): Promise<void> {
    const path = '/merchant/edit';
    await this.till.api.must('PATCH', path, {
      token: this.#token,
      body: { merchantId: this.merchantId, ...fields },
    });
  }

  async resolve(paymentId: string, action: string): Promise<void> {
    await this.#post('/payment/resolve', { paymentId, action });
  }

  /** The e-mail addresses that tilld keeps of customers. */
  async customerEmails(): Promise<string[]> {
    const { customers } = await this.#get<{ customers: { email: string }[] }>(
      '/merchant/customer/list?limit=100',
    );
    return customers.map(({ email }) => email);
  }

  /** The webhook endpoints that shops made for themselves. */
  async endpoints(): Promise<{ readonly url: string; readonly active: boolean }[]> {
    const { endpoints } = await this.#get<{
      endpoints: { url: string; active: boolean; default: boolean }[];
    }>('/merchant/webhook/endpoint/list?');
    return endpoints.filter((endpoint) => !endpoint.default);
  }

  /** A restricted key, as connecting gives it to a shop. */
  async makeKey(scopes: readonly string[]): Promise<string> {
    const body = { name: 'A shop', scopes };
    return (await this.#post<{ key: { value: string } }>('/merchant/keys/create', body)).key.value;
  }

  /** Deletes every restricted key; answers how many there were. */
  async revokeKeys(): Promise<number> {
    const { restricted } = await this.#get<{ restricted: { id: string }[] }>('/merchant/keys?');
    for (const { id } of restricted) {
      await this.till.api.must('DELETE', '/merchant/keys/delete', {
        token: this.#token,
        body: { merchantId: this.merchantId, keyId: id },
      });
    }
    return restricted.length;
  }

  /** The payer claims a refund on its page; the owner approves it; it is sent and mined. */
  async claimAndApprove(linkUrl: string, paymentId: string): Promise<void> {
    await this.claim(linkUrl);
    await this.approve(paymentId);
    await this.#linkOf(paymentId, (link) => link.status === 'paid');
  }

  async claim(linkUrl: string): Promise<void> {
    const form = new URLSearchParams({ step: 'claim', coin: 'BTC', destination: PAYER_ADDRESS });
    const page = await fetch(linkUrl, { method: 'POST', body: form, redirect: 'manual' });
    if (page.status !== 303)
      throw new Error(`the claim was answered with ${page.status}: ${await page.text()}`);
  }

  async approve(paymentId: string): Promise<void> {
    const claimed = await this.#linkOf(paymentId, (link) => link.status === 'claimed');
    await this.#post('/payment/refund-link/approve', { linkId: claimed.id, claimId: claimed.claimId });
  }

  async cancel(paymentId: string): Promise<void> {
    await this.#post('/payment/cancel', { paymentId });
  }

  /** Asks for another amount, without the shop. */
  async changePrice(paymentId: string, amount: string): Promise<void> {
    const body = { merchantId: this.merchantId, paymentId, amount, lines: [] };
    await this.till.api.must('PATCH', '/payment/update', { token: this.#token, body });
  }

  /** Gives money back in the dashboard, to an address. */
  async refund(paymentId: string, amount: string, currency: string): Promise<void> {
    await this.#post('/payment/refund', { paymentId, amount, currency, destination: PAYER_ADDRESS });
  }

  /** Lets the refund link of a payment expire unclaimed. */
  async expireRefund(paymentId: string): Promise<void> {
    const { id } = await this.#linkOf(paymentId, ({ status }) => status === 'open');
    const db = new Sqlite(join(this.till.dataDir, 'tilld.sqlite'));
    try {
      db.prepare('UPDATE refund_links SET expires_at = created_at + 1 WHERE id = ?').run(id);
    } finally {
      db.close();
    }
    await this.#linkOf(paymentId, (link) => link.id === id && link.status === 'expired');
  }

  /** Cancels the refund link of a payment. */
  async cancelRefund(paymentId: string): Promise<void> {
    const { id } = await this.#linkOf(paymentId, ({ status }) => status === 'open');
    await this.#post('/payment/refund-link/cancel', { linkId: id });
  }

  async refundLinks(paymentId: string): Promise<readonly RefundLinkSeen[]> {
    const path = `/payment/refund-links?paymentId=${paymentId}`;
    return (await this.#get<{ refundLinks: RefundLinkSeen[] }>(path)).refundLinks;
  }

  async #linkOf(paymentId: string, satisfies: (link: RefundLinkSeen) => boolean): Promise<RefundLinkSeen> {
    const look = async (): Promise<RefundLinkSeen | undefined> =>
      (await this.refundLinks(paymentId)).find(satisfies);
    const found = await eventually('the refund link', look, (link) => link !== undefined);
    if (found === undefined) throw new Error('no refund link');
    return found;
  }

  async #simulate(body: Record<string, unknown>): Promise<void> {
    await this.#post('/sandbox/payment/simulate', body);
  }

  async #post<T>(path: string, body: Record<string, unknown>): Promise<T> {
    return this.till.api.must<T>('POST', path, {
      token: this.#token,
      body: { merchantId: this.merchantId, ...body },
    });
  }

  async #get<T>(path: string): Promise<T> {
    return this.till.api.must<T>('GET', `${path}&merchantId=${this.merchantId}`, { token: this.#token });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.till.end();
  }
}
