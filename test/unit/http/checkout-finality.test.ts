import { describe, expect, it } from 'vitest';
import { createTranslator } from '../../../src/http/checkout/negotiate-language.ts';
import { describeState } from '../../../src/http/checkout/states.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/languages.ts';
import type { CheckoutView } from '../../../src/usecases/checkout/read-checkout.ts';

type Option = CheckoutView['payment']['options'][string];

/** An ETH payment that is being confirmed. */
function viewOf(option: Pick<Option, 'confirmations' | 'finality'>): CheckoutView {
  const at = '2026-01-02T03:04:05.000Z';
  return {
    merchantId: 'mer_1',
    shop: {
      name: 'Blue Door Books',
      domain: 'bluedoor.example',
      isVerified: true,
      timeZone: null,
      supportContact: null,
      accentColor: null,
      logoHash: null,
    },
    completedAt: null,
    seller: null,
    embedOrigins: [],
    renewal: null,
    hasMoney: true,
    isByLink: false,
    atCounter: false,
    due: [],
    excess: null,
    mayRequestExcess: false,
    excessRequest: null,
    moneyBack: [],
    explorers: {},
    stamp: '',
    payment: {
      id: 'pay_1',
      status: 'confirming',
      exception: null,
      receipt: null,
      amount: '40',
      currency: 'EUR',
      orderId: '1',
      productId: null,
      priceId: null,
      orderLabel: null,
      successUrl: null,
      returnUrl: null,
      locale: null,
      description: null,
      lines: [],
      tip: null,
      receivedFiat: null,
      allowedCryptos: ['ETH'],
      sandbox: false,
      checkoutUrl: 'http://127.0.0.1/checkout/pay_1',
      createdAt: at,
      expiresAt: at,
      updatedAt: at,
      options: {
        ETH: {
          address: '0x0',
          amount: '0.01',
          rate: '4000',
          rateSources: ['fixed'],
          rateAt: at,
          uri: null,
          received: '0.01',
          requiredConfirmations: 64,
          ...option,
        },
      },
      transactions: [
        {
          coin: 'ETH',
          txid: '0x1',
          index: 0,
          amount: '0.01',
          status: 'confirmed',
          confirmations: option.confirmations,
          blockHeight: 5,
          late: false,
          firstSeenAt: at,
          fiatAmount: null,
          rate: null,
          rateAt: null,
        },
      ],
    },
  };
}

const pageOf = (view: CheckoutView, language: Language): string =>
  describeState({ view, language, say: createTranslator(language), coin: null, embedder: null }).toString();

describe.each(LANGUAGES)('describeState of a payment that waits for finality, in %s', (language) => {
  const counts = { done: '63', needed: '64' };

  it('shows that the payment waits for the network, without a number of confirmations', () => {
    const page = pageOf(viewOf({ confirmations: 63, finality: 'finalized' }), language);
    const waiting = createTranslator(language)('awaitingFinality', counts);
    expect(waiting).toContain('63');
    expect(page.split(waiting)).toHaveLength(3);
  });

  it('shows that the payment is final once the network finalized it', () => {
    const page = pageOf(viewOf({ confirmations: 64, finality: 'finalized' }), language);
    expect(page).toContain(createTranslator(language)('final'));
    expect(page).not.toContain(createTranslator(language)('awaitingFinality', { done: '64', needed: '64' }));
  });

  it('does not mention finality when confirmations are counted', () => {
    const page = pageOf(viewOf({ confirmations: 63, finality: null }), language);
    expect(page).toContain(createTranslator(language)('confirmations', counts));
    expect(page).not.toContain(createTranslator(language)('awaitingFinality', counts));
    expect(page).not.toContain(createTranslator(language)('final'));
  });
});
