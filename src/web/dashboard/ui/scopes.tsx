import type { Scope } from '../contract/types.ts';
import { t } from '../i18n/t.ts';

/** Permissions of each scope, in the owner's words. A scope that is added to the API fails to compile here. */
const WORDS: Readonly<Record<Scope, string>> = {
  'payments:read': t('See payments and what they brought in'),
  'payments:write': t('See and create payments and payment links; change, cancel and accept them'),
  'refunds:write': t('Offer payers their money back by a link; coins leave only once you approve'),
  'customers:read': t('See your customers and their e-mail addresses, those of all your shops'),
  'customers:write': t('See, add, change and erase your customers, those of all your shops'),
  'catalog:read': t('See products and prices, those of all your shops'),
  'catalog:write': t('See, add, change and delete products and prices, those of all your shops'),
  'subscriptions:read': t('See subscriptions and their invoices'),
  'subscriptions:write': t('See, start, change, pause and cancel subscriptions, and give credit'),
  'webhooks:read': t('See which notifications were sent, where to and what they said about payments'),
  'webhooks:write': t(
    'Receive notifications of everything that happens to payments, and read the secret that signs them',
  ),
  'events:read': t('Follow everything that happens to payments'),
  'wallet:read': t('See balances, addresses and transactions of the wallet'),
  'wallet:send': t('Send coins from the wallet to any address'),
};

/** In display order: the scopes that can empty a wallet are last. */
export const SCOPES = Object.keys(WORDS) as Scope[];

/** The scopes that a shop plugin needs. */
export const PLUGIN_SCOPES: readonly Scope[] = [
  'payments:write',
  'refunds:write',
  'customers:write',
  'webhooks:write',
  'events:read',
];

export function scopeWords(scope: Scope): string {
  return WORDS[scope];
}

/** The permissions of a key, one line for each scope; those that move coins are highlighted. */
export function ScopeList({ scopes }: { scopes: readonly Scope[] }) {
  return (
    <ul className="grid gap-2 text-sm">
      {SCOPES.filter((scope) => scopes.includes(scope)).map((scope) => (
        <li key={scope} className="flex gap-2.5">
          <span aria-hidden="true" className={scope === 'wallet:send' ? 'text-stop' : 'text-accent'}>
            {scope === 'wallet:send' ? '!' : '✓'}
          </span>
          <span className={scope === 'wallet:send' ? 'font-semibold text-stop' : ''}>{WORDS[scope]}</span>
        </li>
      ))}
    </ul>
  );
}

/** Warns wherever a key is about to get the scope that can empty a wallet. */
export function SendWarning() {
  return (
    <div className="grid gap-1 rounded-xl border-2 border-stop bg-stop-soft p-4 text-sm text-stop">
      <p className="font-bold">{t('This key can empty your wallet.')}</p>
      <p>
        {t(
          'Anyone with this key can send all funds of the shop to any address, immediately and without confirmation. Sent coins cannot be recovered. A shop plugin does not need this.',
        )}
      </p>
    </div>
  );
}
