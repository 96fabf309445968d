import { sql, type Kysely } from 'kysely';

const NOW = `CAST(unixepoch('subsec') * 1000 AS INTEGER)`;

function record(kind: string, subject: string): string {
  return `INSERT INTO revocations (id, kind, subject, at) VALUES (lower(hex(randomblob(8))), '${kind}', ${subject}, ${NOW});`;
}

/**
 * Deleted webhook endpoints and rotated webhook secrets are revocations, too, whatever statement did it. Fills in nothing:
 * what was deleted or rotated before is not in the database any more.
 */
const STATEMENTS = [
  `CREATE TRIGGER webhook_endpoints_deleted AFTER DELETE ON webhook_endpoints
    BEGIN ${record('endpoint', 'OLD.id')} END`,
  `CREATE TRIGGER webhook_endpoint_secrets_rotated AFTER UPDATE OF secret_sealed ON webhook_endpoints
    WHEN NEW.secret_sealed <> OLD.secret_sealed BEGIN ${record('endpoint-secret', 'OLD.id')} END`,
  `CREATE TRIGGER webhook_urls_removed AFTER UPDATE OF webhook_url ON merchants
    WHEN OLD.webhook_url IS NOT NULL AND NEW.webhook_url IS NULL BEGIN ${record('webhook-url', 'OLD.id')} END`,
  `CREATE TRIGGER webhook_secrets_rotated AFTER UPDATE OF webhook_secret_sealed ON merchants
    WHEN NEW.webhook_secret_sealed <> OLD.webhook_secret_sealed BEGIN ${record('webhook-secret', 'OLD.id')} END`,
];

export async function up(db: Kysely<unknown>): Promise<void> {
  for (const statement of STATEMENTS) await sql.raw(statement).execute(db);
}
