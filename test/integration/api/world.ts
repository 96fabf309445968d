import { randomBytes } from 'node:crypto';
import { base32nopad } from '@scure/base';
import { createLogger } from '../../../src/app/logger.ts';
import type { Logger } from '../../../src/domain/ports.ts';
import { SCOPES } from '../../../src/domain/scopes.ts';
import { codeOfStep } from '../../../src/usecases/accounts/second-factor/totp.ts';
import { Shop, type PaymentJson } from '../../_helpers/api-client.ts';
import { eventually } from '../../_helpers/poll.ts';
import { readable, SmtpSink } from '../../_helpers/smtp-sink.ts';
import { Till } from '../../_helpers/till.ts';
import { WebhookSink } from '../../_helpers/webhook-sink.ts';
import { Contract, type Endpoint } from './contract.ts';

function quiet(): void {}

export const PASSWORD = 'correct horse battery';

/** One request, ready to go out. */
export interface Request {
  readonly query: Readonly<Record<string, string>>;
  /** Undefined where the endpoint takes none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly token: string | null;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: {
    readonly success: boolean;
    readonly error: { code: string; message: string; details?: { field: string }[] } | null;
    readonly data: Record<string, unknown> | null;
  };
}

export type CredentialKind = 'userToken' | 'secretKey' | 'restrictedKey' | 'publicKey';

/** A till with its contract, and accounts that own one of everything. */
export class World {
  readonly till: Till;
  readonly contract: Contract;
  readonly sink: WebhookSink;
  readonly smtp: SmtpSink;

  private constructor(till: Till, contract: Contract, sink: WebhookSink, smtp: SmtpSink) {
    this.till = till;
    this.contract = contract;
    this.sink = sink;
    this.smtp = smtp;
  }

  /** @param onLine what takes every line of the real log at its most talkative */
  static async start(
    onLine?: (line: string) => void,
    env: Readonly<Record<string, string>> = {},
  ): Promise<World> {
    const logger: Logger =
      onLine === undefined
        ? { debug: quiet, info: quiet, warn: quiet, error: quiet }
        : createLogger('trace', { write: onLine });
    const smtp = await SmtpSink.start();
    // No DNS server answers there: a look at a domain ends at once, without the network. Blocks are made on demand
    // by simulated payments; limits change at once; slow ones by themselves leave a send unconfirmed long enough to be raised.
    const till = await Till.start(
      {
        TILLD_DNS_SERVERS: '127.0.0.1:9',
        TILLD_SANDBOX_BLOCK_INTERVAL: '2m',
        TILLD_SMTP_URL: smtp.url,
        TILLD_LIMIT_DELAY: '0s',
        ...env,
      },
      { logger },
    );
    await till.ready();
    return new World(till, await Contract.of(till.api.baseUrl), await WebhookSink.start(), smtp);
  }

  async end(): Promise<void> {
    await this.till.end();
    await this.sink.close();
    await this.smtp.stop();
  }

  async send(endpoint: Pick<Endpoint, 'method' | 'path'>, request: Request): Promise<Answer> {
    const search = new URLSearchParams(request.query).toString();
    const path = search === '' ? endpoint.path : `${endpoint.path}?${search}`;
    return (await this.till.api.call(endpoint.method, path, {
      ...(request.token === null ? {} : { token: request.token }),
      ...(request.body === undefined ? {} : { body: request.body }),
      ...(request.headers === undefined ? {} : { headers: { ...request.headers } }),
    })) as Answer;
  }

  /**
   * Shop, product, price, payment, send, webhook log: an account with one of everything.
   * @param owner the token of an account that is to have another shop
   */
  async account(owner?: string): Promise<Account> {
    const shop = await Shop.open(this.till.api, {
      webhookUrl: this.sink.url,
      ...(owner === undefined ? {} : { owner }),
    });
    return Account.fill(this, shop);
  }

  /** Confirms the address of a user who has just registered. */
  async confirm({ email, token }: { readonly email: string; readonly token: string }): Promise<void> {
    const body = { token: await this.mailedToken(email) };
    await this.till.api.must('POST', '/auth/verify-email', { token, body });
  }

  /** The token of the newest mail to an address. */
  async mailedToken(email: string, purpose = 'verify-email'): Promise<string> {
    const token = await eventually(
      `a mail to ${email}`,
      () => {
        const mail = this.smtp.mails
          .filter((one) => one.to[0] === email)
          .map(({ raw }) => readable(raw))
          .findLast((text) => text.includes(`/${purpose}?token=`));
        return /token=(\w+)/.exec(mail ?? '')?.[1] ?? '';
      },
      (found) => found !== '',
    );
    return token;
  }
}

/** An account that owns one of everything, and what requests in its name are made of. */
export class Account {
  readonly world: World;
  readonly shop: Shop;
  readonly email: string;
  /** What it owns, by the name of the field that refers to it. */
  readonly ids: Readonly<Record<string, string>>;
  /** A key with every scope. */
  readonly restrictedKey: string;

  private constructor(
    world: World,
    shop: Shop,
    email: string,
    ids: Readonly<Record<string, string>>,
    restrictedKey: string,
  ) {
    this.restrictedKey = restrictedKey;
    this.world = world;
    this.shop = shop;
    this.email = email;
    this.ids = ids;
  }

  static async fill(world: World, shop: Shop): Promise<Account> {
    const { api, token, secretKey } = shop;
    const { user } = await api.must<{ user: { email: string } }>('GET', '/auth/me', { token });
    const product = await api.must<{ id: string }>(
      'POST',
      `/merchant/product/create?merchantId=${shop.merchantId}`,
      {
        token,
        body: { name: 'Beans', recurring: true, recurringInterval: 'monthly' },
      },
    );
    const price = await api.must<{ id: string }>('POST', '/merchant/price/create', {
      token,
      body: { productId: product.id, amount: '50', currency: 'USD' },
    });
    const payment = await paidPayment(shop, { amount: '20000' });
    const stranger = await Shop.open(api);
    const idempotencyKey = fresh('payout');
    const sent = await shop.send(
      { coin: 'BTC', amount: '0.001', destination: stranger.wallets.BTC },
      { 'idempotency-key': idempotencyKey },
    );
    const log = await api.must<{ logId: string }>('POST', '/merchant/webhook/test', { token: secretKey });
    const tested = await api.must<{ deliveries: { id: string }[] }>(
      'GET',
      '/merchant/webhook/deliveries?event=webhook.test',
      { token: secretKey },
    );
    const endpoint = await api.must<{ id: string }>('POST', '/merchant/webhook/endpoint/create', {
      token: secretKey,
      body: { url: world.sink.url },
    });
    const link = await api.must<{ id: string }>('POST', '/payment/refund-link', {
      token: secretKey,
      body: { paymentId: payment.id, amount: '10', currency: 'USD' },
    });
    const paymentLink = await api.must<{ id: string }>('POST', '/merchant/link/create', {
      token: secretKey,
      body: { name: 'Beans by post', amount: '50', currency: 'USD' },
    });
    const counter = await api.must<{ id: string }>('POST', '/merchant/counter/create', {
      token: secretKey,
      body: { name: 'Till 1' },
    });
    const subscription = await api.must<{ id: string }>('POST', '/merchant/subscription/create', {
      token: secretKey,
      body: { priceId: price.id, customerId: shop.customerId },
    });
    const { key } = await api.must<{ key: { id: string; value: string } }>('POST', '/merchant/keys/create', {
      token,
      body: { merchantId: shop.merchantId, name: 'Everything', scopes: SCOPES },
    });
    const ids = {
      merchantId: shop.merchantId,
      customerId: shop.customerId,
      productId: product.id,
      priceId: price.id,
      paymentId: payment.id,
      paymentLinkId: paymentLink.id,
      counterId: counter.id,
      subscriptionId: subscription.id,
      sendId: sent.body.data.id,
      linkId: link.id,
      txHash: sent.body.data.txHash,
      idempotencyKey,
      logId: log.logId,
      deliveryId: tested.deliveries[0]?.id ?? '',
      endpointId: endpoint.id,
      keyId: key.id,
    };
    return new Account(world, shop, user.email, ids, key.value);
  }

  tokenOf(kind: CredentialKind): string {
    const { token, secretKey, publicKey } = this.shop;
    return { userToken: token, secretKey, publicKey, restrictedKey: this.restrictedKey }[kind];
  }

  /** The documented example of an endpoint as this account would send it: real ids, unique names. */
  request(endpoint: Endpoint, kind: CredentialKind | null = credentialsOf(endpoint)[0] ?? null): Request {
    const { parameters = [], requestBody } = endpoint.operation;
    const shown = parameters.filter(
      ({ in: place, name, example }) => place === 'query' && example !== undefined && name !== 'merchantId',
    );
    const merchant: Record<string, string> =
      kind === 'userToken' && parameters.some(({ name }) => name === 'merchantId')
        ? { merchantId: this.shop.merchantId }
        : {};
    const query = Object.fromEntries(
      shown.map(({ name, example }) => [name, String(this.#own(name, example))]),
    );
    const content = requestBody?.content['application/json'];
    const example = content?.example ?? Object.values(content?.examples ?? {})[0]?.value;
    return {
      query: { ...query, ...merchant },
      body: content === undefined ? undefined : this.own(example as Record<string, unknown>),
      token: kind === null ? null : this.tokenOf(kind),
    };
  }

  /** An example with what this account owns in place of what it names. */
  own(example: Readonly<Record<string, unknown>>): Record<string, unknown> {
    return Object.fromEntries(Object.entries(example).map(([name, value]) => [name, this.#own(name, value)]));
  }

  #own(name: string, example: unknown): unknown {
    if (name === 'orderId') return fresh('order');
    if (name === 'email') return `${fresh('alice')}@example.com`;
    if (name === 'domain') return `${fresh('shop')}.example`;
    if (name === 'webhookUrl' || name === 'url') return this.world.sink.url;
    return this.ids[name] ?? example;
  }

  /** An unpaid payment. */
  async pending(fields: Record<string, unknown> = {}): Promise<PaymentJson> {
    return this.shop.createPayment(fields);
  }
}

/** The credentials an endpoint documents. */
export function credentialsOf({ operation }: Endpoint): CredentialKind[] {
  return (operation.security ?? []).flatMap((requirement) => Object.keys(requirement)) as CredentialKind[];
}

/** A payment that was paid in BTC and is final, its money ready to be spent. */
export async function paidPayment(shop: Shop, fields: Record<string, unknown> = {}): Promise<PaymentJson> {
  const { id } = await shop.createPayment({ ...fields, allowedCryptos: ['BTC'] });
  await shop.api.must('POST', '/sandbox/payment/simulate', {
    token: shop.secretKey,
    body: { paymentId: id, scenario: 'exact', confirmations: 3 },
  });
  const paid = () => shop.payment(id);
  await eventually(
    'money to be spendable',
    () => shop.balance('BTC'),
    (balance) => balance !== '0',
  );
  return eventually('the payment to be completed', paid, ({ status }) => status === 'completed');
}

export function fresh(prefix: string): string {
  return `${prefix}-${randomBytes(6).toString('hex')}`;
}

/** The code an authenticator app shows now. */
export function totpCode(secret: string, nowMs: number): string {
  return codeOfStep(base32nopad.decode(secret), Math.floor(nowMs / 30_000));
}
