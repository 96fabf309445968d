import type { Creator } from '../../domain/actor.ts';
import type { EventType } from '../../domain/events.ts';
import { AppError } from '../../domain/errors.ts';
import type { SecretBox } from '../../domain/keys.ts';
import type { Clock } from '../../domain/ports.ts';
import { creatorColumns } from '../../store/creators.ts';
import type { Db, Tx } from '../../store/sqlite/database.ts';
import { endEndpointDeliveries, redirectEndpointDeliveries } from '../../store/webhooks/deliveries.ts';
import {
  deleteEndpoint,
  findEndpoints,
  forgetHealth,
  insertEndpoint,
  updateEndpoint,
  type StoredEndpoint,
} from '../../store/webhooks/webhook-endpoints.ts';
import { newId, newWebhookSecret } from '../events/index.ts';
import { storeNoResult, type StoreResult } from '../idempotent-result.ts';
import { findOwnEndpoint } from './find-own-endpoint.ts';
import { refuseWebhookUrl, type WebhookUrlRule } from './webhook-url-rule.ts';

export interface WebhookEndpointDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly secretBox: SecretBox;
  readonly webhookUrlRule: WebhookUrlRule;
  /** Called after the commit of a new URL: pending deliveries are sent there at once. */
  readonly wakeWebhooks: () => void;
}

/** Bounds the deliveries of an event, which goes to each endpoint. */
const MAX_ENDPOINTS = 16;
const SECRET_OVERLAP_MS = 24 * 3600 * 1000;

export interface NewEndpoint {
  readonly merchantId: string;
  readonly creator: Creator;
  readonly url: string;
  /** The subscribed event types; null for all. */
  readonly events: readonly EventType[] | null;
  readonly active: boolean;
}

export interface MadeEndpoint {
  readonly endpoint: StoredEndpoint;
  readonly secret: string;
}

/**
 * Adds an endpoint with its own secret.
 * @throws {AppError} VALIDATION_INVALID (url); INVALID_STATE when the merchant has reached the maximum.
 */
export async function createEndpoint(
  deps: WebhookEndpointDeps,
  input: NewEndpoint,
  storeResult: StoreResult<MadeEndpoint> = storeNoResult,
): Promise<MadeEndpoint> {
  refuseWebhookUrl(deps.webhookUrlRule, input.url, 'url');
  const secret = newWebhookSecret();
  const now = deps.clock.now();
  const endpoint: StoredEndpoint = {
    id: newId('whe_'),
    merchantId: input.merchantId,
    url: input.url,
    eventsJson: eventsJson(input.events),
    active: input.active,
    secretSealed: deps.secretBox.seal(secret),
    oldSecretSealed: null,
    oldSecretUntil: null,
    goneAt: null,
    ...creatorColumns(input.creator),
    createdAt: now,
    updatedAt: now,
  };
  await deps.db.transaction(async (tx) => {
    if ((await findEndpoints(tx, input.merchantId)).length >= MAX_ENDPOINTS) {
      const message = `A merchant has ${MAX_ENDPOINTS} webhook endpoints at most: delete one first`;
      throw new AppError('INVALID_STATE', message);
    }
    await insertEndpoint(tx, endpoint);
    await storeResult(tx, { endpoint, secret });
  });
  return { endpoint, secret };
}

export interface EndpointAt {
  readonly merchantId: string;
  readonly endpointId: string;
}

/** Omitted fields stay unchanged. */
export interface EndpointEdit extends EndpointAt {
  readonly editor: Creator;
  readonly url?: string | undefined;
  readonly events?: readonly EventType[] | null | undefined;
  readonly active?: boolean | undefined;
}

/**
 * Edits an endpoint, which also re-enables one that answered 410. A new URL receives the pending deliveries,
 * with their attempts reset; deactivation ends them; another choice of types applies to events from now on.
 * Changing the URL makes its editor the creator: it reads for them, and ends when they are removed.
 * @throws {AppError} ENDPOINT_NOT_FOUND; VALIDATION_INVALID (url); INVALID_STATE for the merchant's own
 * webhookUrl.
 */
export async function editEndpoint(deps: WebhookEndpointDeps, edit: EndpointEdit): Promise<StoredEndpoint> {
  refuseDefault(edit);
  refuseWebhookUrl(deps.webhookUrlRule, edit.url ?? null, 'url');
  const { merchantId, endpointId } = edit;
  const edited = await deps.db.transaction(async (tx) => {
    const before = await findOwnEndpoint(tx, edit);
    const now = deps.clock.now();
    const { url = before.url, active = before.active } = edit;
    if (url !== before.url) {
      await redirectEndpointDeliveries(tx, { merchantId, endpointId, url, now });
      await forgetHealth(tx, endpointId);
    }
    if (!active) {
      await endEndpointDeliveries(tx, { merchantId, endpointId, why: 'the endpoint was deactivated', now });
    }
    return updateEndpoint(tx, endpointId, {
      url,
      ...(url === before.url ? {} : creatorColumns(edit.editor)),
      eventsJson: edit.events === undefined ? before.eventsJson : eventsJson(edit.events),
      active,
      goneAt: null,
      updatedAt: now,
    });
  });
  deps.wakeWebhooks();
  return edited;
}

/**
 * Deletes an endpoint and ends its pending deliveries.
 * @throws {AppError} ENDPOINT_NOT_FOUND; INVALID_STATE for the merchant's own webhookUrl.
 */
export async function removeEndpoint(deps: WebhookEndpointDeps, at: EndpointAt): Promise<void> {
  refuseDefault(at);
  await deps.db.transaction(async (tx) => {
    const { id, merchantId } = await findOwnEndpoint(tx, at);
    await endEndpoint(tx, { merchantId, id, why: 'the endpoint was deleted', now: deps.clock.now() });
  });
}

/** Deletes an endpoint and ends its pending deliveries. @param end.why the reason in the logs */
export async function endEndpoint(
  tx: Tx,
  end: { readonly merchantId: string; readonly id: string; readonly why: string; readonly now: number },
): Promise<void> {
  const { merchantId, id, why, now } = end;
  await endEndpointDeliveries(tx, { merchantId, endpointId: id, why, now });
  await forgetHealth(tx, id);
  await deleteEndpoint(tx, id);
}

/**
 * Replaces the secret of an endpoint; for 24 hours deliveries are signed with the old one as well.
 * @throws {AppError} ENDPOINT_NOT_FOUND
 */
export async function rotateEndpointSecret(
  deps: WebhookEndpointDeps,
  at: EndpointAt,
  storeResult: StoreResult<string> = storeNoResult,
): Promise<string> {
  const secret = newWebhookSecret();
  await deps.db.transaction(async (tx) => {
    const endpoint = await findOwnEndpoint(tx, at);
    const now = deps.clock.now();
    await updateEndpoint(tx, endpoint.id, {
      secretSealed: deps.secretBox.seal(secret),
      oldSecretSealed: endpoint.secretSealed,
      oldSecretUntil: now + SECRET_OVERLAP_MS,
      updatedAt: now,
    });
    await storeResult(tx, secret);
  });
  return secret;
}

function refuseDefault({ merchantId, endpointId }: EndpointAt): void {
  if (endpointId !== merchantId) return;
  throw new AppError(
    'INVALID_STATE',
    'This is the webhookUrl of the merchant: PATCH /merchant/edit changes it',
  );
}

function eventsJson(events: readonly EventType[] | null): string | null {
  return events === null ? null : JSON.stringify([...new Set(events)]);
}
