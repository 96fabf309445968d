import { invalidField } from '../../domain/errors.ts';

/** Why deliveries to a URL would be refused in this configuration, in words; null when they would not. No network. */
export type WebhookUrlRule = (url: string) => string | null;

/** @throws {AppError} VALIDATION_INVALID naming `webhookUrl`, so that a shop learns it at once and not from a missing webhook. */
export function refuseWebhookUrl(rule: WebhookUrlRule, url: string | null): void {
  const problem = url === null || url === '' ? null : rule(url);
  if (problem !== null) throw invalidField('webhookUrl', problem);
}
