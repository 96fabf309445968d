import { AppError } from '../../domain/errors.ts';
import type { Payer } from '../customers/index.ts';
import { createPayment, type CreatePaymentDeps, type PriceChoice } from '../payments/index.ts';
import { validateLinkForm, type Answers, type LinkFormProblems } from './validate-link-form.ts';
import { newSlug } from './create-link.ts';
import type { LinkView } from './read-link.ts';

/** Long enough to avoid collisions within a shop, and short enough to be read aloud. */
const ORDER_LENGTH = 10;

export type PaidLink = { readonly paymentId: string } | { readonly problems: LinkFormProblems };

/**
 * Creates the payment of a payer who submits a link's page, or returns the problems of the answers.
 * @throws {AppError} RATE_UNAVAILABLE, COIN_UNAVAILABLE, PRODUCT_NOT_FOUND and PRICE_NOT_FOUND when the price
 * was just deleted
 */
export async function payLink(
  deps: CreatePaymentDeps,
  link: LinkView,
  answers: Answers,
  locale: string,
): Promise<PaidLink> {
  const problems = validateLinkForm(link, answers);
  if (Object.keys(problems).length > 0) return { problems };
  const { currency } = link;
  const price: PriceChoice = link.fixed?.choice ?? { kind: 'amount', amount: answers.amount ?? '', currency };
  const fields = link.fields.map(({ name }) => [name, answers[name]] as const);
  const given = Object.fromEntries(fields.filter(([, value]) => value !== ''));
  const payer: Payer =
    given['email'] === undefined
      ? { kind: 'anonymous' }
      : { kind: 'email', email: given['email'], metadata: {} };
  const orderId = `L-${newSlug(ORDER_LENGTH).toUpperCase()}`;
  try {
    const { payment } = await createPayment(deps, {
      merchant: link.merchant,
      actor: { kind: 'link', id: link.id, role: null },
      price,
      payer,
      orderId,
      orderLabel: null,
      metadata: { paymentLinkId: link.id, ...given },
      customFields: null,
      webhookUrl: null,
      successUrl: link.successUrl,
      returnUrl: `${deps.baseUrl}/${link.kind === 'pos' ? 'pos' : 'l'}/${link.slug}`,
      locale,
      description: link.name,
      lines: [],
      lifetimeMinutes: null,
      confirmations: {},
      allowedCryptos: [],
      isPublic: true,
      requestHash: orderId,
      linkId: link.id,
      counterId: null,
      tip: null,
    });
    return { paymentId: payment.id };
  } catch (error) {
    const blamed =
      error instanceof AppError && error.code === 'VALIDATION_INVALID' ? error.details[0]?.field : null;
    // Below the minimum of every coin.
    if (blamed === 'amount' && link.fixed === null) return { problems: { amount: 'tooSmall' } };
    throw error;
  }
}
