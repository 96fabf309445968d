import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, type PaymentJson, type SendJson } from '../../test/_helpers/api-client.ts';
import type { Payer } from './payer.ts';

/** A shop's credentials, which outlive the machine. */
export interface Keys {
  readonly publicKey: string;
  readonly secretKey: string;
  readonly customerId: string;
}

export interface Acknowledged<T> {
  readonly at: number;
  readonly what: T;
}

/** Everything the shop got an answer for. */
export interface History {
  readonly payments: Acknowledged<PaymentJson>[];
  readonly sends: Acknowledged<SendJson & { readonly key: string }>[];
}

const CREATORS = 4;
const BLOCK_MS = 500;

/** A shop at work: orders, payers of some of them, and sends, until it is stopped or the machine is gone. */
export class Load {
  readonly history: History = { payments: [], sends: [] };
  readonly #api: ApiClient;
  readonly #keys: Keys;
  readonly #payer: Payer;
  readonly #workers: Promise<void>[];
  #isRunning = true;
  #serial = 0;

  constructor(baseUrl: string, { keys, payer, tag }: { keys: Keys; payer: Payer; tag: string }) {
    this.#api = new ApiClient(baseUrl);
    this.#payer = payer;
    this.#keys = keys;
    this.#workers = [
      ...Array.from({ length: CREATORS }, async () => this.#repeat(async () => this.#order(tag))),
      this.#repeat(async () => this.#send(tag)),
      this.#repeat(async () => this.#mine()),
    ];
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#workers);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (this.#isRunning) {
      // Without an answer nothing was acknowledged; the machine may be gone.
      await work().catch(async () => pause(20));
    }
  }

  async #order(tag: string): Promise<void> {
    const { publicKey, customerId } = this.#keys;
    const orderId = `${tag}-${(this.#serial += 1)}`;
    const what = await this.#api.must<PaymentJson>('POST', '/payment/create', {
      token: publicKey,
      body: { amount: '10', currency: 'USD', customerId, orderId },
    });
    this.history.payments.push({ at: performance.now(), what });
    if (this.#serial % 5 !== 0) return;
    await this.#payer.pay(this.#api, this.#keys.secretKey, what);
  }

  async #send(tag: string): Promise<void> {
    const key = `${tag}-send-${(this.#serial += 1)}`;
    const what = await this.#api.must<SendJson>('POST', '/merchant/wallet/send', {
      token: this.#keys.secretKey,
      body: { coin: this.#payer.coin, amount: '0.0001', destination: await this.#payer.newDestination() },
      headers: { 'Idempotency-Key': key },
    });
    this.history.sends.push({ at: performance.now(), what: { ...what, key } });
  }

  async #mine(): Promise<void> {
    await this.#payer.mine();
    await pause(BLOCK_MS);
  }
}
