import { Forwarder, type Answer, type Message } from './forwarder.ts';

const accepted: Answer = { status: 200, headers: {}, body: Buffer.from('') };

/** What happens to webhooks on their way: `keep` takes them and delivers them later, on demand. */
export type WebhookWeather = 'pass' | 'lose' | 'twice' | 'keep';

interface LostEvent {
  readonly type: string;
  readonly data: { readonly payment?: { readonly id: string } };
}

/** The way from tilld and browsers to the shop. */
export class ShopProxy implements AsyncDisposable {
  weather: WebhookWeather = 'pass';
  /** Payments whose webhooks are lost whatever the weather. */
  readonly unreported = new Set<string>();
  readonly #kept: Message[] = [];
  readonly #lost: LostEvent[] = [];
  #forwarder: Forwarder | null = null;

  static async start(): Promise<ShopProxy> {
    const proxy = new ShopProxy();
    proxy.#forwarder = await Forwarder.start('http://127.0.0.1:9', async (message, forward) => {
      return isWebhook(message) ? proxy.#webhook(message, forward) : forward();
    });
    return proxy;
  }

  get url(): string {
    return this.#started.url;
  }

  set port(port: number) {
    this.#started.target = `http://127.0.0.1:${port}`;
  }

  /** How many webhooks wait to be delivered. */
  get kept(): number {
    return this.#kept.length;
  }

  /** Delivers what was kept, the newest first; the statuses that the shop answered. */
  async deliverReversed(): Promise<number[]> {
    const statuses: number[] = [];
    for (const message of this.#kept.splice(0).toReversed()) {
      statuses.push((await this.#started.forward(message)).status);
    }
    return statuses;
  }

  /** The types of the events about a payment that never reached the shop. */
  lostOf(paymentId: string): string[] {
    return this.#lost.filter(({ data }) => data.payment?.id === paymentId).map(({ type }) => type);
  }

  get #started(): Forwarder {
    if (this.#forwarder === null) throw new Error('the proxy was not started');
    return this.#forwarder;
  }

  async #webhook(message: Message, forward: () => Promise<Answer>): Promise<Answer> {
    const event = JSON.parse(message.body.toString()) as LostEvent;
    if (this.unreported.has(event.data.payment?.id ?? '')) return this.#lose(event);
    if (this.weather === 'pass') return forward();
    if (this.weather === 'twice') {
      const [first, second] = await Promise.all([forward(), forward()]);
      return first.status >= 300 ? first : second;
    }
    if (this.weather === 'lose') return this.#lose(event);
    this.#kept.push(message);
    return accepted;
  }

  #lose(event: LostEvent): Answer {
    this.#lost.push(event);
    return accepted;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#forwarder?.[Symbol.asyncDispose]();
  }
}

function isWebhook(message: Message): boolean {
  return message.headers['webhook-id'] !== undefined;
}

/** The way from the shop to tilld. */
export class TilldProxy implements AsyncDisposable {
  isDown = false;
  #forwarder: Forwarder | null = null;

  static async start(tilldUrl: string): Promise<TilldProxy> {
    const proxy = new TilldProxy();
    proxy.#forwarder = await Forwarder.start(tilldUrl, async (_message, forward) =>
      proxy.isDown ? null : forward(),
    );
    return proxy;
  }

  get url(): string {
    if (this.#forwarder === null) throw new Error('the proxy was not started');
    return this.#forwarder.url;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#forwarder?.[Symbol.asyncDispose]();
  }
}
