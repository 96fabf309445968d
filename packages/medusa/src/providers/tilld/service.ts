import type {
  AuthorizePaymentInput,
  AuthorizePaymentOutput,
  CancelPaymentInput,
  CancelPaymentOutput,
  CapturePaymentInput,
  CapturePaymentOutput,
  ConfigModule,
  DeletePaymentInput,
  DeletePaymentOutput,
  GetPaymentStatusInput,
  GetPaymentStatusOutput,
  InitiatePaymentInput,
  InitiatePaymentOutput,
  Logger,
  RefundPaymentInput,
  RefundPaymentOutput,
  RemoteQueryFunction,
  RetrievePaymentInput,
  RetrievePaymentOutput,
  UpdatePaymentInput,
  UpdatePaymentOutput,
  WebhookActionResult,
} from '@medusajs/framework/types';
import { AbstractPaymentProvider, PaymentActions, PaymentSessionStatus } from '@medusajs/framework/utils';
import { TilldError, type Body, type Payment } from '@tilld/sdk';
import { giveUp } from '../../give-up';
import { isForAmount, covers, fiat, isWorth } from '../../money';
import type TilldService from '../../modules/tilld/service';
import { openRefund } from '../../flows/refund';
import { takeReturned } from '../../flows/returned';
import { parseAddresses } from './addresses';
import { readCart, type CartFacts } from './cart';
import { readText, refused, refundable, sessionData, sessionStatus, type Data } from './session';
import { closeOlder, findPaidPayment } from '../../flows/one-payment';

interface Dependencies {
  readonly logger: Logger;
  readonly configModule: ConfigModule;
  /** The plugin's module: needs `dependencies: ['tilld', 'query']` on the payment module in medusa-config. */
  readonly tilld?: TilldService;
  readonly query?: RemoteQueryFunction;
}

type PaymentBody = Body<'POST', '/payment/create'>;

/** What a session asks for. */
interface SessionRequest {
  readonly sessionId: string;
  /** Of tilld: another one for each payment of the session. */
  readonly orderId: string;
  readonly price: { readonly amount: string; readonly currency: string };
  readonly data: Data | undefined;
  readonly email: string | undefined;
}

/** As tilld takes it. */
const LOCALE = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8}){0,3}$/;

/** Payments by tilld. A session holds the payment's id, and the address of its checkout for the storefront. */
export default class TilldProvider extends AbstractPaymentProvider {
  static override identifier = 'tilld';
  readonly #given: Dependencies;

  constructor(given: Dependencies, options?: Record<string, unknown>) {
    super(given as never, options);
    this.#given = given;
  }

  async initiatePayment({
    amount,
    currency_code,
    data,
    context,
  }: InitiatePaymentInput): Promise<InitiatePaymentOutput> {
    const sessionId = readText(data, 'session_id') ?? context?.idempotency_key;
    if (sessionId === undefined) throw refused('Medusa named no payment session.');
    const price = { amount: fiat(amount, currency_code), currency: currency_code.toUpperCase() };
    return this.#create({ sessionId, orderId: sessionId, price, data, email: context?.customer?.email });
  }

  /** The cart changed while the session stayed: the same payment with another price, or a new one when its time is up. */
  async updatePayment({
    amount,
    currency_code,
    data,
    context,
  }: UpdatePaymentInput): Promise<UpdatePaymentOutput> {
    const { client, payment } = await this.#payment(data);
    if (isForAmount(payment, amount, currency_code)) return this.#answer(payment, data);
    const price = { amount: fiat(amount, currency_code), currency: currency_code.toUpperCase() };
    const sessionId = readText(data, 'session_id') ?? context?.idempotency_key ?? payment.orderId;
    try {
      const changed = await client.payments.update({ paymentId: payment.id, ...price, lines: [] });
      await this.#tilld.remember(changed, sessionId);
      return this.#answer(changed, { ...data, ...price });
    } catch (error) {
      if (!(error instanceof TilldError) || error.code !== 'INVALID_STATE') throw error;
    }
    await giveUp(client, payment.id, this.#tilld.options);
    const attempt = Number(data?.['attempt'] ?? 1) + 1;
    const orderId = `${sessionId}-${attempt}`;
    const email = context?.customer?.email;
    return this.#create({ sessionId, orderId, price, data: { ...data, attempt }, email });
  }

  async deletePayment({ data }: DeletePaymentInput): Promise<DeletePaymentOutput> {
    return this.cancelPayment({ data: data ?? {} });
  }

  /** Never cancels what is paid, or may be: it throws when money came, and when tilld cannot be asked. */
  async cancelPayment({ data }: CancelPaymentInput): Promise<CancelPaymentOutput> {
    const paymentId = readText(data, 'payment_id');
    if (paymentId === undefined) return { data: data ?? {} };
    // The storefront can put anything into a session: only a payment made for this one is cancelled.
    const sessionId = readText(data, 'session_id');
    const bound = sessionId === undefined ? undefined : await this.#tilld.boundTo(sessionId);
    const [known] = await this.#tilld.listPayments({ id: bound?.id ?? paymentId }, { take: 1 });
    if (known !== undefined && known.session_id !== sessionId) return { data: data ?? {} };
    const payment = await giveUp(await this.#tilld.client(), known?.id ?? paymentId, this.#tilld.options);
    if (known !== undefined) await this.#tilld.updatePayments({ id: known.id, state: 'lost' });
    return { data: payment === null ? (data ?? {}) : sessionData(payment, data) };
  }

  async authorizePayment({ data, context }: AuthorizePaymentInput): Promise<AuthorizePaymentOutput> {
    const { payment } = await this.#payment(data);
    // The same payment must not pay for two sessions, whatever stands in the data of one.
    const sessionId = context?.idempotency_key;
    const isOwn = payment.metadata?.['medusa_session'] === sessionId;
    if (sessionId !== undefined && !isOwn && (await this.#tilld.boundTo(sessionId))?.id !== payment.id)
      throw refused(`Payment ${payment.id} was made for another payment session.`);
    return this.#answer(payment, data);
  }

  async getPaymentStatus({ data }: GetPaymentStatusInput): Promise<GetPaymentStatusOutput> {
    const { payment } = await this.#payment(data);
    return this.#answer(payment, data);
  }

  /** tilld receives the money without a capture: a capture only checks that it is final. */
  async capturePayment({ data }: CapturePaymentInput): Promise<CapturePaymentOutput> {
    const { payment } = await this.#payment(data);
    const isFinal = payment.status === 'completed' || payment.status === 'refunded';
    if (isFinal && isWorth(payment, this.#tilld.options)) return { data: sessionData(payment, data) };
    throw refused(`Payment ${payment.id} is ${payment.status}: there is no final money to capture yet.`);
  }

  /** Opens a claim link, which the shopkeeper gives to the customer. */
  async refundPayment({ data, amount, context }: RefundPaymentInput): Promise<RefundPaymentOutput> {
    const { client, payment } = await this.#payment(data);
    const refundId = context?.idempotency_key;
    if (refundId === undefined) throw refused('Medusa named no refund.');
    if (!(await this.#hasOrder(readText(data, 'session_id')))) {
      // Medusa gives money back when it fails to place an order. The order is placed by the next attempt instead.
      throw refused(`Payment ${payment.id} belongs to no order yet: it is kept, and the order tried again.`);
    }
    const parts = { tilld: this.#tilld, client };
    const { currency } = payment;
    if (!(await takeReturned(parts, payment, refundId, fiat(amount, currency))))
      await openRefund(parts, payment, refundId, { amount: refundable(amount, payment), currency });
    return { data: sessionData(payment, data) };
  }

  async retrievePayment({ data }: RetrievePaymentInput): Promise<RetrievePaymentOutput> {
    const { payment } = await this.#payment(data);
    return { data: sessionData(payment, data) };
  }

  /** Medusa's own hook answers before it works, so that a failure would be lost: tilld is given /hooks/tilld instead. */
  async getWebhookActionAndData(): Promise<WebhookActionResult> {
    this.#given.logger.warn(
      'tilld: a webhook came to /hooks/payment, which does not handle it; use /hooks/tilld',
    );
    return { action: PaymentActions.NOT_SUPPORTED };
  }

  async #create(request: SessionRequest): Promise<InitiatePaymentOutput> {
    const { sessionId, orderId, price, data } = request;
    const client = await this.#tilld.client();
    const { query, logger, configModule } = this.#given;
    const cart = await readCart({ query, logger }, sessionId, price.currency, price.amount);
    const paid = await findPaidPayment({ tilld: this.#tilld, client }, cart.cartId);
    if (paid !== null) return this.#adopt(paid, request);
    const body = this.#paymentBody(request, cart);
    const key = `${orderId}:${price.amount}:${price.currency}`;
    // A restricted key is answered the payment in full.
    const payment = (await client.payments.create(body, { idempotencyKey: key })) as Payment;
    await this.#tilld.remember(payment, sessionId, {
      ...(cart.cartId === null ? {} : { cart_id: cart.cartId }),
      ...parseAddresses(data, configModule),
    });
    await this.#tilld.bind(payment.id, sessionId);
    const parts = { tilld: this.#tilld, client };
    // Money that came since: what applies it knew of no payment to close yet.
    const paidMeanwhile = await findPaidPayment(parts, cart.cartId, payment.id);
    if (paidMeanwhile !== null) return this.#adopt(paidMeanwhile, request);
    await closeOlder(parts, payment.id, cart.cartId);
    return this.#sessionFor(payment, request);
  }

  /** Money that came for the cart already is that of the new session; it pays for nothing that costs more. */
  async #adopt(paid: Payment, request: SessionRequest): Promise<InitiatePaymentOutput> {
    const { sessionId, price } = request;
    const [known] = await this.#tilld.listPayments({ id: paid.id }, { take: 1 });
    // A session with captured money stays the one of its order.
    if (known?.captured === true || !covers(paid, price.amount, price.currency)) {
      throw refused(
        `Money came for this cart (payment ${paid.id} is ${paid.status}): no second payment is made.`,
      );
    }
    await this.#tilld.bind(paid.id, sessionId);
    await this.#tilld.updatePayments({ id: paid.id, pending_look: true });
    return this.#sessionFor(paid, request);
  }

  #sessionFor(payment: Payment, { sessionId, price, data }: SessionRequest): InitiatePaymentOutput {
    const status = PaymentSessionStatus.PENDING;
    return {
      id: payment.id,
      status,
      data: { ...sessionData(payment, data), ...price, session_id: sessionId },
    };
  }

  #paymentBody(
    { sessionId, orderId, price, data, email: given }: SessionRequest,
    cart: CartFacts,
  ): PaymentBody {
    const email = [given, cart.email].find((each) => /^[^\s@]+@[^\s@]+$/.test(each ?? ''));
    const locale = [readText(data, 'locale'), cart.locale].find((each) => LOCALE.test(each ?? ''));
    const { lifetimeMinutes } = this.#tilld.options;
    const address = this.#tilld.returnAddress(cart.cartId ?? sessionId);
    return {
      ...price,
      orderId,
      ...(cart.orderLabel === null ? {} : { orderLabel: cart.orderLabel }),
      customer: typeof email === 'string' ? { email } : {},
      lines: cart.lines,
      metadata: { medusa_session: sessionId, ...(cart.cartId === null ? {} : { medusa_cart: cart.cartId }) },
      ...(typeof locale === 'string' ? { locale } : {}),
      ...(lifetimeMinutes === undefined ? {} : { lifetimeMinutes }),
      successUrl: address,
      returnUrl: address,
    };
  }

  async #payment(data: Data | undefined) {
    const sessionId = readText(data, 'session_id');
    const bound = sessionId === undefined ? undefined : await this.#tilld.boundTo(sessionId);
    const paymentId = bound?.id ?? readText(data, 'payment_id');
    if (paymentId === undefined) throw refused('This payment session has no payment at tilld.');
    const client = await this.#tilld.client();
    return { client, payment: await client.payments.get({ paymentId }) };
  }

  async #hasOrder(sessionId: string | undefined): Promise<boolean> {
    const { query } = this.#given;
    if (query === undefined || sessionId === undefined) return true;
    const sessions = await query.graph({
      entity: 'payment_session',
      fields: ['payment_collection_id'],
      filters: { id: sessionId },
    });
    const collection = (sessions.data[0] as { payment_collection_id?: string } | undefined)
      ?.payment_collection_id;
    if (collection === undefined) return true;
    const orders = await query.graph({
      entity: 'order_payment_collection',
      fields: ['order_id'],
      filters: { payment_collection_id: collection },
    });
    return orders.data.length > 0;
  }

  /** What Medusa does with a payment. Nothing else than final money is `captured`; nothing ends a session that may be paid yet. */
  #answer(payment: Payment, data: Data | undefined): { status: PaymentSessionStatus; data: Data } {
    const { options } = this.#tilld;
    const status = isWorth(payment, options)
      ? sessionStatus(payment, data)
      : PaymentSessionStatus.REQUIRES_MORE;
    return { status, data: sessionData(payment, data) };
  }

  get #tilld(): TilldService {
    const { tilld } = this.#given;
    if (tilld !== undefined) return tilld;
    throw refused("Add dependencies: ['tilld', 'query'] to the payment module in medusa-config.");
  }
}
