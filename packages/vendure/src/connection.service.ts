import { Inject, Injectable } from '@nestjs/common';
import { connectSecrets, connectUrl, Tilld, TilldError, type ListedEvent, type Scope } from '@tilld/sdk';
import {
  ID,
  Logger,
  RequestContext,
  RequestContextService,
  TransactionalConnection,
  UserInputError,
} from '@vendure/core';
import { textId, TilldConnection } from './entities';
import { TILLD_OPTIONS, type TilldPluginOptions } from './options';
import { pageText } from './page-texts';
import { seal, unseal } from './seal';

type Tail<T extends readonly unknown[]> = T extends readonly [unknown, ...infer Rest] ? Rest : never;

export const LOG = 'tilld';
/** Never `wallet:send`: a shop's server must not be able to empty the wallet. */
const SCOPES: readonly Scope[] = [
  'payments:write',
  'refunds:write',
  'customers:write',
  'events:read',
  'webhooks:write',
];
const EVENTS: ListedEvent['type'][] = [
  'payment.confirming',
  'payment.underpaid',
  'payment.overpaid',
  'payment.completed',
  'payment.late',
  'payment.expired',
  'payment.failed',
  'payment.cancelled',
  'payment.superseded',
  'payment.reversed',
  'payment.refunded',
  'payment.partially_refunded',
  'refund.claimed',
  'refund.delayed',
  'refund.paid',
  'refund.expired',
  'refund.cancelled',
];
const CONNECT_WITHIN_MS = 15 * 60_000;
const TIMEOUT_MS = 10_000;

export interface Health {
  readonly connected: boolean;
  readonly key: boolean;
  readonly webhook: boolean;
  readonly node: boolean;
  readonly message: string;
}

/** Connects channels to tilld, and calls tilld for them. */
@Injectable()
export class TilldConnectionService {
  constructor(
    @Inject(TILLD_OPTIONS) private readonly options: TilldPluginOptions,
    private readonly db: TransactionalConnection,
    private readonly contexts: RequestContextService,
  ) {}

  /** The connection of a channel; null until its owner agreed. */
  async find(channelId: ID): Promise<TilldConnection | null> {
    const found = await this.db.rawConnection
      .getRepository(TilldConnection)
      .findOneBy({ channelId: textId(channelId) });
    return found === null || found.sealedKey === null ? null : found;
  }

  async findById(id: ID): Promise<TilldConnection | null> {
    const found = await this.db.rawConnection.getRepository(TilldConnection).findOneBy({ id });
    return found === null || found.sealedKey === null ? null : found;
  }

  async all(): Promise<TilldConnection[]> {
    const found = await this.db.rawConnection.getRepository(TilldConnection).find();
    return found.filter(({ sealedKey }) => sealedKey !== null);
  }

  /** A client with the key of this connection. */
  client(connection: TilldConnection): Tilld {
    if (connection.sealedKey === null) throw new UserInputError('This channel is not connected with tilld');
    return this.clientWith(unseal(connection.sealedKey, this.options.encryptionKey));
  }

  endpointSecret(connection: TilldConnection): string {
    return unseal(connection.sealedEndpointSecret ?? '', this.options.encryptionKey);
  }

  /** An administrator's context in the channel of a connection, for background work. */
  async contextOf(connection: TilldConnection): Promise<RequestContext> {
    const row = await this.db.rawConnection
      .createQueryBuilder()
      .select('channel.token', 'token')
      .from('channel', 'channel')
      .where('channel.id = :id', { id: connection.channelId })
      .getRawOne<{ token: string }>();
    if (row === undefined) throw new Error(`channel ${connection.channelId} is gone`);
    return this.contexts.create({ apiType: 'admin', channelOrToken: row.token });
  }

  /** Starts a connect request. @returns the address to which the owner is redirected */
  async startConnect(channelId: ID, channelCode: string): Promise<string> {
    const { codeVerifier, codeChallenge, state } = await connectSecrets();
    const repository = this.db.rawConnection.getRepository(TilldConnection);
    const known = await repository.findOneBy({ channelId: textId(channelId) });
    const connection = known ?? new TilldConnection({ channelId: textId(channelId) });
    connection.connectState = state;
    connection.sealedCodeVerifier = seal(codeVerifier, this.options.encryptionKey);
    connection.connectStartedAt = new Date().toISOString();
    await repository.save(connection);
    return connectUrl({
      baseUrl: this.options.tilldUrl,
      name: `Vendure (${channelCode})`.slice(0, 100),
      scopes: SCOPES,
      redirectUrl: `${withoutSlash(this.options.serverUrl)}/tilld/connected`,
      state,
      codeChallenge,
    });
  }

  /**
   * Exchanges the code with which the owner returned: stores the key and creates the endpoint of this channel.
   * @throws {UserInputError} if no administrator requested it, or too long ago
   */
  async finishConnect(state: string, code: string): Promise<void> {
    const repository = this.db.rawConnection.getRepository(TilldConnection);
    const connection = await repository.findOneBy({ connectState: state });
    const startedAt = Date.parse(connection?.connectStartedAt ?? '');
    if (connection === null || !(Date.now() - startedAt < CONNECT_WITHIN_MS)) {
      throw new UserInputError(this.text('not_asked_here'));
    }
    const codeVerifier = unseal(connection.sealedCodeVerifier ?? '', this.options.encryptionKey);
    const granted = await this.clientWith(undefined).connect.token({ code, codeVerifier });
    const till = this.clientWith(granted.key);
    const endpoint = await this.ownEndpoint(till, connection);
    // Events of another shop have other numbers.
    if (connection.merchantId !== granted.merchantId) connection.cursor = null;
    connection.cursor ??= await newestSeq(till);
    connection.merchantId = granted.merchantId;
    connection.sealedKey = seal(granted.key, this.options.encryptionKey);
    connection.endpointId = endpoint.id;
    connection.sealedEndpointSecret = seal(endpoint.secret, this.options.encryptionKey);
    connection.connectState = null;
    connection.sealedCodeVerifier = null;
    await repository.save(connection);
    Logger.info(`channel ${connection.channelId} is connected with shop ${granted.merchantId}`, LOG);
  }

  /** Stores the cursor of the job. */
  async keepCursor(connection: TilldConnection, cursor: number): Promise<void> {
    await this.db.rawConnection.getRepository(TilldConnection).update({ id: connection.id }, { cursor });
  }

  /** The data of the settings page, read from tilld. */
  async health(channelId: ID): Promise<Health> {
    const connection = await this.find(channelId);
    if (connection === null) {
      return {
        connected: false,
        key: false,
        webhook: false,
        node: false,
        message: this.text('not_connected'),
      };
    }
    const till = this.client(connection);
    try {
      const { endpoints } = await till.endpoints.list();
      const webhook = endpoints.some(({ url, active }) => active && url === this.webhookUrl(connection));
      // Without `chains` if the operator of tilld hides the details.
      const { ready, chains } = await till.service.readyz();
      const lagging = Object.values(chains ?? {}).filter(({ state }) => state !== 'following');
      const message = [
        webhook ? '' : this.text('endpoint_missing'),
        ...lagging.map(({ coin, mode, state }) => `${coin} (${mode}): ${state}`),
      ];
      const node = chains === undefined ? ready : lagging.length < Object.keys(chains).length;
      return {
        connected: true,
        key: true,
        webhook,
        node,
        message: message.filter(Boolean).join(' ') || this.text('all_well'),
      };
    } catch (error) {
      const refused = error instanceof TilldError && (error.status === 401 || error.status === 403);
      const message = refused
        ? this.text('key_refused')
        : this.text('no_answer', error instanceof Error ? error.message : String(error));
      return { connected: true, key: false, webhook: false, node: refused, message };
    }
  }

  /** A text of the pages, in the language of the options. */
  text(...given: Tail<Parameters<typeof pageText>>): string {
    return pageText(this.options.language, ...given);
  }

  get language(): string {
    return this.options.language ?? 'en';
  }

  webhookUrl(connection: TilldConnection): string {
    const { internal, serverUrl } = this.options;
    return `${withoutSlash(internal?.serverUrl ?? serverUrl)}/tilld/webhook/${connection.id}`;
  }

  private async ownEndpoint(
    till: Tilld,
    connection: TilldConnection,
  ): Promise<{ id: string; secret: string }> {
    const url = this.webhookUrl(connection);
    const { endpoints } = await till.endpoints.list();
    const known = endpoints.find((endpoint) => endpoint.url === url && !endpoint.default);
    if (known === undefined) return till.endpoints.create({ url, events: EVENTS });
    await till.endpoints.edit({ endpointId: known.id, events: EVENTS, active: true });
    return { id: known.id, secret: (await till.endpoints.secret({ endpointId: known.id })).secret };
  }

  private clientWith(key: string | undefined): Tilld {
    return new Tilld({
      baseUrl: this.options.internal?.tilldUrl ?? this.options.tilldUrl,
      ...(key === undefined ? {} : { key }),
      timeoutMs: TIMEOUT_MS,
      onRetry: (error) => Logger.warn(`tilld is asked again: ${error.code}`, LOG),
    });
  }
}

function withoutSlash(url: string): string {
  return url.replace(/\/+$/, '');
}

async function newestSeq(till: Tilld): Promise<number> {
  const { events } = await till.events.list({ limit: 1 });
  return events[0]?.seq ?? 0;
}
