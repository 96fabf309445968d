/** Webhook endpoints, deliveries, attempts, logs, and the events cursor. */
export type { AttemptReport, DeliveryAttempts } from './attempts.ts';
export { LongPollWaiters } from './long-poll-waiters.ts';
export { findOwnEndpoint } from './find-own-endpoint.ts';
export { longPollEvents } from './long-poll-events.ts';
export { listDeliveries } from './list-deliveries.ts';
export { type EndpointView, listEndpoints, viewEndpoint } from './list-endpoints.ts';
export { type EventView, listEvents } from './list-events.ts';
export { listWebhookLogs } from './list-webhook-logs.ts';
export { type AttemptRecord, recordAttempts } from './record-attempt.ts';
export { redeliverWebhook } from './redeliver-webhook.ts';
export { redirectDeliveries } from './redirect-deliveries.ts';
export { testWebhook } from './test-webhook.ts';
export {
  createEndpoint,
  editEndpoint,
  endEndpoint,
  type MadeEndpoint,
  removeEndpoint,
  rotateEndpointSecret,
  type WebhookEndpointDeps,
} from './webhook-endpoints.ts';
export { refuseWebhookUrl, type WebhookUrlRule } from './webhook-url-rule.ts';
