import { expect } from 'vitest';
import { hostResolver } from '../../../src/egress/resolve.ts';
import type { ApiAnswer } from '../api-client.ts';
import { newMerchant, newUser, startHttpApp, type HttpApp, type TestMerchant } from '../http-app.ts';
import { DnsServer } from './dns-server.ts';
import { WebServer } from './web-server.ts';

interface Verification {
  verified: boolean;
  method: string;
  checkedAt: string | null;
  lastError: string | null;
}

interface DomainEvent {
  id: string;
  type: string;
  sandbox: boolean;
  sequence: number;
  data: { domain: Record<string, unknown>; merchant: { id: string; name: string } };
}

/** The API with a name server and a web server of the test, and one shop at a time. */
export class DomainWorld {
  readonly app: HttpApp;
  readonly dns: DnsServer;
  readonly web: WebServer;
  shop!: TestMerchant;
  /** Of the shop's owner, until the clock moves by more than a day. */
  token = '';
  /** The shop's secret key, which outlives any move of the clock. */
  key = '';

  private constructor(app: HttpApp, dns: DnsServer, web: WebServer) {
    this.app = app;
    this.dns = dns;
    this.web = web;
  }

  static async open(): Promise<DomainWorld> {
    const [dns, web] = await Promise.all([DnsServer.start(), WebServer.start()]);
    const app = await startHttpApp({
      domains: {
        egress: { allowPrivate: true, resolve: hostResolver([dns.address]) },
        dnsServers: [dns.address],
        ports: { https: 1, http: web.port },
        limits: { dnsTimeoutMs: 150, retryAfterMs: 5, perMinute: 40 },
      },
    });
    return new DomainWorld(app, dns, web);
  }

  async close(): Promise<void> {
    await this.app.destroy();
    await Promise.all([this.dns.close(), this.web.close()]);
  }

  /** A new owner with a new shop, whose web server has no page and whose name server no record. */
  async newShop(): Promise<void> {
    const { token } = await newUser(this.app);
    this.token = token;
    this.shop = await newMerchant(this.app, token);
    this.key = this.shop.auth.secret;
    this.dns.set('A', this.shop.domain.name, ['127.0.0.1']);
    this.web.serve({});
  }

  async choose(
    method: unknown,
    credential: string | null = this.key,
    merchantId: unknown = this.shop.id,
  ): Promise<ApiAnswer<{ verification: Record<string, string> }>> {
    return this.app.api.call('POST', '/merchant/verify-domain', {
      ...(credential === null ? {} : { token: credential }),
      body: { merchantId, method },
    });
  }

  async ask(
    credential: string | null = this.key,
    body: object = { merchantId: this.shop.id },
  ): Promise<ApiAnswer<{ verification: Verification }>> {
    return this.app.api.call('POST', '/merchant/verify-domain/check', {
      ...(credential === null ? {} : { token: credential }),
      body,
    });
  }

  /** Checks now, and what that found. */
  async found(): Promise<Verification> {
    const { status, body } = await this.ask();
    expect(status).toBe(200);
    return body.data.verification;
  }

  publish(token = this.shop.domain.verification): void {
    this.dns.set('TXT', `_tilld-challenge.${this.shop.domain.name}`, [`token=${token}`]);
  }

  unpublish(): void {
    this.dns.delete('TXT', `_tilld-challenge.${this.shop.domain.name}`);
  }

  /** `isVerified` as the list shows it. */
  async listed(): Promise<boolean | undefined> {
    const { merchants } = await this.app.api.must<{ merchants: { id: string; isVerified: boolean }[] }>(
      'GET',
      '/merchant/list',
      { token: this.key },
    );
    return merchants.find(({ id }) => id === this.shop.id)?.isVerified;
  }

  async events(): Promise<DomainEvent[]> {
    const rows = await this.app.db
      .selectFrom('events')
      .select('bodyJson')
      .where('merchantId', '=', this.shop.id)
      .orderBy('seq')
      .execute();
    return rows.map(({ bodyJson }) => JSON.parse(bodyJson ?? 'null') as DomainEvent);
  }

  async types(): Promise<string[]> {
    return (await this.events()).map(({ type }) => type);
  }

  async stored() {
    return this.app.db
      .selectFrom('domain_checks')
      .selectAll()
      .where('merchantId', '=', this.shop.id)
      .executeTakeFirst();
  }

  /** Moves the clock to the next look at the shop and lets the cron's work run. */
  async nextLook(): Promise<void> {
    const next = (await this.stored())?.nextCheckAt;
    if (next === null || next === undefined) throw new Error('no look is planned');
    this.app.advance(Math.max(0, next - this.app.now()));
    await this.app.domainChecks.recheck();
  }
}
