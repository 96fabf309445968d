import { z } from 'zod';
import type { SecretBox } from '../../../domain/keys.ts';
import { listAudit, type AuditFilter } from '../../../store/audit-log.ts';
import type { AuditRow } from '../../../store/schema/people.ts';
import type { Db } from '../../../store/sqlite/database.ts';
import { findOwnMerchant } from '../../access/index.ts';

export interface AuditEntry {
  readonly id: number;
  readonly at: number;
  readonly actor: { readonly kind: AuditRow['actorKind']; readonly id: string; readonly name: string };
  readonly action: string;
  readonly objectId: string | null;
  readonly address: string;
  readonly userAgent: string;
  readonly result: string | null;
}

const sealedClient = z.object({ address: z.string(), userAgent: z.string() });

/**
 * The audit log, newest first: of a shop for its owner, or of a user's account.
 * @throws {AppError} MERCHANT_NOT_FOUND; FORBIDDEN for users other than the owner of the shop.
 */
export async function readAudit(
  { db, secretBox }: { readonly db: Db; readonly secretBox: SecretBox },
  query: Omit<AuditFilter, 'of'> & { readonly userId: string; readonly merchantId?: string },
): Promise<AuditEntry[]> {
  const { userId, merchantId, ...filter } = query;
  const of =
    merchantId === undefined
      ? { userId }
      : { merchantId: (await findOwnMerchant(db, userId, merchantId)).id };
  const rows = await listAudit(db, { ...filter, of });
  return rows.map((row) => ({
    id: row.id,
    at: row.at,
    actor: { kind: row.actorKind, id: row.actorId, name: row.actorName },
    action: row.action,
    objectId: row.objectId,
    ...sealedClient.parse(JSON.parse(secretBox.open(row.clientSealed))),
    result: row.result,
  }));
}
