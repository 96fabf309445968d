import { Migration } from '@medusajs/framework/mikro-orm/migrations';

const TIMES = `"created_at" timestamptz not null default now(),
  "updated_at" timestamptz not null default now(),
  "deleted_at" timestamptz null`;

export class Migration20261101000000 extends Migration {
  override async up(): Promise<void> {
    this.addSql(`create table if not exists "tilld_connection" (
  "id" text not null primary key,
  "base_url" text null,
  "merchant_id" text null,
  "sealed_key" text null,
  "endpoint_id" text null,
  "sealed_webhook_secret" text null,
  "cursor" text not null default '0',
  "request_state" text null,
  "sealed_verifier" text null,
  "request_expires_at" timestamptz null,
  ${TIMES});`);
    this.addSql(`create table if not exists "tilld_payment" (
  "id" text not null primary key,
  "session_id" text not null,
  "cart_id" text null,
  "order_id" text null,
  "amount" text not null,
  "currency" text not null,
  "checkout_url" text not null,
  "state" text not null default 'waiting',
  "exception" text null,
  "captured" boolean not null default false,
  "pending_look" boolean not null default false,
  ${TIMES});`);
    for (const column of ['session_id', 'order_id', 'cart_id']) {
      this.addSql(
        `create index if not exists "IDX_tilld_payment_${column}" on "tilld_payment" ("${column}") where deleted_at is null;`,
      );
    }
    this.addSql(`create table if not exists "tilld_note" (
  "id" text not null primary key,
  "payment_id" text not null,
  "key" text not null,
  "code" text not null,
  "values" jsonb not null,
  ${TIMES});`);
    this.addSql(
      `create unique index if not exists "IDX_tilld_note_payment_id_key_unique" on "tilld_note" ("payment_id", "key") where deleted_at is null;`,
    );
    this.addSql(`create table if not exists "tilld_refund" (
  "id" text not null primary key,
  "payment_id" text not null,
  "link_id" text not null,
  "sealed_url" text not null,
  "amount" text not null,
  "currency" text not null,
  "status" text not null,
  "attempt" integer not null default 1,
  ${TIMES});`);
    this.addSql(
      `create index if not exists "IDX_tilld_refund_payment_id" on "tilld_refund" ("payment_id") where deleted_at is null;`,
    );
  }

  override async down(): Promise<void> {
    for (const table of ['tilld_refund', 'tilld_note', 'tilld_payment', 'tilld_connection']) {
      this.addSql(`drop table if exists "${table}" cascade;`);
    }
  }
}
