import { EgressError } from './egress-error.ts';
import { vetUrl, type VettingPolicy } from './vet-target.ts';

/** Tells, without any network, why a URL could never be called under a policy; null when it could. */
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
