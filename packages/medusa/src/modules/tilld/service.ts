import { timingSafeEqual } from 'node:crypto';
import type { ConfigModule, Logger } from '@medusajs/framework/types';
import { MedusaError, MedusaService } from '@medusajs/framework/utils';
import { Tilld, type Payment as TilldPayment } from '@tilld/sdk';
import { readOptions, type TilldOptions } from '../../options';
import { Connection } from './models/connection';
import { Note } from './models/note';
import { Payment } from './models/payment';
import { Refund } from './models/refund';
import { Sealing } from './sealing';

const ONLY = 'default';
const RETURN_PATH = '/tilld/return';
const TIMEOUT_MS = 10_000;
const RETRY_BUDGET_MS = 12_000;

export interface Connected {
  readonly baseUrl: string;
  readonly merchantId: string;
  readonly key: string;
  readonly endpointId: string;
  readonly webhookSecret: string;
}

export interface ConnectRequest {
  readonly state: string;
  readonly codeVerifier: string;
  readonly expiresAt: Date;
}

/** The plugin's own data of a payment, in addition to tilld's. */
interface Remembered {
  readonly cart_id?: string;
  readonly success_url?: string | null;
  readonly return_url?: string | null;
}

interface Dependencies {
  readonly logger: Logger;
  readonly configModule: ConfigModule;
}

/** The connection to tilld, and the plugin's own rows. */
export default class TilldService extends MedusaService({ Connection, Payment, Note, Refund }) {
  readonly options: TilldOptions;
  readonly #config: ConfigModule;
  readonly #logger: Logger;

  constructor(dependencies: Dependencies, options?: Record<string, unknown>) {
    super(dependencies, options);
    this.options = readOptions(options);
    this.#config = dependencies.configModule;
    this.#logger = dependencies.logger;
  }

  /** A client with the key of the shop. @throws {MedusaError} while the shop is not connected */
  async client(): Promise<Tilld> {
    const connected = await this.connected();
    if (connected === null) {
      throw new MedusaError(MedusaError.Types.NOT_ALLOWED, 'This shop is not connected to tilld.');
    }
    return this.clientOf(connected.baseUrl, connected.key);
  }

  clientOf(baseUrl: string, key?: string): Tilld {
    return new Tilld({
      baseUrl,
      timeoutMs: TIMEOUT_MS,
      retries: 1,
      retryBudgetMs: RETRY_BUDGET_MS,
      onRetry: (error) => this.#logger.warn(`tilld: ${error.message}; trying again`),
      ...(key === undefined ? {} : { key }),
    });
  }

  /** What the shop is connected to; null when it is not, or when what was sealed cannot be opened any more. */
  async connected(): Promise<Connected | null> {
    const row = await this.#connection();
    if (!row?.sealed_key || !row.sealed_webhook_secret) return null;
    try {
      return {
        baseUrl: row.base_url ?? this.options.tilldUrl,
        merchantId: row.merchant_id ?? '',
        key: this.open(row.sealed_key),
        endpointId: row.endpoint_id ?? '',
        webhookSecret: this.open(row.sealed_webhook_secret),
      };
    } catch {
      this.#logger.error('tilld: the stored key was sealed with another secret; connect the shop again');
      return null;
    }
  }

  /** Keeps a connection. That to another merchant or daemon begins with the first of its events. */
  async connect(connected: Connected): Promise<void> {
    const row = await this.#connection();
    const isSame = row?.merchant_id === connected.merchantId && row.base_url === connected.baseUrl;
    await this.#save({
      base_url: connected.baseUrl,
      merchant_id: connected.merchantId,
      sealed_key: this.seal(connected.key),
      endpoint_id: connected.endpointId,
      sealed_webhook_secret: this.seal(connected.webhookSecret),
      ...(isSame ? {} : { cursor: '0' }),
    });
  }

  async cursor(): Promise<number> {
    return Number((await this.#connection())?.cursor ?? 0);
  }

  async advance(cursor: number): Promise<void> {
    await this.#save({ cursor: String(cursor) });
  }

  async keepRequest({ state, codeVerifier, expiresAt }: ConnectRequest): Promise<void> {
    const sealed_verifier = this.seal(codeVerifier);
    await this.#save({ request_state: state, sealed_verifier, request_expires_at: expiresAt });
  }

  /** The connect request with this state, which can be taken once. */
  async takeRequest(state: string): Promise<ConnectRequest | null> {
    const row = await this.#connection();
    if (row?.request_state !== state || !row.sealed_verifier || !row.request_expires_at) return null;
    await this.#save({ request_state: null, sealed_verifier: null, request_expires_at: null });
    const expiresAt = new Date(row.request_expires_at);
    if (expiresAt.getTime() < Date.now()) return null;
    return { state, codeVerifier: this.open(row.sealed_verifier), expiresAt };
  }

  /** Tells the shopkeeper something once. Answers whether it was new. */
  async tell(
    paymentId: string,
    key: string,
    code: string,
    values: Record<string, string> = {},
  ): Promise<boolean> {
    const [known] = await this.listNotes({ payment_id: paymentId, key }, { take: 1 });
    if (known !== undefined) return false;
    await this.createNotes({ payment_id: paymentId, key, code, values });
    return true;
  }

  /** Keeps a payment that was made or changed at tilld. */
  async remember(
    payment: Pick<TilldPayment, 'id' | 'amount' | 'currency' | 'checkoutUrl'>,
    sessionId: string,
    more: Remembered = {},
  ) {
    const row = {
      id: payment.id,
      session_id: sessionId,
      amount: payment.amount,
      currency: payment.currency,
      checkout_url: payment.checkoutUrl,
      ...more,
    };
    const isKnown = async (): Promise<boolean> =>
      (await this.listPayments({ id: payment.id }, { take: 1 })).length > 0;
    if (await isKnown()) return this.updatePayments(row);
    try {
      return await this.createPayments(row);
    } catch (error) {
      // A webhook or the job may have found the payment in the meantime.
      if (!(await isKnown())) throw error;
      return this.updatePayments(row);
    }
  }

  /** Makes a payment the one of a session: what the session had before is not its payment any more. */
  async bind(paymentId: string, sessionId: string): Promise<void> {
    const bound = await this.listPayments({ session_id: sessionId }, { take: null });
    for (const { id } of bound) {
      if (id !== paymentId) await this.release(id, sessionId);
    }
    await this.updatePayments({ id: paymentId, session_id: sessionId });
  }

  /** Takes a session from its payment, which stays known. */
  async release(paymentId: string, sessionId: string): Promise<void> {
    await this.updatePayments({ id: paymentId, session_id: `${sessionId}:replaced` });
  }

  /** The payment that stands for a session. */
  async boundTo(sessionId: string) {
    const [row] = await this.listPayments(
      { session_id: sessionId },
      { take: 1, order: { created_at: 'DESC' } },
    );
    return row;
  }

  seal(text: string): string {
    return this.#sealing().seal(text);
  }

  open(sealed: string): string {
    return this.#sealing().open(sealed);
  }

  /** The one address to which tilld sends the customer of a cart, or of a session without one. */
  returnAddress(subject: string): string {
    return `${this.options.backendUrl}${RETURN_PATH}/${subject}.${this.#sign(subject)}`;
  }

  /** What a reference of such an address is about; null for one that is not of this shop. */
  subjectOf(reference: string): string | null {
    const [subject = '', signature = ''] = reference.split('.');
    const [given, wanted] = [Buffer.from(signature), Buffer.from(this.#sign(subject))];
    return given.length === wanted.length && timingSafeEqual(given, wanted) ? subject : null;
  }

  #sign(subject: string): string {
    return this.#sealing().sign(`tilld-return ${subject}`);
  }

  #sealing(): Sealing {
    const { cookieSecret, jwtSecret } = this.#config.projectConfig.http;
    const secret = this.options.encryptionSecret ?? cookieSecret ?? jwtSecret;
    if (typeof secret !== 'string' || secret === '') {
      throw new Error('@tilld/medusa-payment: set encryptionSecret, or http.cookieSecret of Medusa');
    }
    return new Sealing(secret);
  }

  async #connection() {
    const [row] = await this.listConnections({ id: ONLY }, { take: 1 });
    return row;
  }

  async #save(fields: Record<string, unknown>): Promise<void> {
    if ((await this.#connection()) === undefined) await this.createConnections({ id: ONLY, ...fields });
    else await this.updateConnections({ id: ONLY, ...fields });
  }
}
