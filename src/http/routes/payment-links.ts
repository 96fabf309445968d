import { z } from 'zod';
import { LINK_FIELDS, LINK_KINDS } from '../../domain/payment-link.ts';
import type { OpenAmount } from '../../store/schema/payment-links.ts';
import {
  createLink,
  deleteLink,
  editLink,
  type LinkDeps,
  type LinkTerms,
  listSellingLinks,
} from '../../usecases/links/index.ts';
import { merchantMode } from '../../usecases/access/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { fiatAmount, refineFiatAmount } from '../schemas/amounts.ts';
import { pagination } from '../schemas/answers.ts';
import { currency } from '../schemas/codes.ts';
import { settles } from '../schemas/security-marks.ts';
import { removableReturnUrl } from '../schemas/payment-terms.ts';
import { whenObject } from '../schemas/payment-price.ts';
import { booleanQuery, modeQuery, pageQuery } from '../schemas/query.ts';
import { identifier, text } from '../schemas/text.ts';
import { linkFor, listedLinkView, listedLinks, linkView } from './payment-link-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

export interface PaymentLinkRoutesDeps extends LinkDeps {
  /** Public address of this daemon, without a trailing slash. */
  readonly baseUrl: string;
}

const tags = ['Payment links'];
const SUGGESTED_MAX = 6;
const DESCRIPTION_MAX = 1_000;

/** Pages on which anyone pays a shop, without a payment created beforehand. */
export function paymentLinkRoutes(deps: PaymentLinkRoutesDeps): Route[] {
  return [createRoute(deps), editRoute(deps), deleteRoute(deps), listRoute(deps)];
}

const openAmount = () =>
  z.object({
    min: fiatAmount().optional(),
    max: fiatAmount().optional(),
    suggested: z.array(fiatAmount()).max(SUGGESTED_MAX).optional(),
  });

const askedField = z.object({ name: z.enum(LINK_FIELDS), required: z.boolean().default(false) });

const terms = () => ({
  priceId: identifier()
    .optional()
    .meta({ description: 'The current catalog price', example: EXAMPLES.priceId }),
  amount: fiatAmount().optional().meta({ description: 'With currency: the same amount for every customer' }),
  openAmount: openAmount()
    .optional()
    .meta({ description: 'With currency: the payer chooses, within the limits' }),
  currency: currency().optional(),
});

/** The price fields of a link that payers may know already. */
function editedTerms() {
  const { priceId, amount, openAmount: open, currency: code } = terms();
  return {
    priceId: settles(priceId),
    amount: settles(amount),
    openAmount: settles(open),
    currency: settles(code),
  };
}

const settings = {
  description: text({ min: 0, max: DESCRIPTION_MAX })
    .nullable()
    .optional()
    .transform((value) => (value === '' ? null : value))
    .meta({ example: 'Roasted on Mondays' }),
  fields: z
    .array(askedField)
    .max(LINK_FIELDS.length)
    .refine((fields) => new Set(fields.map(({ name }) => name)).size === fields.length, {
      error: 'must name each field once',
    })
    .optional()
    .meta({
      description: 'Additional fields that the page asks for; the answers are in the payment’s `metadata`',
    }),
  successUrl: removableReturnUrl().nullable().optional().meta({
    description: 'Where payers are redirected after payment; placeholders as in payment/create',
    example: EXAMPLES.returnUrl,
  }),
  active: z.boolean().optional(),
};

interface TermsBody {
  readonly priceId?: string | undefined;
  readonly amount?: string | undefined;
  readonly openAmount?: OpenAmount | undefined;
  readonly currency?: string | undefined;
}

/**
 * Exactly one of the three, and the currency that two of them need. @param isNeeded whether one is required
 */
const refineTerms = (isNeeded: boolean) => (body: object, context: z.RefinementCtx) => {
  const has = (field: string): boolean =>
    Object.hasOwn(body, field) && Reflect.get(body, field) !== undefined;
  const problem = (field: string, message: string): void =>
    context.addIssue({ code: 'custom', path: [field], message });
  const [first, ...others] = ['priceId', 'amount', 'openAmount'].filter(has);
  for (const other of others) problem(other, `must not be given together with ${String(first)}`);
  if (first === undefined && has('currency')) problem('currency', 'belongs to amount or openAmount');
  if (first === undefined && isNeeded) problem('amount', 'is required, or priceId, or openAmount');
  if (first === 'priceId' && has('currency')) problem('currency', 'is that of the price');
  if (first !== undefined && first !== 'priceId' && !has('currency')) problem('currency', 'is required');
};

function toTerms({ priceId, amount, openAmount: open, currency: code }: TermsBody): LinkTerms | undefined {
  if (priceId !== undefined) return { kind: 'price', priceId };
  if (code === undefined) return undefined;
  if (amount !== undefined) return { kind: 'amount', amount, currency: code };
  return open === undefined ? undefined : { kind: 'open', openAmount: open, currency: code };
}

function createRoute(deps: PaymentLinkRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/link/create',
    summary: 'Create a payment link',
    description:
      'A hosted page at `url` that creates a payment for each customer: for a price of the catalog, an amount, or ' +
      'one that the payer chooses. With `kind` `pos` it is a keypad for the counter: `openAmount` only.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 201,
    body: z
      .object({
        kind: z.enum(LINK_KINDS).default('link'),
        name: text({ max: 120 }).meta({ example: 'Two pounds of beans' }),
        ...terms(),
        ...settings,
      })
      .superRefine(refineTerms(true), whenObject)
      .superRefine(refineFiatAmount)
      .superRefine(({ kind, openAmount: open }, context) => {
        if (kind === 'link' || open !== undefined) return;
        context.addIssue({ code: 'custom', path: ['openAmount'], message: 'is what the counter is for' });
      }),
    example: {
      body: {
        name: 'Two pounds of beans',
        priceId: 'price_9sXcW2fLk7RmQ0vTzA5nBh3D',
        description: 'Roasted on Mondays',
        fields: [{ name: 'email', required: true }],
        successUrl: 'https://shop.example/thanks',
      },
      otherBodies: {
        'A donation': {
          name: 'Support us',
          openAmount: { min: '2', max: '500', suggested: ['5', '10', '20'] },
          currency: 'EUR',
        },
        'The counter': { kind: 'pos', name: 'Till 1', openAmount: {}, currency: 'EUR' },
      },
    },
    data: linkView,
    errors: ['PRICE_NOT_FOUND'],
    handler: async ({ auth, body, storeAnswer }) => {
      const wanted = toTerms(body);
      if (wanted === undefined) throw new Error('the schema accepted a body without terms');
      const { kind, name, description = null, fields = [], successUrl = null, active = true } = body;
      const { merchant, actor } = auth;
      const input = { merchant, actor, kind, name, description, terms: wanted, fields, successUrl, active };
      const made = await createLink(deps, input, async (tx, row) =>
        storeAnswer(tx, await linkFor({ ...deps, db: tx }, actor, row)),
      );
      return linkFor(deps, actor, made);
    },
  });
}

function editRoute(deps: PaymentLinkRoutesDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/link/edit',
    summary: 'Edit a payment link',
    description:
      'Omitted fields are unchanged; the URL never changes. The price is replaced as a whole. Existing payments ' +
      'keep their amount. An inactive link accepts no payments.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: z
      .object({
        paymentLinkId: identifier().meta({ example: EXAMPLES.paymentLinkId }),
        name: text({ max: 120 }).optional().meta({ example: 'Two pounds of beans' }),
        ...editedTerms(),
        ...settings,
      })
      .superRefine(refineTerms(false), whenObject)
      .superRefine(refineFiatAmount),
    example: { body: { paymentLinkId: 'plink_3Vq8ZtQ1mWc5Rk0vXyLh7NbA', name: 'Beans', active: false } },
    data: linkView,
    errors: ['PAYMENT_LINK_NOT_FOUND', 'PRICE_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      const { paymentLinkId, name, description, fields, successUrl, active } = body;
      const changes = { name, description, fields, successUrl, active, terms: toTerms(body) };
      const given = Object.fromEntries(Object.entries(changes).filter(([, value]) => value !== undefined));
      const link = await editLink(deps, {
        ...given,
        merchant: auth.merchant,
        actor: auth.actor,
        paymentLinkId,
      });
      return linkFor(deps, auth.actor, link);
    },
  });
}

function deleteRoute(deps: PaymentLinkRoutesDeps): Route {
  return defineRoute({
    method: 'DELETE',
    path: '/merchant/link/delete',
    summary: 'Delete a payment link',
    description: 'Its page says that it is closed. Existing payments are unchanged.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    body: z.object({ paymentLinkId: identifier().meta({ example: EXAMPLES.paymentLinkId }) }),
    data: z.object({
      deleted: z.boolean(),
      paymentLinkId: z.string().meta({ example: EXAMPLES.paymentLinkId }),
    }),
    errors: ['PAYMENT_LINK_NOT_FOUND'],
    handler: async ({ auth, body: { paymentLinkId } }) => {
      await deleteLink(deps, { merchant: auth.merchant, actor: auth.actor, paymentLinkId });
      return { deleted: true, paymentLinkId };
    },
  });
}

function listRoute(deps: PaymentLinkRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/link/list',
    summary: 'List payment links',
    description:
      'Links of the merchant, newest first, filtered by `priceId` and `active` if given, with their completed payments ' +
      'in one mode.',
    tags,
    auth: 'merchant',
    scope: 'payments:write',
    status: 200,
    query: z.object({
      priceId: identifier().optional().meta({ example: EXAMPLES.priceId }),
      active: booleanQuery().optional(),
      mode: modeQuery().meta({ description: 'Of `payments`; by default the current one', example: 'live' }),
      ...pageQuery(),
    }),
    data: z.object({ links: z.array(listedLinkView), pagination: pagination() }),
    errors: [],
    handler: async ({ auth, query: { priceId, active, mode: requestedMode, page, limit } }) => {
      const at = { limit, offset: (page - 1) * limit };
      const mode = merchantMode(auth.merchant, requestedMode);
      const filter = { merchantId: auth.merchantId, priceId, active, mode };
      const { links, total } = await listSellingLinks(deps.db, filter, at);
      return { links: await listedLinks(deps, auth.actor, links), pagination: { page, limit, total } };
    },
  });
}
