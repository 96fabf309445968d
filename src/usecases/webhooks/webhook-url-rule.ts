import { invalidField } from '../../domain/errors.ts';

/** Why this configuration rejects deliveries to a URL, in words; null when it does not. No network access. */
export type WebhookUrlRule = (url: string) => string | null;

/**
 * @throws {AppError} VALIDATION_INVALID naming the field, so that a shop learns it at once and not from a
 * missing webhook.
 */
export function refuseWebhookUrl(rule: WebhookUrlRule, url: string | null, field = 'webhookUrl'): void {
  const problem = url === null || url === '' ? null : rule(url);
  if (problem !== null) throw invalidField(field, problem);
}
