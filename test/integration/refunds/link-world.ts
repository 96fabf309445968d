/** Refund links of a sandbox shop, driven by their use cases. */
import type { Coin } from '../../../src/domain/coins.ts';
import { claimRefundLink } from '../../../src/usecases/refunds/links/claim-link.ts';
import { createRefundLink, type RefundLinkRequest } from '../../../src/usecases/refunds/links/create-link.ts';
import { approveLink } from '../../../src/usecases/refunds/links/decide-link.ts';
import { listLinks } from '../../../src/usecases/refunds/links/list-links.ts';
import { readPayerLink, type PayerLink } from '../../../src/usecases/refunds/links/payer-link.ts';
import type { RefundLinkView } from '../../../src/usecases/payments/refunds/present-link.ts';
import type { SendClaimsDeps } from '../../../src/usecases/refunds/links/send-claims.ts';
import { getPayment } from '../../../src/usecases/payments/get-payment.ts';
import { refundPayment } from '../../../src/usecases/refunds/refund-payment.ts';
import { RetryBackoff } from '../../../src/usecases/wallet/lifecycle/retry-backoff.ts';
import { eventually } from '../../_helpers/poll.ts';
import { openSandboxShop, type SandboxShop } from '../sandbox/sandbox-shop.ts';

/** A payment of 50 USD is 0.5 LTC. */
const RATES: Partial<Record<Coin, string>> = { LTC: '100', BTC: '100000', ETH: '4000', SOL: '200' };

export interface LinkTerms {
  readonly wish?: RefundLinkRequest;
  readonly coin?: Coin;
  readonly approval?: boolean;
  readonly deductFee?: boolean;
  readonly rate?: 'received' | 'current';
}

export class LinkWorld implements AsyncDisposable {
  readonly shop: SandboxShop;

  private constructor(shop: SandboxShop) {
    this.shop = shop;
  }

  static async open(): Promise<LinkWorld> {
    return new LinkWorld(await openSandboxShop());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.shop.close();
  }

  /** @param rate of LTC in USD */
  deps(rate = RATES.LTC) {
    const { deps, clock } = this.shop.world;
    const claimBackoff = new RetryBackoff(clock, { most: 10, restMs: 5_000, maxRestMs: 5_000 });
    const secretBox = { seal: (plain: string) => plain, open: (sealed: string) => sealed };
    const quote = (coin: Coin) => ({
      coin,
      currency: 'USD',
      rate: (coin === 'LTC' ? rate : RATES[coin]) ?? '1',
      sources: ['fixed'],
      at: 0,
    });
    const rates = { quote, ensure: async () => {} };
    return { ...deps, rates, secretBox, claimBackoff, sendClaims: async () => {} };
  }

  /** The node, with these overrides. */
  nodeThat(change: object): SendClaimsDeps & ReturnType<LinkWorld['deps']> {
    const deps = this.deps();
    return {
      ...deps,
      chains: {
        get: (coin, mode) => {
          const adapter = deps.chains.get(coin, mode);
          return adapter === null ? null : { ...adapter, ...change };
        },
      },
    };
  }

  /** A payment of 50 USD with what came in, each with its confirmations. */
  async paid(...scenarios: readonly ('exact' | 'overpay' | 'underpay')[]): Promise<{ id: string }> {
    const payment = await this.shop.order(['LTC']);
    for (const scenario of scenarios.length === 0 ? (['exact'] as const) : scenarios) {
      await this.pay(payment, scenario);
    }
    return payment;
  }

  async pay(payment: { id: string }, scenario: 'exact' | 'overpay' | 'underpay', coin: Coin = 'LTC') {
    const before = (await this.read(payment)).transactions.length;
    await this.shop.simulate(payment, { scenario, coin, confirmations: 2 });
    await eventually(
      'it is settled',
      async () => this.read(payment),
      ({ transactions }) =>
        transactions.length > before && transactions.every(({ confirmations }) => confirmations >= 2),
    );
  }

  async read({ id }: { id: string }) {
    const { deps, merchant } = this.shop.world;
    return getPayment({ ...deps, baseUrl: 'http://localhost' }, { merchantId: merchant.id, paymentId: id });
  }

  async newLink({ id }: { id: string }, more: LinkTerms = {}): Promise<RefundLinkView> {
    return createRefundLink(this.deps(), {
      merchantId: this.shop.world.merchant.id,
      paymentId: id,
      request: more.wish ?? { kind: 'all' },
      coin: more.coin,
      rate: more.rate ?? 'received',
      expiresInDays: 1,
      approval: more.approval ?? false,
      deductFee: more.deductFee ?? false,
      reason: null,
    });
  }

  /** An address of the payer. */
  payer(index = 7, coin: Coin = 'LTC'): string {
    return this.shop.world.deps.deriver.address({ coin, mode: 'sandbox', account: 999, branch: 0, index });
  }

  async claim(
    link: RefundLinkView,
    index = 7,
    deps: SendClaimsDeps & ReturnType<LinkWorld['deps']> = this.deps(),
  ) {
    const wish = { token: tokenOf(link), coin: 'LTC' as const, destination: this.payer(index) };
    await claimRefundLink(deps, wish);
  }

  /** Agrees to the claim that the link has now, or to the named one. */
  async approve(link: RefundLinkView, named?: string | null): Promise<RefundLinkView> {
    const claimId = named ?? (await this.linkNow(link)).claimId ?? '';
    return approveLink(this.deps(), {
      approver: { kind: 'user', id: this.shop.world.merchant.userId },
      merchantId: this.shop.world.merchant.id,
      linkId: link.id,
      claimId,
    });
  }

  /** The link as its payer sees it. */
  async page(link: RefundLinkView, deps = this.deps()): Promise<PayerLink> {
    return readPayerLink({ ...deps, now: deps.clock.now() }, tokenOf(link));
  }

  async linkNow({ id, paymentId }: RefundLinkView): Promise<RefundLinkView> {
    const filter = { merchant: this.shop.world.merchant, paymentId, urls: 'all' } as const;
    const { links } = await listLinks(this.deps(), filter, { page: 1, limit: 100 });
    const found = links.find((link) => link.id === id);
    if (found === undefined) throw new Error('the link is gone');
    return found;
  }

  /** A refund to an address, without a link. */
  async refund({ id }: { id: string }, amount?: string) {
    const { merchant } = this.shop.world;
    const asked = { merchant, paymentId: id, destination: this.payer(9), idempotencyKey: null };
    return refundPayment(this.deps(), { ...asked, ...(amount === undefined ? {} : { amount }) });
  }
}

const tokenOf = ({ url }: RefundLinkView): string => (url ?? '').split('/').at(-1) ?? '';
