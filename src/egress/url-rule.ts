import { EgressError } from './egress-error.ts';
import { vetUrl, type VettingPolicy } from './vet-target.ts';

/**
 * Returns, without network access, the reason why a policy always forbids a URL; null if it may be allowed.
 */
export function urlRule(policy: Pick<VettingPolicy, 'allowPrivate'>): (url: string) => string | null {
  return (url) => {
    try {
      vetUrl(policy, url);
      return null;
    } catch (error) {
      if (error instanceof EgressError) return error.message;
      throw error;
    }
  };
}
