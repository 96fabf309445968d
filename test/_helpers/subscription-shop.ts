/** A shop of a till with a recurring price. */
import { Shop } from './api-client.ts';
import { eventually } from './poll.ts';
import type { Till } from './till.ts';

export interface SubscriptionJson {
  readonly id: string;
  readonly status: string;
  readonly customerId: string;
  readonly openPaymentId: string | null;
  readonly activeUntil: string | null;
  readonly credit: string;
  readonly cancelAtPeriodEnd: boolean;
  readonly cancelledBy: string | null;
  readonly portalUrl?: string;
}

export class SubscriptionShop {
  readonly shop: Shop;
  readonly productId: string;
  readonly priceId: string;

  private constructor(shop: Shop, productId: string, priceId: string) {
    this.shop = shop;
    this.productId = productId;
    this.priceId = priceId;
  }

  static async open(till: Till, settings: object = {}): Promise<SubscriptionShop> {
    const shop = await Shop.open(till.api, { settings });
    const { token } = shop;
    const product = await till.api.must<{ id: string }>('POST', '/merchant/product/create', {
      token,
      body: { name: 'Tea club', recurring: true, recurringInterval: 'monthly' },
    });
    const price = await till.api.must<{ id: string }>('POST', '/merchant/price/create', {
      token,
      body: { productId: product.id, amount: '10', currency: 'USD' },
    });
    return new SubscriptionShop(shop, product.id, price.id);
  }

  async must<T = SubscriptionJson>(method: string, path: string, body?: object, headers = {}): Promise<T> {
    const { api, secretKey } = this.shop;
    return api.must<T>(method, path, {
      token: secretKey,
      headers,
      ...(body === undefined ? {} : { body }),
    });
  }

  async subscribe(more: object = {}, headers = {}): Promise<SubscriptionJson> {
    const body = { priceId: this.priceId, customerId: this.shop.customerId, ...more };
    return this.must('POST', '/merchant/subscription/create', body, headers);
  }

  async read(id: string): Promise<SubscriptionJson> {
    return this.must('GET', `/merchant/subscription/get?subscriptionId=${id}`);
  }

  /** Pays the open invoice. */
  async pay(id: string): Promise<string> {
    const paymentId = (await this.read(id)).openPaymentId ?? '';
    await this.must('POST', '/sandbox/payment/simulate', { paymentId, scenario: 'exact', coin: 'BTC' });
    await eventually(
      'the invoice is paid',
      async () => this.read(id),
      ({ openPaymentId }) => openPaymentId !== paymentId,
    );
    return paymentId;
  }
}
