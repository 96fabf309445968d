import { setTimeout as pause } from 'node:timers/promises';
import { ApiClient, type PaymentJson, type SendJson } from '../../test/_helpers/api-client.ts';
import type { Payer } from './payer.ts';

/** A shop's credentials, which are the same on every machine. */
export interface Keys {
  readonly publicKey: string;
  readonly secretKey: string;
  readonly customerId: string;
}

export interface Acknowledged<T> {
  readonly at: number;
  readonly what: T;
}

/** An acknowledged send and its destination. */
export type OrderedSend = SendJson & { readonly payer: Payer };

/** All acknowledged requests. */
export interface History {
  readonly payments: Acknowledged<PaymentJson>[];
  readonly sends: Acknowledged<OrderedSend>[];
}

const CREATORS = 4;
const BLOCK_MS = 500;
/** One order in this many is paid. */
const ORDERS_PER_PAYER = 5;

/** A busy shop: orders, payers of some of them, and sends of each coin, until it is stopped or the machine is gone. */
export class Load {
  readonly history: History = { payments: [], sends: [] };
  readonly #api: ApiClient;
  readonly #keys: Keys;
  readonly #payers: readonly Payer[];
  readonly #workers: Promise<void>[];
  #isRunning = true;
  #serial = 0;

  constructor(baseUrl: string, { keys, payers, tag }: { keys: Keys; payers: readonly Payer[]; tag: string }) {
    this.#api = new ApiClient(baseUrl);
    this.#payers = payers;
    this.#keys = keys;
    this.#workers = [
      ...Array.from({ length: CREATORS }, async () => this.#repeat(async () => this.#order(tag))),
      ...payers.map(async (payer) => this.#repeat(async () => this.#send(payer, tag))),
      ...payers.map(async (payer) => this.#repeat(async () => mine(payer))),
    ];
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    await Promise.all(this.#workers);
  }

  async #repeat(work: () => Promise<void>): Promise<void> {
    while (this.#isRunning) {
      // Without a response nothing was acknowledged; the machine may be gone.
      await work().catch(async () => pause(20));
    }
  }

  async #order(tag: string): Promise<void> {
    const { publicKey, secretKey, customerId } = this.#keys;
    const serial = (this.#serial += 1);
    const what = await this.#api.must<PaymentJson>('POST', '/payment/create', {
      token: publicKey,
      body: { amount: '10', currency: 'USD', customerId, orderId: `${tag}-${serial}` },
    });
    this.history.payments.push({ at: performance.now(), what });
    if (serial % ORDERS_PER_PAYER !== 0) return;
    const payer = this.#payers[(serial / ORDERS_PER_PAYER) % this.#payers.length];
    await payer?.pay(this.#api, secretKey, what);
  }

  async #send(payer: Payer, tag: string): Promise<void> {
    const key = `${tag}-send-${(this.#serial += 1)}`;
    const { coin, sends: amount } = payer;
    const what = await this.#api.must<SendJson>('POST', '/merchant/wallet/send', {
      token: this.#keys.secretKey,
      body: { coin, amount, destination: await payer.newDestination() },
      headers: { 'Idempotency-Key': key },
    });
    this.history.sends.push({ at: performance.now(), what: { ...what, payer } });
  }
}

async function mine(payer: Payer): Promise<void> {
  await payer.mine();
  await pause(BLOCK_MS);
}
