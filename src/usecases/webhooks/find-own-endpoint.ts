import { AppError } from '../../domain/errors.ts';
import type { Db } from '../../store/sqlite/database.ts';
import { findEndpoint, type StoredEndpoint } from '../../store/webhooks/webhook-endpoints.ts';

/** @throws {AppError} ENDPOINT_NOT_FOUND, also for an endpoint of another merchant. */
export async function findOwnEndpoint(
  db: Db,
  of: { readonly merchantId: string; readonly endpointId: string },
): Promise<StoredEndpoint> {
  const endpoint = await findEndpoint(db, of.endpointId);
  if (endpoint?.merchantId === of.merchantId) return endpoint;
  throw new AppError('ENDPOINT_NOT_FOUND', 'No such webhook endpoint');
}
