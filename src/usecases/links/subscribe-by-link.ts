import { openInvoices } from '../../store/subscriptions/invoices.ts';
import { createSubscription, type SubscriptionDeps } from '../subscriptions/index.ts';
import type { PaidLink } from './pay-link.ts';
import type { LinkView } from './read-link.ts';
import { validateLinkForm, type Answers } from './validate-link-form.ts';

/**
 * Starts the subscription of a payer who submits the page of a link with a recurring price, and returns the payment
 * of its first invoice, or the problems of the answers. The same address and price again return the same
 * subscription until it was paid once.
 * @throws {AppError} RATE_UNAVAILABLE, COIN_UNAVAILABLE, PRODUCT_NOT_FOUND and PRICE_NOT_FOUND when the price
 * was just deleted
 */
export async function subscribeByLink(
  deps: SubscriptionDeps,
  link: LinkView & { readonly recurring: { readonly priceId: string } },
  answers: Answers,
  locale: string,
): Promise<PaidLink> {
  const problems = validateLinkForm(link, answers);
  if (Object.keys(problems).length > 0) return { problems };
  const others = link.fields.filter(({ name }) => name !== 'email');
  const given = others.map(({ name }) => [name, answers[name]] as const).filter(([, value]) => value !== '');
  const { id } = await createSubscription(deps, {
    merchant: link.merchant,
    actor: { kind: 'link', id: link.id, role: null },
    payer: { kind: 'email', email: answers.email, metadata: {} },
    priceId: link.recurring.priceId,
    quantity: 1,
    trialDays: 0,
    startAt: null,
    metadata: { paymentLinkId: link.id, ...Object.fromEntries(given) },
    locale,
    successUrl: link.successUrl,
    returnUrl: `${deps.baseUrl}/l/${link.slug}`,
    allowedCryptos: [],
    reusesUnpaid: true,
  });
  const [first] = await openInvoices(deps.db, id);
  if (first?.paymentId === undefined || first.paymentId === null)
    throw new Error(`subscription ${id} has no open invoice with a payment`);
  return { paymentId: first.paymentId };
}
