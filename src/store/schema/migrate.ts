import { sql, type Kysely } from 'kysely';
import { Migrator, type Migration } from 'kysely/migration';
import * as baseline from './migrations/0100-baseline.ts';
import * as reversedPayments from './migrations/0107-reversed-payments.ts';
import * as attention from './migrations/0114-attention.ts';
import * as walletFreezes from './migrations/0116-wallet-freezes.ts';
import * as subscriptions from './migrations/0117-subscriptions.ts';
import * as compressedEvents from './migrations/0119-compressed-events.ts';
import * as walletLimits from './migrations/0120-wallet-limits.ts';
import * as subscriptionEvents from './migrations/0121-subscription-events.ts';
import * as excessRequests from './migrations/0122-excess-requests.ts';
import * as subscriptionPortal from './migrations/0123-subscription-portal.ts';
import * as sendApprovals from './migrations/0124-send-approvals.ts';
import * as limitConfirmations from './migrations/0125-limit-confirmations.ts';
import * as invoiceProblems from './migrations/0126-invoice-problems.ts';
import * as smallerWebhookRows from './migrations/0127-smaller-webhook-rows.ts';
import * as moneyAfterRefund from './migrations/0128-money-after-refund.ts';
import * as walletForwards from './migrations/0129-wallet-forwards.ts';
import * as paymentNotes from './migrations/0130-payment-notes.ts';
import * as subscriptionMails from './migrations/0131-subscription-mails.ts';
import * as shorterAddressIndex from './migrations/0132-shorter-address-index.ts';
import * as receipts from './migrations/0133-receipts.ts';
import * as paymentsByLink from './migrations/0134-payments-by-link.ts';
import * as sendOutputs from './migrations/0137-send-outputs.ts';
import * as subscriptionCancelledBy from './migrations/0139-subscription-cancelled-by.ts';
import * as counters from './migrations/0140-counters.ts';
import * as watchAccounts from './migrations/0141-watch-accounts.ts';
import * as sendFeeTerms from './migrations/0144-send-fee-terms.ts';
import * as sendPsbts from './migrations/0145-send-psbts.ts';
import * as walletLabels from './migrations/0146-wallet-labels.ts';
import * as watchLists from './migrations/0147-watch-lists.ts';
import * as sendPsbtInputs from './migrations/0149-send-psbt-inputs.ts';
import * as sendSources from './migrations/0150-send-sources.ts';
import * as listedChainTime from './migrations/0151-listed-chain-time.ts';
import * as addressTips from './migrations/0154-address-tips.ts';
import * as proration from './migrations/0155-proration.ts';
import { readSchema } from './read-schema.ts';

export type Migrations = Readonly<Record<string, Migration>>;

/** Every migration since 0.1.0, in order. Neither the names nor the effects of released ones ever change. */
export const MIGRATIONS: Migrations = {
  '0100-baseline': baseline,
  '0107-reversed-payments': reversedPayments,
  '0114-attention': attention,
  '0116-wallet-freezes': walletFreezes,
  '0117-subscriptions': subscriptions,
  '0119-compressed-events': compressedEvents,
  '0120-wallet-limits': walletLimits,
  '0121-subscription-events': subscriptionEvents,
  '0122-excess-requests': excessRequests,
  '0123-subscription-portal': subscriptionPortal,
  '0124-send-approvals': sendApprovals,
  '0125-limit-confirmations': limitConfirmations,
  '0126-invoice-problems': invoiceProblems,
  '0127-smaller-webhook-rows': smallerWebhookRows,
  '0128-money-after-refund': moneyAfterRefund,
  '0129-wallet-forwards': walletForwards,
  '0130-payment-notes': paymentNotes,
  '0131-subscription-mails': subscriptionMails,
  '0132-shorter-address-index': shorterAddressIndex,
  '0133-receipts': receipts,
  '0134-payments-by-link': paymentsByLink,
  '0137-send-outputs': sendOutputs,
  '0139-subscription-cancelled-by': subscriptionCancelledBy,
  '0140-counters': counters,
  '0141-watch-accounts': watchAccounts,
  '0144-send-fee-terms': sendFeeTerms,
  '0145-send-psbts': sendPsbts,
  '0146-wallet-labels': walletLabels,
  '0147-watch-lists': watchLists,
  '0149-send-psbt-inputs': sendPsbtInputs,
  '0150-send-sources': sendSources,
  '0151-listed-chain-time': listedChainTime,
  '0154-address-tips': addressTips,
  '0155-proration': proration,
};

/** Names of migrations before 0.1.0 sort before this. */
const [BASELINE = ''] = Object.keys(MIGRATIONS);

/** Database type of migrations: their initial schema is unknown to this version. */
type Migrating = Kysely<object>;

export interface MigrationPlan {
  readonly migrations: Migrations;
  /** Number of migrations already applied; 0: a new database. */
  readonly applied: number;
  /** Names of the missing ones, in order. */
  readonly pending: readonly string[];
}

/**
 * Reads the schema state of a database, and chooses its upgrade: the whole schema for a new one, the missing
 * migrations for others.
 * @param migrations replacement for tests
 * @throws when it was written by a newer version of tilld.
 */
export async function planMigrations(db: Migrating, migrations?: Migrations): Promise<MigrationPlan> {
  const applied = await appliedMigrations(db);
  const known = migrations ?? (await chooseMigrations(applied));
  const unknown = applied.filter((name) => !(name in known));
  if (unknown.length > 0) {
    throw new Error(
      `the database was written by a newer tilld (it knows ${unknown.join(', ')}): upgrade this program`,
    );
  }
  const pending = Object.keys(known).filter((name) => !applied.includes(name));
  return { migrations: known, applied: applied.length, pending: pending.toSorted() };
}

/**
 * Brings the schema up to date in one transaction: all missing migrations or none.
 * @throws when a migration fails.
 */
export async function migrate(db: Migrating, { migrations }: MigrationPlan): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...migrations }) } });
  const { error } = await migrator.migrateToLatest();
  if (error === undefined) return;
  const why = error instanceof Error ? `: ${error.message}` : '';
  throw new Error(`migrating the database failed${why}`, { cause: error });
}

/** Every migration from the first one on, for databases made before 0.1.0. Loaded only when needed. */
export async function allMigrations(): Promise<Migrations> {
  const { PRE_RELEASE } = await import('./pre-release/migrations.ts');
  return { ...PRE_RELEASE, ...MIGRATIONS };
}

async function chooseMigrations(applied: readonly string[]): Promise<Migrations> {
  if (applied.length === 0) return newDatabase();
  return applied.some((name) => name < BASELINE) ? allMigrations() : MIGRATIONS;
}

/** Creates the whole schema at once: it includes the effect of the migrations, which count as applied. */
function newDatabase(): Migrations {
  const isIncluded: Migration = { up: async () => undefined };
  const names = Object.keys(MIGRATIONS);
  return {
    ...Object.fromEntries(names.map((name) => [name, isIncluded])),
    [BASELINE]: {
      up: async (db) => {
        for (const statement of readSchema()) await sql.raw(statement).execute(db);
      },
    },
  };
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
