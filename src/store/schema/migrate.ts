import type { Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import * as foundation from './migrations/0001-foundation.ts';
import * as chainGaps from './migrations/0002-chain-gaps.ts';
import * as awaitedAccounts from './migrations/0003-awaited-accounts.ts';
import * as paymentMemory from './migrations/0005-payment-memory.ts';
import * as sends from './migrations/0006-sends.ts';
import * as customerCounts from './migrations/0008-customer-counts.ts';
import * as deliveriesByEndpoint from './migrations/0009-deliveries-by-endpoint.ts';
import * as volumeTotals from './migrations/0010-volume-totals.ts';
import * as gapReasons from './migrations/0011-gap-reasons.ts';
import * as displacedSends from './migrations/0012-displaced-sends.ts';
import * as conflictHeights from './migrations/0013-conflict-heights.ts';
import * as restrictedKeys from './migrations/0014-restricted-keys.ts';
import * as paymentTerms from './migrations/0015-payment-terms.ts';
import * as refundLinks from './migrations/0016-refund-links.ts';
import * as paymentLinks from './migrations/0019-payment-links.ts';
import * as movements from './migrations/0020-movements.ts';
import * as webhookEndpoints from './migrations/0017-webhook-endpoints.ts';
import * as fiatAtReceipt from './migrations/0018-fiat-at-receipt.ts';
import * as refundClaims from './migrations/0021-refund-claims.ts';
import * as addressesByText from './migrations/0022-addresses-by-text.ts';
import * as sessions from './migrations/0023-sessions.ts';
import * as shopCurrency from './migrations/0024-shop-currency.ts';
import * as sandboxEvents from './migrations/0025-sandbox-events.ts';
import * as passkeys from './migrations/0026-passkeys.ts';
import * as people from './migrations/0027-people.ts';
import * as notices from './migrations/0028-notices.ts';
import * as branding from './migrations/0029-branding.ts';
import * as lookAhead from './migrations/0030-look-ahead.ts';
import * as renewals from './migrations/0031-renewals.ts';
import * as receiptMails from './migrations/0032-receipt-mails.ts';
import * as listedDeliveries from './migrations/0033-listed-deliveries.ts';
import * as revocations from './migrations/0048-revocations.ts';
import * as sharedFeeBudgets from './migrations/0054-shared-fee-budgets.ts';
import * as revokedWebhooks from './migrations/0057-revoked-webhooks.ts';
import * as unfundedSends from './migrations/0056-unfunded-sends.ts';
import * as balance from './migrations/0034-balance.ts';
import * as paymentGroups from './migrations/0036-payment-groups.ts';
import * as feeBudgets from './migrations/0038-fee-budgets.ts';
import * as preparingSends from './migrations/0040-preparing-sends.ts';
import * as sendQueue from './migrations/0042-send-queue.ts';
import * as unreadTransactions from './migrations/0044-unread-transactions.ts';
import * as closedBooks from './migrations/0046-closed-books.ts';
import * as unpricedRefunds from './migrations/0050-unpriced-refunds.ts';
import * as mailRecipients from './migrations/0060-mail-recipients.ts';
import * as creators from './migrations/0062-creators.ts';
import * as productShops from './migrations/0063-product-shops.ts';
import * as acceptedRefunds from './migrations/0064-accepted-refunds.ts';
import * as orderLabels from './migrations/0065-order-labels.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** Every migration ever released, in order. Names never change. */
export const MIGRATIONS: Migrations = {
  '0001-foundation': foundation,
  '0002-chain-gaps': chainGaps,
  '0003-awaited-accounts': awaitedAccounts,
  '0005-payment-memory': paymentMemory,
  '0006-sends': sends,
  '0008-customer-counts': customerCounts,
  '0009-deliveries-by-endpoint': deliveriesByEndpoint,
  '0010-volume-totals': volumeTotals,
  '0011-gap-reasons': gapReasons,
  '0012-displaced-sends': displacedSends,
  '0013-conflict-heights': conflictHeights,
  '0014-restricted-keys': restrictedKeys,
  '0015-payment-terms': paymentTerms,
  '0016-refund-links': refundLinks,
  '0019-payment-links': paymentLinks,
  '0017-webhook-endpoints': webhookEndpoints,
  '0018-fiat-at-receipt': fiatAtReceipt,
  '0020-movements': movements,
  '0021-refund-claims': refundClaims,
  '0022-addresses-by-text': addressesByText,
  '0023-sessions': sessions,
  '0024-shop-currency': shopCurrency,
  '0025-sandbox-events': sandboxEvents,
  '0026-passkeys': passkeys,
  '0027-people': people,
  '0028-notices': notices,
  '0029-branding': branding,
  '0030-look-ahead': lookAhead,
  '0031-renewals': renewals,
  '0032-receipt-mails': receiptMails,
  '0033-listed-deliveries': listedDeliveries,
  '0034-balance': balance,
  '0036-payment-groups': paymentGroups,
  '0038-fee-budgets': feeBudgets,
  '0040-preparing-sends': preparingSends,
  '0042-send-queue': sendQueue,
  '0044-unread-transactions': unreadTransactions,
  '0046-closed-books': closedBooks,
  '0048-revocations': revocations,
  '0050-unpriced-refunds': unpricedRefunds,
  '0054-shared-fee-budgets': sharedFeeBudgets,
  '0056-unfunded-sends': unfundedSends,
  '0057-revoked-webhooks': revokedWebhooks,
  '0060-mail-recipients': mailRecipients,
  '0062-creators': creators,
  '0063-product-shops': productShops,
  '0064-accepted-refunds': acceptedRefunds,
  '0065-order-labels': orderLabels,
};

/** Database type of migrations: their initial schema is not one that this version knows. */
type Migrating = Kysely<object>;

/**
 * Brings the schema up to date in one transaction: all missing migrations or none.
 * @throws when a migration fails.
 */
export async function migrate(db: Migrating, migrations: Migrations = MIGRATIONS): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const why = error instanceof Error ? `: ${error.message}` : '';
  throw new Error(`could not migrate the database${why}`, { cause: error });
}

/**
 * Number of applied migrations, and the missing ones in order.
 * @throws when it was written by a newer version of tilld.
 */
export async function pendingMigrations(
  db: Migrating,
  migrations: Migrations,
): Promise<{ applied: number; pending: string[] }> {
  const applied = await appliedMigrations(db);
  const unknown = applied.filter((name) => !(name in migrations));
  if (unknown.length > 0) {
    throw new Error(
      `the database was written by a newer tilld (it knows ${unknown.join(', ')}): upgrade this program`,
    );
  }
  const pending = Object.keys(migrations).filter((name) => !applied.includes(name));
  return { applied: applied.length, pending: pending.toSorted() };
}

async function appliedMigrations(db: Migrating): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  return rows.map((row) => row.name);
}
