import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Webhook } from 'standardwebhooks';

export interface Delivery {
  readonly headers: IncomingHttpHeaders;
  readonly raw: string;
  readonly body: {
    id: string;
    type: string;
    timestamp: string;
    sandbox: boolean;
    sequence: number;
    data: { payment?: Record<string, unknown>; send?: Record<string, unknown> };
  };
}

/** A merchant's shop: a real HTTP server that keeps what it was sent and can be told how to answer. */
export class WebhookSink implements AsyncDisposable {
  readonly deliveries: Delivery[] = [];
  /** Status for the next requests; 200 by default. */
  answer = 200;
  readonly #server: Server;
  readonly #waiting = new Set<() => void>();

  private constructor(server: Server) {
    this.#server = server;
  }

  /** Listens for this machine only, unless another address of it is given. */
  static async start(port = 0, host = '127.0.0.1'): Promise<WebhookSink> {
    const server = createServer();
    const sink = new WebhookSink(server);
    server.on('request', (req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const raw = Buffer.concat(chunks).toString('utf8');
        sink.deliveries.push({ headers: req.headers, raw, body: JSON.parse(raw) as Delivery['body'] });
        res.writeHead(sink.answer).end('ok');
        for (const wake of sink.#waiting) wake();
      });
    });
    await new Promise<void>((resolve) => server.listen(port, host, resolve));
    return sink;
  }

  get url(): string {
    const { address, port } = this.#server.address() as AddressInfo;
    return `http://${address}:${port}/hook`;
  }

  /** Event types received about one payment or send, in order of arrival. */
  types(id: string): string[] {
    return this.of(id).map((delivery) => delivery.body.type);
  }

  of(id: string): Delivery[] {
    return this.deliveries.filter(
      ({ body }) => body.data.payment?.['id'] === id || body.data.send?.['id'] === id,
    );
  }

  /** Waits until a delivery matches; fails with what did arrive. */
  async waitFor(
    what: string,
    matches: (delivery: Delivery) => boolean,
    timeoutMs = 20_000,
  ): Promise<Delivery> {
    const deadline = Date.now() + timeoutMs;
    for (;;) {
      const found = this.deliveries.find(matches);
      if (found !== undefined) return found;
      const left = deadline - Date.now();
      if (left <= 0) {
        const got = this.deliveries.map(({ body }) => `${body.type}#${body.sequence}`).join(', ');
        throw new Error(`no webhook for ${what} within ${timeoutMs} ms; got: ${got || 'none'}`);
      }
      await this.#nextArrival(left);
    }
  }

  async waitForEvent(type: string, id: string, timeoutMs?: number): Promise<Delivery> {
    return this.waitFor(
      `${type} of ${id}`,
      ({ body }) => body.type === type && (body.data.payment?.['id'] === id || body.data.send?.['id'] === id),
      timeoutMs,
    );
  }

  /** Throws unless every delivery carries a valid Standard Webhooks signature of this secret. */
  verifyAll(secret: string): void {
    const webhook = new Webhook(secret);
    for (const { raw, headers } of this.deliveries) {
      webhook.verify(raw, headers as Record<string, string>);
    }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #nextArrival(timeoutMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#waiting.delete(done);
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      this.#waiting.add(done);
    });
  }
}
