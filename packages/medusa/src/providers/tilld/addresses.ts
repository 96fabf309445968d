import type { ConfigModule } from '@medusajs/framework/types';

/** Where the storefront wants the customer of a session, as far as that is its own; null: as the options say. */
export function parseAddresses(
  data: Record<string, unknown> | undefined,
  config: ConfigModule,
): { readonly success_url: string | null; readonly return_url: string | null } {
  const allowed = config.projectConfig.http.storeCors.split(',').map((origin) => origin.trim());
  return { success_url: own(data?.['success_url'], allowed), return_url: own(data?.['return_url'], allowed) };
}

/** Sessions need no login: with a stranger's address, the shop would redirect its customers there. */
function own(url: unknown, allowed: readonly string[]): string | null {
  if (typeof url !== 'string') return null;
  try {
    const { protocol, origin } = new URL(url);
    // A `blob:` URL has the origin of the page that it names, and others have `null`.
    return /^https?:$/.test(protocol) && allowed.includes(origin) ? url : null;
  } catch {
    return null;
  }
}
