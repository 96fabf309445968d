/** A shop with recurring prices on scripted chains, whose scheduler a test steps. */
import type { RecurringInterval } from '../../src/domain/catalog.ts';
import { SUBSCRIPTION_EVENT_TYPES } from '../../src/domain/subscription/types.ts';
import type { MerchantRow } from '../../src/store/schema/merchants.ts';
import type { SubscriptionRow } from '../../src/store/schema/subscriptions.ts';
import { listInvoices } from '../../src/store/subscriptions/invoices.ts';
import { insertPrice } from '../../src/store/catalog/prices.ts';
import { insertProduct } from '../../src/store/catalog/products.ts';
import { findMerchant, updateMerchant } from '../../src/store/merchants/merchants.ts';
import { presentInvoice, presentSubscription } from '../../src/usecases/invoices/present-subscription.ts';
import type { InvoiceView, SubscriptionView } from '../../src/usecases/invoices/index.ts';
import { changeSubscriptionStatus } from '../../src/usecases/subscriptions/act-on-subscription.ts';
import { renewDueSubscriptions } from '../../src/usecases/subscriptions/renew-due-subscriptions.ts';
import {
  createSubscription,
  type CreateSubscriptionInput,
} from '../../src/usecases/subscriptions/create-subscription.ts';
import { creditSubscription } from '../../src/usecases/subscriptions/credit-subscription.ts';
import {
  editSubscription,
  type EditSubscriptionInput,
} from '../../src/usecases/subscriptions/edit-subscription.ts';
import { findOwnSubscription } from '../../src/usecases/subscriptions/subscription-deps.ts';
import { addressOf, openPaymentWorld, type PaymentWorld } from './payment-world.ts';
import { creditTo } from './scripted-chain.ts';
import { SECRET_KEY } from './secret-key.ts';

const DAY = 86_400_000;
const NEVER = new AbortController().signal;

/** Seals nothing. */
const PLAIN_BOX = { seal: (plain: string) => plain, open: (sealed: string) => sealed };

export class SubscriptionWorld {
  readonly payments: PaymentWorld;
  #catalog = 0;

  private constructor(payments: PaymentWorld) {
    this.payments = payments;
  }

  static async open(): Promise<SubscriptionWorld> {
    const payments = await openPaymentWorld();
    await payments.poll();
    return new SubscriptionWorld(payments);
  }

  get deps() {
    return { ...this.payments.deps, secretBox: PLAIN_BOX };
  }

  get merchantId(): string {
    return this.payments.wallet.merchant.id;
  }

  async merchant(): Promise<MerchantRow> {
    const row = await findMerchant(this.deps.db, this.merchantId);
    if (row === undefined) throw new Error('the shop is gone');
    return row;
  }

  async set(changes: Partial<MerchantRow>): Promise<void> {
    const updatedAt = this.payments.now();
    await this.deps.db.transaction((tx) => updateMerchant(tx, this.merchantId, { ...changes, updatedAt }));
  }

  /** @returns the id of a price of a new product */
  async price(
    amount: string,
    interval: RecurringInterval | null = 'monthly',
    currency = 'USD',
  ): Promise<string> {
    this.#catalog += 1;
    const { userId } = this.payments.wallet.merchant;
    const [productId, priceId] = [`prod_${this.#catalog}`, `price_${this.#catalog}`];
    const times = { createdAt: this.payments.now(), updatedAt: this.payments.now(), deletedAt: null };
    await this.deps.db.transaction(async (tx) => {
      await insertProduct(tx, {
        id: productId,
        userId,
        name: 'Tea club',
        description: null,
        recurring: interval !== null,
        recurringInterval: interval,
        active: true,
        ...times,
      });
      await insertPrice(tx, { id: priceId, userId, productId, amount, currency, active: true, ...times });
    });
    return priceId;
  }

  async subscribe(priceId: string, more: Partial<CreateSubscriptionInput> = {}): Promise<SubscriptionRow> {
    return createSubscription(this.deps, {
      merchant: await this.merchant(),
      actor: SECRET_KEY,
      payer: { kind: 'email', email: 'payer@example.com', metadata: {} },
      priceId,
      quantity: 1,
      trialDays: 0,
      startAt: null,
      metadata: null,
      locale: null,
      successUrl: null,
      returnUrl: null,
      allowedCryptos: ['BTC'],
      ...more,
    });
  }

  async act(id: string, action: Parameters<typeof changeSubscriptionStatus>[2]): Promise<void> {
    await changeSubscriptionStatus(this.deps, { merchantId: this.merchantId, subscriptionId: id }, action);
  }

  async edit(id: string, changes: Partial<EditSubscriptionInput>): Promise<SubscriptionRow> {
    return editSubscription(this.deps, { merchant: await this.merchant(), subscriptionId: id, ...changes });
  }

  /** @param isCorrection takes credit away instead of giving it */
  async credit(id: string, amount: string, isCorrection = false): Promise<SubscriptionRow> {
    const { merchantId } = this;
    return creditSubscription(this.deps, {
      merchantId,
      subscriptionId: id,
      amount,
      isCorrection,
      note: null,
    });
  }

  async read(id: string): Promise<SubscriptionView> {
    const row = await findOwnSubscription(this.deps.db, this.merchantId, id);
    const { invoiceLeadDays: leadDays } = await this.merchant();
    return presentSubscription(this.deps.db, row, { now: this.payments.now(), leadDays });
  }

  /** Oldest first. */
  async invoices(id: string): Promise<InvoiceView[]> {
    const { rows } = await listInvoices(this.deps.db, id, { limit: 10_000, offset: 0 });
    return rows.map(presentInvoice).toReversed();
  }

  async events(id: string): Promise<string[]> {
    const rows = await this.deps.db
      .selectFrom('events')
      .select(['type', 'bodyJson'])
      .where('type', 'in', SUBSCRIPTION_EVENT_TYPES)
      .orderBy('seq')
      .execute();
    return rows
      .filter(({ bodyJson }) => bodyJson?.includes(`"${id}"`))
      .map(({ type }) => type.replace('subscription.', ''));
  }

  async tick(): Promise<void> {
    await renewDueSubscriptions(this.deps, NEVER);
  }

  /** Lets days pass on the chains too, then steps the scheduler until nothing is due. */
  async pass(days: number): Promise<void> {
    this.payments.advance(days * DAY);
    for (const chain of Object.values(this.payments.chains)) chain.mine(this.payments.now());
    await this.payments.poll();
    await this.payments.expire();
    await this.tick();
    await this.tick();
  }

  /** Pays the open invoice. @param percent of what its payment asks for */
  async pay(id: string, percent = 100n): Promise<string> {
    const { openPaymentId: paymentId } = await this.read(id);
    if (paymentId === null) throw new Error('no invoice is open');
    await this.send(paymentId, percent);
    return paymentId;
  }

  async send(paymentId: string, percent = 100n): Promise<void> {
    await this.sendAtoms(paymentId, ((await this.dueAtoms(paymentId)) * percent) / 100n);
  }

  async sendAtoms(paymentId: string, atoms: bigint): Promise<void> {
    const payment = await this.payments.payment({ id: paymentId });
    const { BTC } = this.payments.chains;
    BTC.mine(this.payments.now(), [creditTo(addressOf(payment, 'BTC'), atoms)]);
    BTC.mine(this.payments.now());
    BTC.mine(this.payments.now());
    await this.payments.poll('BTC');
  }

  /** What a payment asks for in BTC. */
  async dueAtoms(paymentId: string): Promise<bigint> {
    const { options } = await this.payments.payment({ id: paymentId });
    return BigInt(Math.round(Number(options.BTC?.amount) * 1e8));
  }

  /** A reorganisation takes the transaction out of the chain, and the node forgets it. */
  async lose(txid: string): Promise<void> {
    const { BTC } = this.payments.chains;
    const height = BTC.blocks.findIndex(({ credits }) => credits.some(({ ref }) => ref.txid === txid));
    const later = BTC.blocks.slice(height + 1);
    BTC.drop(later.length + 1);
    BTC.fates.set(txid, 'gone');
    BTC.mine(this.payments.now());
    for (const { credits } of later) BTC.mine(this.payments.now(), credits);
    BTC.mine(this.payments.now());
    await this.payments.poll('BTC');
  }

  async close(): Promise<void> {
    await this.payments.close();
  }
}
