import type { ConfigModule } from '@medusajs/framework/types';
import type { TilldOptions } from '../../options';

/** Where the checkout leads to: what the storefront asks for, if that is the storefront's own, else what is configured. */
export function leadsTo(
  data: Record<string, unknown> | undefined,
  options: TilldOptions,
  config: ConfigModule,
): { successUrl?: string; returnUrl?: string } {
  const allowed = config.projectConfig.http.storeCors.split(',').map((origin) => origin.trim());
  const successUrl = own(data?.['success_url'], allowed) ?? options.successUrl;
  const returnUrl = own(data?.['return_url'], allowed) ?? options.returnUrl;
  return {
    ...(successUrl === undefined ? {} : { successUrl }),
    ...(returnUrl === undefined ? {} : { returnUrl }),
  };
}

/** Anybody may open a session: an address of a stranger would make the checkout lead there. */
function own(url: unknown, allowed: readonly string[]): string | undefined {
  if (typeof url !== 'string') return undefined;
  try {
    return allowed.includes(new URL(url).origin) ? url : undefined;
  } catch {
    return undefined;
  }
}
