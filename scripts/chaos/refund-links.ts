import type { ApiAnswer, Shop } from '../../test/_helpers/api-client.ts';
import type { ChainWorld } from './chain-world.ts';
import { leadOf, type Order } from './payments.ts';
import type { LinkPlan } from './plan.ts';

/** A refund link, from its creation by the merchant to the payer's claim. */
export interface OpenedLink {
  readonly plan: LinkPlan;
  readonly order: Order;
  readonly id: string;
  readonly token: string;
  /** The destination of the claim; null until claimed. */
  destination: string | null;
  /** The payer's last request was answered, or the merchant cancelled the link. */
  isOver: boolean;
}

interface LinkJson {
  readonly id: string;
  readonly url: string;
  readonly status: string;
  readonly claimId: string | null;
}

/** The merchant creates refund links, payers claim them, the merchant approves or cancels. */
export class RefundLinks {
  readonly opened: OpenedLink[] = [];
  readonly #world: ChainWorld;

  constructor(world: ChainWorld) {
    this.#world = world;
  }

  /** @returns a line for the history */
  async open(shop: Shop, order: Order, plan: LinkPlan): Promise<string> {
    const { dollars } = order.plan;
    const part = plan.percent === null ? null : ((dollars * plan.percent) / 100).toFixed(2);
    const paymentId = leadOf(order).id;
    const answer = await this.#ask<LinkJson>(shop, '/payment/refund-link', {
      paymentId,
      ...(part === null ? { preset: 'all' } : { amount: part, currency: 'USD' }),
      approval: plan.needsApproval,
      deductFee: plan.deductsFee,
    });
    if (answer?.body.success !== true)
      return `no refund link of ${paymentId}: ${answer?.body.error?.code ?? 'no answer'}`;
    const { id, url } = answer.body.data;
    const token = url.slice(url.lastIndexOf('/') + 1);
    this.opened.push({ plan, order, id, token, destination: null, isOver: plan.end === 'ignored' });
    return `refund link ${id} of ${paymentId} for ${part ?? 'everything'}`;
  }

  /** Sends the claims and cancellations due at this step. @returns lines for the history */
  async proceed(shop: Shop, step: number): Promise<string[]> {
    const lines: string[] = [];
    for (const link of this.opened) {
      const { plan, id } = link;
      if (link.isOver || step < plan.step + plan.claimAfterSteps) continue;
      const outcome =
        plan.end === 'cancelled' ? await this.#cancel(shop, link) : await this.#claim(shop, link);
      if (outcome !== null) lines.push(`refund link ${id}: ${outcome}`);
    }
    return lines;
  }

  /** The merchant approves all pending claims. */
  async approveAll(shop: Shop): Promise<void> {
    for (const { id, order, plan } of this.opened) {
      if (!plan.needsApproval) continue;
      const paymentId = leadOf(order).id;
      const path = `/payment/refund-links?paymentId=${paymentId}&limit=100`;
      const listed = await shop.api
        .call<{ refundLinks: LinkJson[] }>('GET', path, { token: shop.secretKey })
        .catch(() => null);
      const link =
        listed?.body.success === true
          ? listed.body.data.refundLinks.find((each) => each.id === id)
          : undefined;
      if (link?.status !== 'claimed' || link.claimId === null) continue;
      await this.#ask(shop, '/payment/refund-link/approve', { linkId: id, claimId: link.claimId });
    }
  }

  async #claim(shop: Shop, link: OpenedLink): Promise<string | null> {
    const { coin } = this.#world;
    // The same destination again, because a claim without a response may have been executed.
    link.destination ??= await this.#world.newDestination();
    const form = { step: 'claim', coin, destination: link.destination };
    try {
      const { status } = await fetch(`${shop.api.baseUrl}/r/${link.token}`, {
        method: 'POST',
        redirect: 'manual',
        body: new URLSearchParams(form),
        signal: AbortSignal.timeout(30_000),
      });
      link.isOver = status < 500;
      return `claimed: ${status}`;
    } catch {
      return null;
    }
  }

  async #cancel(shop: Shop, link: OpenedLink): Promise<string | null> {
    const answer = await this.#ask(shop, '/payment/refund-link/cancel', { linkId: link.id });
    if (answer === null || answer.status >= 500) return null;
    link.isOver = true;
    return `cancelled: ${answer.status}`;
  }

  async #ask<T>(shop: Shop, path: string, body: object): Promise<ApiAnswer<T> | null> {
    return shop.api.call<T>('POST', path, { token: shop.secretKey, body }).catch(() => null);
  }
}
