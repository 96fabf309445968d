import { describe, expect, it } from 'vitest';
import { redirectsAutomatically, returnUrl, shopUrl } from '../../../src/http/checkout/page-model.ts';
import { speak } from '../../../src/http/checkout/language.ts';
import { stateOf } from '../../../src/http/checkout/states.ts';
import type { CheckoutView } from '../../../src/usecases/payments/read-checkout.ts';

function viewOf(isVerified: boolean, url: string | null, status = 'cancelled'): CheckoutView {
  return {
    shop: { domain: 'bluedoor.example', isVerified },
    payment: { status, returnUrl: url, successUrl: null },
  } as CheckoutView;
}

describe('the way back from a checkout', () => {
  it('is what the payment says', () => {
    expect(shopUrl(viewOf(true, 'https://shop.example/cart'))).toBe('https://shop.example/cart');
  });

  it('is the domain of the shop where the payment says none, if that is proven', () => {
    expect(shopUrl(viewOf(true, null))).toBe('https://bluedoor.example/');
    expect(shopUrl(viewOf(true, 'javascript:alert(1)'))).toBe('https://bluedoor.example/');
    expect(shopUrl(viewOf(false, null))).toBeNull();
  });

  it('is gone by itself only where the payment says where', () => {
    const view = viewOf(true, null);
    expect(redirectsAutomatically(view) ? returnUrl(view) : null).toBeNull();
  });
});

function page(shop: object): string {
  const payment = { ...viewOf(false, null).payment, exception: null, transactions: [] };
  const face = { domain: 'bluedoor.example', isVerified: false, supportContact: null, ...shop };
  const view = { ...viewOf(false, null), shop: face, payment, renewal: null, moneyBack: [] } as never;
  return stateOf({ view, language: 'en', say: speak('en'), coin: null, embedder: null }).toString();
}

describe('a payment that came to nothing', () => {
  it('leads to the shop, else to whom the shop names for questions', () => {
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
