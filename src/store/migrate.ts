import { Migrator, type Migration } from 'kysely/migration';
import * as foundation from './migrations/0001-foundation.ts';
import type { Db } from './database.ts';

/** Every migration ever released, in order. Names never change. */
const MIGRATIONS: Readonly<Record<string, Migration>> = {
  '0001-foundation': foundation,
};

/**
 * Brings the schema up to date, one transaction per migration.
 * @throws when a migration fails or the database was written by a newer version of tilld.
 */
export async function migrate(db: Db): Promise<void> {
  const migrator = new Migrator({ db, provider: { getMigrations: async () => ({ ...MIGRATIONS }) } });
  const unknown = await newerMigrations(db);
  if (unknown.length > 0) {
    throw new Error(
      `the database was written by a newer tilld (it knows ${unknown.join(', ')}): upgrade this program`,
    );
  }
  const { error } = await migrator.migrateToLatest();
  if (error !== undefined) throw new Error('could not migrate the database', { cause: error });
}

async function newerMigrations(db: Db): Promise<string[]> {
  const tables = await db.introspection.getTables({ withInternalKyselyTables: true });
  if (!tables.some((table) => table.name === 'kysely_migration')) return [];
  const rows = await db
    .withTables<{ kysely_migration: { name: string } }>()
    .selectFrom('kysely_migration')
    .select('name')
    .execute();
  return rows.map((row) => row.name).filter((name) => !(name in MIGRATIONS));
}
