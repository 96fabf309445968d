import { EgressError } from './egress-error.ts';
import { requirePublicUrl, type SsrfPolicy } from './ssrf-guard.ts';

/**
 * Returns, without network access, the reason why a policy always forbids a URL; null if it may be allowed.
 */
export function urlRule(policy: Pick<SsrfPolicy, 'allowPrivate'>): (url: string) => string | null {
  return (url) => {
    try {
      requirePublicUrl(policy, url);
      return null;
    } catch (error) {
      if (error instanceof EgressError) return error.message;
      throw error;
    }
  };
}
