import { Migration } from '@medusajs/framework/mikro-orm/migrations';

const COLUMNS: readonly (readonly [table: string, column: string, type: string])[] = [
  ['tilld_payment', 'success_url', 'text null'],
  ['tilld_payment', 'return_url', 'text null'],
  ['tilld_payment', 'to_erase', 'boolean not null default false'],
  ['tilld_refund', 'deduct_fee', 'boolean not null default false'],
];

/** The way back, erasure, and refunds of both sides. Rows of before lead to the addresses of the options. */
export class Migration20261128000000 extends Migration {
  override async up(): Promise<void> {
    for (const [table, column, type] of COLUMNS)
      this.addSql(`alter table "${table}" add column if not exists "${column}" ${type};`);
  }

  override async down(): Promise<void> {
    for (const [table, column] of COLUMNS)
      this.addSql(`alter table "${table}" drop column if exists "${column}";`);
  }
}
