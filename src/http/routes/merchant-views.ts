import { z } from 'zod';
import { formatUnits } from '../../domain/money.ts';
import { roleGrants, ROLES, roleScopes, type Role } from '../../domain/roles.ts';
import { SCOPES } from '../../domain/scopes.ts';
import { LATE_POLICIES } from '../../domain/payment/types.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import { type CreatedMerchant, listedOrigins } from '../../usecases/shops/index.ts';
import { parseBusiness } from '../../store/payments/receipts.ts';
import { logoPath } from '../brand/paths.ts';
import { shownReceiptSettings } from '../schemas/business.ts';
import { isoTime, timestamp } from '../schemas/answers.ts';
import { shownTo, type Reader } from './scoped-views.ts';
import { EXAMPLES } from '../schemas/example-values.ts';

/** Settings of a merchant, and the fields that responses add. */
export const merchantSettings = {
  webhookUrl: z.string().nullable().meta({ example: EXAMPLES.webhookUrl }),
  sandboxMode: z.boolean(),
  paymentLifetimeMinutes: z.int().meta({ example: 60 }),
  tolerancePercent: z.string().meta({ description: 'Decimal string, percent of the price', example: '0.5' }),
  latePayments: z.enum(LATE_POLICIES),
  embedOrigins: z.array(z.string()).meta({
    description: 'Origins that may embed the checkout, in addition to the verified domain',
    example: ['https://shop.example'],
  }),
  currency: z
    .string()
    .meta({ description: 'Reporting currency of the owner; prices may be in any other', examples: ['EUR'] }),
  timeZone: z
    .string()
    .nullable()
    .meta({
      description: 'IANA time zone of the shop’s days; null: not chosen',
      examples: ['Europe/Berlin'],
    }),
  supportContact: z
    .string()
    .nullable()
    .meta({ description: 'Whom payers ask', example: 'help@shop.example' }),
  ...shownReceiptSettings,
  accentColor: z
    .string()
    .nullable()
    .meta({ description: 'Colour of the payers’ pages', examples: ['#0b6e4f'] }),
  logoPath: z.string().nullable().meta({
    description: 'Path of the logo on this server; changes with the logo',
    example: '/brand/logo/x4NcW2fLk7RmQ0vTzA5nBh3D1Hn6Vd0sKq3ZtY8uPbE',
  }),
  renewExpired: z.boolean().meta({ description: 'Payers may reopen an expired payment at the current rate' }),
  invoiceLeadDays: z.int().meta({
    description: 'Days before its period at which the invoice of a subscription is created',
    example: 7,
  }),
  graceDays: z.int().meta({ description: 'Days for which an unpaid subscription stays active', example: 7 }),
  excessToCredit: z
    .boolean()
    .meta({ description: 'Whether the excess of an invoice becomes credit of its subscription' }),
  payerMayAskExcess: z.boolean().meta({
    description: 'Whether the payer of an overpaid order may request the excess on its checkout page',
  }),
  payerMayPause: z
    .boolean()
    .meta({ description: 'Whether payers may pause and resume their subscriptions on their page' }),
  payerMayCancel: z
    .boolean()
    .meta({ description: 'Whether payers may cancel their subscriptions on their page' }),
  mailsSubscribers: z.boolean().meta({ description: 'Whether payers get emails about their subscriptions' }),
  keysSuspended: z.boolean().meta({ description: 'Since a restore, until POST /merchant/keys/confirm' }),
  createdAt: timestamp(),
  updatedAt: timestamp(),
};

export const listedMerchant = z
  .object({
    id: z.string().meta({ example: EXAMPLES.merchantId }),
    name: z.string().meta({ example: EXAMPLES.shopName }),
    description: z.string().nullable().meta({ example: 'Coffee, roasted this week' }),
    domain: z.string().meta({ example: 'shop.example' }),
    isVerified: z.boolean(),
    ...merchantSettings,
    webhookUrl: merchantSettings.webhookUrl
      .optional()
      .meta({ description: 'Absent without the scope `webhooks:read`', example: EXAMPLES.webhookUrl }),
    role: z.enum(ROLES).optional().meta({ description: 'Role of the user at the merchant; absent for keys' }),
    scopes: z
      .array(z.enum(SCOPES))
      .optional()
      .meta({
        description: 'The scopes that the role of the user includes; absent for keys',
        example: ['payments:write', 'webhooks:write'],
      }),
  })
  .meta({ id: 'Merchant' });

function settings(row: MerchantRow) {
  return {
    webhookUrl: row.webhookUrl,
    sandboxMode: row.sandbox,
    keysSuspended: row.suspendedAt !== null,
    paymentLifetimeMinutes: row.paymentLifetimeMinutes,
    tolerancePercent: formatUnits(BigInt(row.toleranceBps), 2),
    latePayments: row.latePolicy,
    embedOrigins: listedOrigins(row),
    currency: row.currency,
    timeZone: row.timeZone,
    supportContact: row.supportContact,
    business: parseBusiness(row.businessJson),
    receiptPrefix: row.receiptPrefix,
    accentColor: row.accentColor,
    logoPath: row.logoHash === null ? null : logoPath(row.logoHash),
    renewExpired: row.renewExpired,
    invoiceLeadDays: row.invoiceLeadDays,
    graceDays: row.graceDays,
    excessToCredit: row.excessToCredit,
    payerMayAskExcess: row.payerMayAskExcess,
    payerMayPause: row.payerMayPause,
    payerMayCancel: row.payerMayCancel,
    mailsSubscribers: row.mailsSubscribers,
    createdAt: isoTime(row.createdAt),
    updatedAt: isoTime(row.updatedAt),
  };
}

/** Response of edit. */
export function toSettings(row: MerchantRow) {
  return { id: row.id, name: row.name, description: row.description, ...settings(row) };
}

/** Response of list to a key: the domain is plain text there (spec: Merchant). */
export function toListed(row: MerchantRow, reader: Reader) {
  const listed = { ...toSettings(row), domain: row.domain, isVerified: row.domainVerifiedAt !== null };
  return shownTo(reader, listed);
}

/** Response of list to a user. */
export function toListedFor(row: MerchantRow, role: Role) {
  const scopes = SCOPES.filter((scope) => roleGrants(role, scope));
  return { ...toListed(row, { scopes: roleScopes(role) }), role, scopes };
}

/** Response of create: the only one that contains keys and wallets. */
export function toCreated({ merchant, keys, wallets }: CreatedMerchant) {
  return {
    ...toSettings(merchant),
    domain: {
      name: merchant.domain,
      isVerified: merchant.domainVerifiedAt !== null,
      verification: merchant.domainToken,
    },
    auth: { public: keys.public, secret: keys.secret },
    wallets,
  };
}
