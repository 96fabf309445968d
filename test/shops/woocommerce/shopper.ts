import { eventually } from '../../_helpers/poll.ts';
import type { Owner } from '../_helpers/owner.ts';
import type { WooShop } from './driver.ts';

export interface Pages {
  readonly blocks: string;
  readonly classic: string;
  readonly addToCart: string;
}

/** An answer of the shop, with the page that it came from in the end. */
export interface Shown {
  readonly url: string;
  readonly html: string;
}

/** What "Place order" led to. */
export interface Placing {
  /** Where the customer goes on; empty: refused. */
  readonly redirect: string;
  /** Why it was refused, as HTML. */
  readonly reason: string;
}

const BILLING = {
  billing_first_name: 'Ada',
  billing_last_name: 'Lovelace',
  billing_country: 'DE',
  billing_state: 'DE-BE',
  billing_address_1: 'Main street 1',
  billing_postcode: '10115',
  billing_city: 'Berlin',
  billing_phone: '030 1234567',
};

/** A customer with the cookies of one browser, without script: any number of his tabs. */
export class Shopper {
  readonly email: string;
  readonly #pages: Pages;
  readonly #shopUrl: string;
  readonly #cookies = new Map<string, string>();

  constructor(pages: Pages, shopUrl: string, email: string) {
    this.#pages = pages;
    this.#shopUrl = shopUrl;
    this.email = email;
  }

  async fillCart(): Promise<void> {
    await this.open(this.#pages.addToCart);
  }

  async isCartEmpty(): Promise<boolean> {
    const answer = await this.#fetch(`${this.#shopUrl}/?rest_route=/wc/store/v1/cart`);
    return ((await answer.json()) as { items_count: number }).items_count === 0;
  }

  /** Follows redirects within the shop; elsewhere the address is all that is seen. */
  async open(address: string): Promise<Shown> {
    let url = address;
    for (let hops = 0; hops < 10; hops++) {
      if (!url.startsWith(this.#shopUrl)) return { url, html: '' };
      const answer = await this.#fetch(url);
      const location = answer.headers.get('location');
      const html = await answer.text();
      if (location === null) return { url, html };
      url = new URL(location, url).href;
    }
    throw new Error(`${address} redirects without end`);
  }

  /** The form of the classic checkout as a tab shows it, to be sent later. */
  async openClassic(): Promise<(method?: string) => Promise<Placing>> {
    const { html } = await this.open(this.#pages.classic);
    const [, nonce = ''] = /name="woocommerce-process-checkout-nonce" value="(\w+)"/.exec(html) ?? [];
    return async (method = 'tilld') => {
      const answer = await this.#fetch(`${this.#shopUrl}/?wc-ajax=checkout`, {
        method: 'POST',
        body: new URLSearchParams({
          ...BILLING,
          billing_email: this.email,
          payment_method: method,
          'woocommerce-process-checkout-nonce': nonce,
        }),
      });
      const { redirect = '', messages = '' } = (await answer.json()) as {
        redirect?: string;
        messages?: string;
      };
      return { redirect, reason: messages };
    };
  }

  /** The form of the classic checkout as a tab shows it. @returns what it shows once it has asked what is in the cart */
  async openReview(): Promise<() => Promise<string>> {
    const { html } = await this.open(this.#pages.classic);
    const [, security = ''] = /"update_order_review_nonce":"(\w+)"/.exec(html) ?? [];
    return async () => {
      const body = new URLSearchParams({ security });
      const answer = await this.#fetch(`${this.#shopUrl}/?wc-ajax=update_order_review`, {
        method: 'POST',
        body,
      });
      const { fragments } = (await answer.json()) as { fragments: Record<string, string> };
      return fragments['form.woocommerce-checkout'] ?? '';
    };
  }

  async placeClassic(method?: string): Promise<Placing> {
    const place = await this.openClassic();
    return place(method);
  }

  /** As the checkout of blocks does. */
  async placeBlocks(method = 'tilld'): Promise<Placing> {
    const cart = await this.#fetch(`${this.#shopUrl}/?rest_route=/wc/store/v1/cart`);
    await cart.text();
    const answer = await this.#fetch(`${this.#shopUrl}/?rest_route=/wc/store/v1/checkout`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', nonce: cart.headers.get('nonce') ?? '' },
      body: JSON.stringify({
        billing_address: {
          first_name: 'Ada',
          last_name: 'Lovelace',
          address_1: 'Main street 1',
          city: 'Berlin',
          postcode: '10115',
          country: 'DE',
          state: 'DE-BE',
          email: this.email,
          phone: '030 1234567',
        },
        payment_method: method,
      }),
    });
    const body = (await answer.json()) as {
      message?: string;
      payment_result?: { redirect_url: string };
    };
    return { redirect: body.payment_result?.redirect_url ?? '', reason: body.message ?? '' };
  }

  /** Another way to pay, chosen on the page on which an order is paid. */
  async payFor(payPage: string, method: string): Promise<Shown> {
    const { html, url } = await this.open(payPage);
    const [, nonce = ''] = /name="woocommerce-pay-nonce" value="(\w+)"/.exec(html) ?? [];
    const body = { payment_method: method, woocommerce_pay: '1', 'woocommerce-pay-nonce': nonce };
    const answer = await this.#fetch(url, { method: 'POST', body: new URLSearchParams(body) });
    const location = answer.headers.get('location');
    const text = await answer.text();
    return location === null ? { url, html: text } : this.open(new URL(location, url).href);
  }

  async #fetch(url: string, request: RequestInit = {}): Promise<Response> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...(request.headers as Record<string, string> | undefined), cookie };
    const answer = await fetch(url, { ...request, headers, redirect: 'manual' });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const at = pair.indexOf('=');
      this.#cookies.set(pair.slice(0, at), pair.slice(at + 1));
    }
    return answer;
  }
}

interface OrderSeen {
  readonly orderId: string;
  readonly status: string;
  readonly paymentId: string;
}

/** Every order of a customer that has a payment, oldest first. */
export async function ordersOf(shop: WooShop, { email }: Shopper): Promise<OrderSeen[]> {
  const orders = await shop.command<OrderSeen[]>('ordersOf', { email });
  // WooCommerce sorts by the second: two orders of the same one come in any order.
  return orders
    .filter(({ paymentId }) => paymentId !== '')
    .toSorted((a, b) => Number(a.orderId) - Number(b.orderId));
}

/** Waits until the shop knows what tilld knows of an order. */
export async function isTold(shop: WooShop, orderId: string, ...wanted: string[]): Promise<void> {
  await eventually(
    `the order is ${wanted.join(' or ')}`,
    () => shop.command<{ tilld: string }>('state', { orderId }),
    ({ tilld }) => wanted.includes(tilld),
    60_000,
  );
}

/** Payments that still ask for their first money. */
export async function openPayments(owner: Owner, orders: readonly OrderSeen[]): Promise<string[]> {
  const payments = await Promise.all(orders.map(({ paymentId }) => owner.payment(paymentId)));
  return payments.filter(({ status }) => status === 'pending').map(({ id }) => id);
}
