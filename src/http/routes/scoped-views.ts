import { grants, type Scope } from '../../domain/scopes.ts';

/** Whoever reads an answer. */
export interface Reader {
  readonly scopes: ReadonlySet<Scope>;
}

/** Whether a reader may see where webhooks go: such an address often carries a secret. */
export function seesWebhookAddresses({ scopes }: Reader): boolean {
  return grants(scopes, 'webhooks:read');
}

/** A view of a shop or a payment without what its reader may not see. */
export function shownTo<V extends { readonly webhookUrl: string | null }>(
  reader: Reader,
  view: V,
): Omit<V, 'webhookUrl'> & { readonly webhookUrl?: string | null } {
  if (seesWebhookAddresses(reader)) return view;
  const { webhookUrl: _, ...shown } = view;
  return shown;
}
