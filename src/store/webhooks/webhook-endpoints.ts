import { sql, type Selectable } from 'kysely';
import { STORED_TRUE } from '../sqlite/column-names.ts';
import type { EventType } from '../../domain/events.ts';
import { prepared, preparedList, type ParamOf } from '../sqlite/prepared.ts';
import type { EndpointHealthRow, WebhookEndpointRow } from '../schema/webhooks.ts';
import type { Db, Tx } from '../sqlite/database.ts';
import type { SealedWebhookSecrets } from './webhook-targets.ts';

export type StoredEndpoint = Selectable<WebhookEndpointRow>;
export type EndpointHealth = Selectable<EndpointHealthRow>;

export async function insertEndpoint(tx: Tx, row: StoredEndpoint): Promise<void> {
  await tx.insertInto('webhook_endpoints').values(row).execute();
}

/** All endpoints of a merchant besides its own webhookUrl, oldest first. */
export async function findEndpoints(db: Db, merchantId: string): Promise<StoredEndpoint[]> {
  return db
    .selectFrom('webhook_endpoints')
    .selectAll()
    .where('merchantId', '=', merchantId)
    .orderBy('createdAt')
    .orderBy('id')
    .execute();
}

export async function findEndpoint(db: Db, id: string): Promise<StoredEndpoint | undefined> {
  return db.selectFrom('webhook_endpoints').selectAll().where('id', '=', id).executeTakeFirst();
}

export async function updateEndpoint(
  tx: Tx,
  id: string,
  changes: Partial<Omit<StoredEndpoint, 'id' | 'merchantId'>> & { updatedAt: number },
): Promise<StoredEndpoint> {
  return tx
    .updateTable('webhook_endpoints')
    .set(changes)
    .where('id', '=', id)
    .returningAll()
    .executeTakeFirstOrThrow();
}

export async function deleteEndpoint(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('webhook_endpoints').where('id', '=', id).execute();
}

/** A destination of events besides the merchant's own webhookUrl. */
export type EndpointTarget = Pick<StoredEndpoint, 'id' | 'url'>;

/** The active endpoints of a merchant that are subscribed to a type. */
export async function endpointsTaking(
  tx: Tx,
  merchantId: string,
  type: EventType,
): Promise<readonly EndpointTarget[]> {
  const open = await openEndpoints(tx, { merchantId });
  return open.filter(({ eventsJson: json }) => json === null || subscribedEvents(json).includes(type));
}

const openEndpoints = prepared((db, param: ParamOf<{ merchantId: string }>) =>
  db
    .selectFrom('webhook_endpoints')
    .select(['id', 'url', 'eventsJson'])
    .where('merchantId', '=', param('merchantId'))
    .where('active', '=', STORED_TRUE)
    .where('goneAt', 'is', null)
    .orderBy('createdAt')
    .orderBy('id'),
);

/** The types of events_json. */
export function subscribedEvents(json: string): EventType[] {
  return JSON.parse(json) as EventType[];
}

/** Whether an endpoint receives deliveries: it is active and has not answered 410. */
export function isOpen(endpoint: Pick<StoredEndpoint, 'active' | 'goneAt'>): boolean {
  return endpoint.active && endpoint.goneAt === null;
}

/** The signing secrets of those endpoints that receive deliveries, sealed, as of a time. */
export async function findEndpointSecrets(
  db: Db,
  ids: readonly string[],
  now: number,
): Promise<ReadonlyMap<string, SealedWebhookSecrets>> {
  const rows = await selectSecrets(db, {}, ids);
  return new Map(
    rows.filter(isOpen).map((row) => {
      const previous = (row.oldSecretUntil ?? 0) > now ? row.oldSecretSealed : null;
      return [row.id, { current: row.secretSealed, previous }];
    }),
  );
}

const selectSecrets = preparedList((db, _slot: ParamOf<object>, ids) =>
  db
    .selectFrom('webhook_endpoints')
    .select(['id', 'secretSealed', 'oldSecretSealed', 'oldSecretUntil', 'active', 'goneAt'])
    .where('id', 'in', ids),
);

/** Results of the attempts at these endpoints, by endpoint. */
export async function endpointHealth(
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, EndpointHealth>> {
  const rows = await db.selectFrom('endpoint_health').selectAll().where('endpointId', 'in', ids).execute();
  return new Map(rows.map((row) => [row.endpointId, row]));
}

/** Combined attempts at one endpoint. */
export interface HealthChange {
  readonly endpointId: string;
  /** Time of the last success among them; null without one. */
  readonly successAt: number | null;
  /** Failures after that success, or all. */
  readonly failures: number;
  readonly failureAt: number | null;
  /** Error of the last attempt. */
  readonly error: string | null;
}

export async function recordHealth(tx: Tx, change: HealthChange): Promise<void> {
  await changeHealth(tx, change);
}

const changeHealth = prepared((db, param: ParamOf<HealthChange>) =>
  db
    .insertInto('endpoint_health')
    .values({
      endpointId: param('endpointId'),
      lastSuccessAt: param('successAt'),
      lastFailureAt: param('failureAt'),
      lastError: param('error'),
      failures: param('failures'),
    })
    .onConflict((conflict) =>
      conflict.column('endpointId').doUpdateSet({
        lastSuccessAt: sql`coalesce(excluded.last_success_at, last_success_at)`,
        lastFailureAt: sql`coalesce(excluded.last_failure_at, last_failure_at)`,
        lastError: sql`excluded.last_error`,
        failures: sql`excluded.failures + iif(excluded.last_success_at IS NULL, failures, 0)`,
      }),
    )
    .returning('endpointId'),
);

/** Deletes the results of attempts, because those at another URL say nothing about this one. */
export async function forgetHealth(tx: Tx, endpointId: string): Promise<void> {
  await tx.deleteFrom('endpoint_health').where('endpointId', '=', endpointId).execute();
}
