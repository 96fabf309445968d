import { z } from 'zod';
import type { CoinReadiness } from '../../domain/coin-readiness.ts';
import { parseUnits } from '../../domain/money.ts';
import { LATE_POLICIES } from '../../domain/payment/types.ts';
import {
  type CreatedMerchant,
  createMerchant,
  type CreateMerchantDeps,
  editMerchant,
  type EditMerchantDeps,
  listShops,
  switchSandbox,
  type SwitchSandboxDeps,
} from '../../usecases/shops/index.ts';
import { defineRoute, type Route } from '../server/route.ts';
import { perCoin } from '../schemas/answers.ts';
import { receiptSettings } from '../schemas/business.ts';
import { accentColor, logo, supportContact } from '../schemas/branding.ts';
import { currency } from '../schemas/codes.ts';
import { directs, secret, settles } from '../schemas/security-marks.ts';
import { ianaZone } from '../schemas/query.ts';
import { domainName, httpUrl, identifier, text, webOrigin } from '../schemas/text.ts';
import {
  listedMerchant,
  merchantSettings,
  toCreated,
  toListed,
  toListedFor,
  toSettings,
} from './merchant-views.ts';
import { EXAMPLE_ADDRESSES, EXAMPLES } from '../schemas/example-values.ts';

export type MerchantRoutesDeps = CreateMerchantDeps & EditMerchantDeps & SwitchSandboxDeps;

const LIFETIME_MINUTES = { min: 5, max: 1440 };
const EMBED_ORIGINS_MAX = 10;
const LEAD_DAYS_MAX = 60;
const GRACE_DAYS_MAX = 90;
const TOLERANCE_MAX_BPS = 500n;
const TOLERANCE_RULE = 'must be a percentage from 0 to 5 with at most two decimals';
const tags = ['Merchants'];

/** Merchants, their settings and their sandbox switch. */
export function merchantRoutes(deps: MerchantRoutesDeps): Route[] {
  return [createRoute(deps), listRoute(deps), editRoute(deps), sandboxRoute(deps)];
}

const createdAnswer = (made: CreatedMerchant) => ({ merchant: toCreated(made) });

function createRoute(deps: MerchantRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/create',
    summary: 'Create a merchant',
    description:
      'Returns both API keys; the secret key is shown only once. `wallets` are the addresses of the mode the ' +
      'merchant starts in: sandbox when this server has no live node, else live. INVALID_STATE where the account ' +
      'has as many as this server allows.',
    tags,
    auth: 'jwt',
    scope: 'never',
    body: z.object({
      name: text().meta({ example: EXAMPLES.shopName }),
      domain: directs(domainName()),
      description: clearable(text({ min: 0 })).meta({ example: 'Coffee, roasted this week' }),
    }),
    data: z.object({
      merchant: z.object({
        id: z.string().meta({ example: EXAMPLES.merchantId }),
        name: z.string().meta({ example: EXAMPLES.shopName }),
        description: z.string().nullable().meta({ example: 'Coffee, roasted this week' }),
        domain: z.object({
          name: z.string().meta({ example: 'shop.example' }),
          isVerified: z.boolean(),
          verification: z.string().meta({ example: EXAMPLES.verificationToken }),
        }),
        auth: z.object({
          public: z.string().meta({ example: EXAMPLES.publicKey }),
          secret: secret(z.string()).meta({ example: EXAMPLES.secretKey }),
        }),
        wallets: perCoin('Wallet address of each coin', EXAMPLE_ADDRESSES),
        ...merchantSettings,
      }),
    }),
    status: 201,
    errors: ['DUPLICATE_ENTRY', 'INVALID_STATE'],
    handler: async ({ auth, body, storeAnswer }) => {
      const { name, domain, description = null } = body;
      const input = { userId: auth.userId, name, domain, description };
      return createdAnswer(
        await createMerchant(deps, input, (tx, made) => storeAnswer(tx, createdAnswer(made))),
      );
    },
  });
}

function listRoute(deps: MerchantRoutesDeps): Route {
  return defineRoute({
    method: 'GET',
    path: '/merchant/list',
    summary: 'List merchants',
    description:
      'All merchants of the account, newest first, then those of other accounts that the user works for; with a ' +
      'key only its own.',
    tags,
    auth: 'account',
    scope: 'any',
    data: z.object({ merchants: z.array(listedMerchant) }),
    status: 200,
    errors: [],
    handler: async ({ auth }) => {
      const shops = await listShops(deps.db, auth);
      return {
        merchants: shops.map(({ merchant, role }) =>
          auth.via === 'jwt' ? toListedFor(merchant, role) : toListed(merchant, auth),
        ),
      };
    },
  });
}

const merchantChange = z.object({
  merchantId: identifier().meta({ example: EXAMPLES.merchantId }),
  name: text().optional().meta({ example: EXAMPLES.shopName }),
  description: clearable(text({ min: 0 })).meta({ example: 'Coffee, roasted this week' }),
  webhookUrl: directs(clearable(httpUrl({ empty: true }))).meta({ example: EXAMPLES.webhookUrl }),
  paymentLifetimeMinutes: z
    .int()
    .min(LIFETIME_MINUTES.min)
    .max(LIFETIME_MINUTES.max)
    .optional()
    .meta({ example: 60 }),
  tolerancePercent: settles(tolerance()).optional().meta({ example: '0.5' }),
  latePayments: settles(z.enum(LATE_POLICIES)).optional(),
  currency: currency()
    .optional()
    .meta({ description: 'Your reporting currency, such as for the totals of the dashboard' }),
  timeZone: clearable(ianaZone({ empty: true })).meta({
    description: 'IANA time zone of the days in the dashboard; null or an empty text: that of the browser',
  }),
  supportContact: directs(clearable(supportContact())).meta({
    description: 'Contact for payers: an email address or an https URL, shown on the payment pages',
  }),
  ...receiptSettings(),
  accentColor: accentColor()
    .nullable()
    .optional()
    .meta({
      description:
        'Colour of the payment pages, darkened (in dark mode lightened) until text is readable on it; null: the ' +
        'default',
    }),
  logo: logo().nullable().optional().meta({
    description: 'PNG, JPEG or WebP in base64, at most 64 KiB; null removes it',
    example: EXAMPLES.logo,
  }),
  renewExpired: renewExpired(),
  invoiceLeadDays: z.int().min(0).max(LEAD_DAYS_MAX).optional().meta({
    description: 'Days before its period at which the invoice of a subscription is created',
    example: 7,
  }),
  graceDays: z
    .int()
    .min(0)
    .max(GRACE_DAYS_MAX)
    .optional()
    .meta({ description: 'Days for which an unpaid subscription stays active', example: 7 }),
  excessToCredit: z
    .boolean()
    .optional()
    .meta({ description: 'Whether the excess of an invoice becomes credit of its subscription' }),
  payerMayAskExcess: z
    .boolean()
    .optional()
    .meta({
      description:
        'Whether the payer of an overpaid order may request the excess on its checkout page; each request waits for your approval. ' +
        'On by default',
    }),
  payerMayPause: z
    .boolean()
    .optional()
    .meta({ description: 'Whether payers may pause and resume their subscriptions on their page' }),
  payerMayCancel: z
    .boolean()
    .optional()
    .meta({ description: 'Whether payers may cancel their subscriptions on their page' }),
  mailsSubscribers: z
    .boolean()
    .optional()
    .meta({ description: 'Whether payers get emails about their subscriptions. On by default' }),
  embedOrigins: directs(z.array(webOrigin()))
    .max(EMBED_ORIGINS_MAX)
    .transform((origins) => [...new Set(origins)])
    .optional()
    .meta({
      description:
        'Origins, in addition to the verified domain, that may embed the checkout (see `/pay.js`). Replaces the ' +
        'whole list. Loopback addresses, also by http, only where this server allows private webhooks',
      example: ['https://shop.example'],
    }),
});

function editRoute(deps: MerchantRoutesDeps): Route {
  return defineRoute({
    method: 'PATCH',
    path: '/merchant/edit',
    summary: 'Edit a merchant',
    description:
      'Omitted fields are unchanged; an empty text or null clears description and webhookUrl. Payment settings ' +
      'apply to payments created afterwards.',
    tags,
    auth: 'account',
    scope: 'never',
    body: merchantChange,
    data: z.object({
      merchant: z.object({
        id: z.string().meta({ example: EXAMPLES.merchantId }),
        name: z.string().meta({ example: EXAMPLES.shopName }),
        description: z.string().nullable().meta({ example: 'Coffee, roasted this week' }),
        ...merchantSettings,
      }),
    }),
    status: 200,
    errors: ['MERCHANT_NOT_FOUND'],
    handler: async ({ auth, body }) => {
      const { tolerancePercent: toleranceBps, latePayments: latePolicy, ...rest } = body;
      const input = { ...rest, userId: auth.userId, toleranceBps, latePolicy };
      return { merchant: toSettings(await editMerchant(deps, input)) };
    },
  });
}

function sandboxRoute(deps: MerchantRoutesDeps): Route {
  return defineRoute({
    method: 'POST',
    path: '/merchant/sandbox',
    summary: 'Switch the sandbox on or off',
    description:
      'In the sandbox every coin is simulated. Existing payments keep their mode and are watched in both. It ' +
      'always switches: `message` names the coins that are not ready for real money, and why. While this server ' +
      'has no node for any allowed coin, live payments are refused with COIN_UNAVAILABLE.',
    tags,
    auth: 'merchant',
    scope: 'never',
    body: z.object({ sandboxMode: settles(z.boolean()) }),
    data: z.object({
      sandboxMode: z.boolean(),
      message: z.string().meta({ example: 'Sandbox mode enabled: new payments accept simulated coins' }),
    }),
    status: 200,
    errors: [],
    handler: async ({ auth, body }) => {
      const { sandboxMode, coins } = await switchSandbox(deps, { merchant: auth.merchant, ...body });
      return { sandboxMode, message: sandboxMessage(sandboxMode, coins) };
    },
  });
}

function sandboxMessage(on: boolean, coins: readonly CoinReadiness[]): string {
  if (on) return 'Sandbox mode enabled: new payments accept simulated coins';
  const ready = coins.filter(({ state }) => state === 'ready').map(({ coin }) => coin);
  const others = coins.filter(({ state }) => state !== 'ready');
  const known = ready.length === 0 ? 'No coin is ready' : `Ready: ${ready.join(', ')}`;
  const missing = others.map(({ coin, message }) => `${coin} (${message})`).join(', ');
  const suffix = others.length === 0 ? '' : `. Not ready: ${missing}`;
  return `Live mode enabled: new payments are paid with real money. ${known}${suffix}`;
}

/** An optional text; null or an empty string clears it. */
function clearable<T extends z.ZodType<string>>(schema: T) {
  return schema
    .nullable()
    .optional()
    .transform((value) => (value === '' ? null : value));
}

/** 0 to 5 percent, at most two decimals, as a decimal string or a number; output in basis points. */
function tolerance() {
  return z.union([z.string().trim(), z.number()], { error: TOLERANCE_RULE }).transform((value, context) => {
    const written = String(value);
    const bps = /^\d(\.\d{1,2})?$/.test(written) ? parseUnits(written, 2) : null;
    if (bps !== null && bps <= TOLERANCE_MAX_BPS) return Number(bps);
    const message = 'must be a percentage from 0 to 5 with at most two decimals';
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

function renewExpired() {
  return z
    .boolean()
    .optional()
    .meta({
      description:
        'Payers may reopen an expired payment at the current rate: for shops that do not cancel an order for good at ' +
        '`payment.expired`. The new payment has the same orderId, and `renews` names the expired one',
    });
}
