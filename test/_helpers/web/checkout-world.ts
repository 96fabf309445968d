import { Shop, type PaymentJson } from '../api-client.ts';
import { eventually } from '../poll.ts';
import { Till } from '../till.ts';

type Fields = Record<string, unknown>;

/** The refund address of a payer in LTC. */
const PAYER = 'tltc1qw508d6qejxtdg4y5r3zarvary0c5xw7klfsuq0';

/**
 * A shop in the sandbox whose blocks come only when they are asked for, so that every state of a
 * payment holds still for as long as one looks at it.
 */
export class CheckoutWorld {
  readonly till: Till;
  readonly shop: Shop;

  private constructor(till: Till, shop: Shop) {
    this.till = till;
    this.shop = shop;
  }

  static async start(): Promise<CheckoutWorld> {
    const till = await Till.start({ TILLD_SANDBOX_BLOCK_INTERVAL: '10m' });
    await till.ready();
    const shop = await Shop.open(till.api, { settings: { latePayments: 'review', name: 'Blue Door Books' } });
    return new CheckoutWorld(till, shop);
  }

  async pay(fields: Fields = {}): Promise<PaymentJson> {
    return this.shop.createPayment({ amount: '49.90', currency: 'EUR', ...fields });
  }

  async simulate(paymentId: string, scenario: string, fields: Fields = {}): Promise<void> {
    const body = { paymentId, scenario, ...fields };
    await this.till.api.must('POST', '/sandbox/payment/simulate', { token: this.shop.secretKey, body });
  }

  async cancel(paymentId: string): Promise<void> {
    const body = { paymentId };
    await this.till.api.must('POST', '/payment/cancel', { token: this.shop.secretKey, body });
  }

  async resolve(paymentId: string, action: 'accept' | 'refunded'): Promise<void> {
    const body = { paymentId, action };
    await this.till.api.must('POST', '/payment/resolve', { token: this.shop.secretKey, body });
  }

  /** Refunds all or an amount of a payment's money. @returns the transaction */
  async refund(paymentId: string, fields: { readonly amount?: string } = {}): Promise<string> {
    const body = { paymentId, destination: PAYER, ...fields };
    const { refund } = await this.till.api.must<{ refund: { txHash: string } }>('POST', '/payment/refund', {
      token: this.shop.secretKey,
      body,
    });
    return refund.txHash;
  }

  /** Lets a payment's time run out and waits for it to end. */
  async runOut(paymentId: string): Promise<void> {
    this.till.clock.advance(61 * 60_000);
    await eventually(
      'the payment has ended',
      () => this.shop.payment(paymentId),
      ({ status, exception }) => status === 'expired' || status === 'failed' || exception === 'underpaid',
    );
  }

  async end(): Promise<void> {
    await this.till.end();
  }
}

/** Every state a payer can find a payment in, and how it comes to it. */
export const STATES: readonly {
  readonly name: string;
  /** As the payment then says. */
  readonly status: string;
  readonly exception?: string;
  readonly heading: string;
  readonly reach: (world: CheckoutWorld, id: string) => Promise<void>;
}[] = [
  { name: 'pending', status: 'pending', heading: 'Waiting for your payment', reach: async () => {} },
  {
    name: 'reversed',
    status: 'pending',
    exception: 'reversed',
    heading: 'We saw your payment, but the network dropped it',
    reach: async (world, id) => world.simulate(id, 'double-spend', { coin: 'LTC' }),
  },
  {
    name: 'underpaid',
    status: 'underpaid',
    heading: 'Part of the amount is missing',
    reach: async (world, id) => world.simulate(id, 'underpay', { coin: 'LTC' }),
  },
  {
    name: 'short',
    status: 'underpaid',
    exception: 'underpaid',
    heading: 'Part of the amount is missing',
    reach: async (world, id) => {
      await world.simulate(id, 'underpay', { coin: 'LTC' });
      await world.runOut(id);
    },
  },
  {
    name: 'confirming',
    status: 'confirming',
    heading: 'Payment received',
    reach: async (world, id) => {
      await world.simulate(id, 'exact', { coin: 'BTC' });
      await world.simulate(id, 'confirm', { confirmations: 1 });
    },
  },
  {
    name: 'completed',
    status: 'completed',
    heading: 'Payment complete',
    reach: async (world, id) => world.simulate(id, 'exact', { coin: 'ETH', confirmations: 2 }),
  },
  {
    name: 'overpaid',
    status: 'completed',
    exception: 'overpaid',
    heading: 'Payment complete',
    reach: async (world, id) => world.simulate(id, 'overpay', { coin: 'SOL', confirmations: 2 }),
  },
  {
    name: 'cancelled',
    status: 'cancelled',
    heading: 'This payment was cancelled',
    reach: async (world, id) => world.cancel(id),
  },
  {
    name: 'late',
    status: 'expired',
    exception: 'late',
    heading: 'Your payment came late',
    reach: async (world, id) => world.simulate(id, 'late', { coin: 'BTC', confirmations: 2 }),
  },
  {
    name: 'refunded',
    status: 'refunded',
    heading: 'The payment was refunded',
    reach: async (world, id) => {
      await world.simulate(id, 'underpay', { coin: 'BTC' });
      await world.resolve(id, 'refunded');
    },
  },
  {
    name: 'sent-back',
    status: 'refunded',
    heading: 'The payment was refunded',
    reach: async (world, id) => {
      await world.simulate(id, 'exact', { coin: 'LTC', confirmations: 6 });
      await world.refund(id);
    },
  },
  {
    name: 'expired',
    status: 'expired',
    heading: 'This payment has expired',
    reach: async (world, id) => world.runOut(id),
  },
  {
    name: 'failed',
    status: 'failed',
    exception: 'reversed',
    heading: 'We saw your payment, but the network dropped it',
    reach: async (world, id) => {
      await world.simulate(id, 'double-spend', { coin: 'BTC' });
      await world.runOut(id);
    },
  },
];
