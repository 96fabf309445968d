import { invalidField } from '../../domain/errors.ts';
import type { MerchantRow } from '../../store/schema/merchants.ts';
import type { WebhookUrlRule } from '../webhooks/index.ts';

/** The merchant's listed origins, as stored. */
export function listedOrigins(merchant: Pick<MerchantRow, 'embedOriginsJson'>): string[] {
  return JSON.parse(merchant.embedOriginsJson) as string[];
}

/** Every origin that may embed this merchant's checkout in a frame: the verified domain and those listed. */
export function allowedEmbedOrigins(
  merchant: Pick<MerchantRow, 'domain' | 'domainVerifiedAt' | 'embedOriginsJson'>,
): string[] {
  const verified = merchant.domainVerifiedAt === null ? [] : [`https://${merchant.domain}`];
  return [...new Set([...verified, ...listedOrigins(merchant)])];
}

/**
 * Loopback origins serve development: they are accepted where loopback webhooks are, too.
 * @throws {AppError} VALIDATION_INVALID naming the origin
 */
export function refuseEmbedOrigins(rule: WebhookUrlRule, origins: readonly string[]): void {
  for (const [index, origin] of origins.entries()) {
    const problem = rule(origin);
    if (problem !== null) throw invalidField(`embedOrigins[${index}]`, problem);
  }
}
