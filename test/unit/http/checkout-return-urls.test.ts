import { describe, expect, it } from 'vitest';
import {
  leadsToOrder,
  redirectsAutomatically,
  shopUrl,
  returnUrl,
} from '../../../src/http/checkout/page-model.ts';
import { createTranslator } from '../../../src/http/checkout/negotiate-language.ts';
import { describeState } from '../../../src/http/checkout/states.ts';
import type { CheckoutView } from '../../../src/usecases/checkout/read-checkout.ts';

function viewOf(isVerified: boolean, url: string | null, status = 'cancelled'): CheckoutView {
  return {
    shop: { domain: 'bluedoor.example', isVerified },
    payment: { id: 'pay_1', orderId: '19', status, returnUrl: url, successUrl: null },
  } as CheckoutView;
}

describe('the return link of a checkout', () => {
  it('is the return URL of the payment', () => {
    expect(shopUrl(viewOf(true, 'https://shop.example/cart'))).toBe('https://shop.example/cart');
  });

  it('is the verified domain of the shop when the payment has no return URL', () => {
    expect(shopUrl(viewOf(true, null))).toBe('https://bluedoor.example/');
    expect(shopUrl(viewOf(true, 'javascript:alert(1)'))).toBe('https://bluedoor.example/');
    expect(shopUrl(viewOf(false, null))).toBeNull();
  });

  it('redirects automatically only when the payment has a return URL', () => {
    const view = viewOf(true, null);
    expect(redirectsAutomatically(view) ? returnUrl(view) : null).toBeNull();
  });
});

const CART = 'https://shop.example/cart';
const THANKS = 'https://shop.example/thanks';
const ORDER = 'https://shop.example/order/{orderId}?{status}';
const FILLED = 'https://shop.example/order/19?';

interface Case {
  readonly status: string;
  readonly hasMoney: boolean;
  readonly urls: readonly [success: string | null, back: string | null];
  readonly isByLink?: boolean;
}

function seen({ status, hasMoney, urls: [successUrl, returnUrl], isByLink = false }: Case): CheckoutView {
  const payment = { id: 'pay_1', orderId: '19', status, successUrl, returnUrl };
  return { shop: { isVerified: false }, payment, hasMoney, isByLink } as CheckoutView;
}

describe('the return link by the state of the payment', () => {
  it.each<[Case, string | null]>([
    // Nothing was received: the shop chooses the address for payers who do not pay.
    [{ status: 'pending', hasMoney: false, urls: [THANKS, CART] }, CART],
    [{ status: 'cancelled', hasMoney: false, urls: [THANKS, CART] }, CART],
    [{ status: 'expired', hasMoney: false, urls: [THANKS, CART] }, CART],
    // The money went back to the payer before a block took it.
    [{ status: 'failed', hasMoney: false, urls: [THANKS, CART] }, CART],
    [{ status: 'pending', hasMoney: false, urls: [THANKS, null] }, null],
    // It succeeded.
    [{ status: 'completed', hasMoney: true, urls: [THANKS, CART] }, THANKS],
    [{ status: 'completed', hasMoney: true, urls: [null, CART] }, CART],
    // Money is under way: neither the cart nor the page that thanks.
    [{ status: 'confirming', hasMoney: true, urls: [THANKS, CART] }, null],
    [{ status: 'underpaid', hasMoney: true, urls: [THANKS, CART] }, null],
    [{ status: 'expired', hasMoney: true, urls: [THANKS, CART] }, null],
    [{ status: 'cancelled', hasMoney: true, urls: [THANKS, CART] }, null],
    [{ status: 'refunded', hasMoney: true, urls: [THANKS, CART] }, null],
    [{ status: 'confirming', hasMoney: true, urls: [THANKS, null] }, null],
    [{ status: 'confirming', hasMoney: true, urls: [ORDER, CART] }, null],
    // An address that knows the order: one for both, the only one, or one with placeholders.
    [{ status: 'confirming', hasMoney: true, urls: [ORDER, ORDER] }, `${FILLED}confirming`],
    [{ status: 'underpaid', hasMoney: true, urls: [THANKS, ORDER] }, `${FILLED}underpaid`],
    [{ status: 'confirming', hasMoney: true, urls: [THANKS, THANKS] }, THANKS],
    [{ status: 'underpaid', hasMoney: true, urls: [null, THANKS] }, THANKS],
    // A payment link asks for another payment.
    [{ status: 'confirming', hasMoney: true, urls: [null, CART], isByLink: true }, null],
    [{ status: 'pending', hasMoney: false, urls: [null, CART], isByLink: true }, CART],
    [{ status: 'completed', hasMoney: true, urls: [ORDER, CART], isByLink: true }, `${FILLED}completed`],
  ])('leads, in state %j, to %s', (given, url) => {
    expect(returnUrl(seen(given))).toBe(url);
  });

  it('leads to the order once money was seen, except on the page of a payment link', () => {
    const [success, both] = [[THANKS, CART] as const, [ORDER, ORDER] as const];
    expect(leadsToOrder(seen({ status: 'pending', hasMoney: false, urls: both }))).toBe(false);
    expect(leadsToOrder(seen({ status: 'underpaid', hasMoney: true, urls: both }))).toBe(true);
    expect(leadsToOrder(seen({ status: 'completed', hasMoney: true, urls: success }))).toBe(true);
    expect(leadsToOrder(seen({ status: 'confirming', hasMoney: true, urls: success }))).toBe(false);
    const paidByLink = { status: 'completed', hasMoney: true, isByLink: true };
    expect(leadsToOrder(seen({ ...paidByLink, urls: [null, CART] }))).toBe(false);
    expect(leadsToOrder(seen({ ...paidByLink, urls: [THANKS, CART] }))).toBe(true);
  });
});

function page(shop: object): string {
  const payment = { ...viewOf(false, null).payment, exception: null, transactions: [] };
  const face = { domain: 'bluedoor.example', isVerified: false, supportContact: null, ...shop };
  const view = { ...viewOf(false, null), shop: face, payment, renewal: null, moneyBack: [] } as never;
  return describeState({
    view,
    language: 'en',
    say: createTranslator('en'),
    coin: null,
    embedder: null,
  }).toString();
}

describe('the checkout page of a payment that ended without money', () => {
  it('links to the shop, otherwise to the support contact of the shop', () => {
    expect(page({ isVerified: true })).toContain('href="https://bluedoor.example/"');
    expect(page({ supportContact: 'help@shop.example' })).toContain(
      'href="mailto:help@shop.example">Ask the shop',
    );
    expect(page({ supportContact: 'https://shop.example/help' })).toContain(
      'href="https://shop.example/help"',
    );
    expect(page({ isVerified: true, supportContact: 'help@shop.example' })).not.toContain('mailto:');
  });
});
