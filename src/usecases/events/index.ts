/** Events and their webhook deliveries, written in the transaction of the change that they report. */
export { emitEvent, type EmitEventDeps, type Target } from './emit-event.ts';
export { newId, newTimedId, newUuid, newWebhookSecret, randomBase62 } from './new-id.ts';
