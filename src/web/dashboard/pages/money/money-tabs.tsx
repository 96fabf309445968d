import { Link } from '@tanstack/react-router';
import { useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';

const TABS = [
  { to: '/shop/$shopId/wallet', name: t('Wallet') },
  { to: '/shop/$shopId/treasury', name: t('Treasury') },
  { to: '/shop/$shopId/outputs', name: t('Outputs') },
] as const;

const TAB = 'inline-flex min-h-10 items-center border-b-2 px-1 text-sm font-semibold';

/** The pages of the wallet. */
export function MoneyTabs() {
  const shopId = useShopId();
  return (
    <nav aria-label={t('Pages of the wallet')} className="mb-6 flex gap-5 border-b border-line">
      {TABS.map(({ to, name }) => (
        <Link
          key={to}
          to={to}
          params={{ shopId }}
          className={TAB}
          activeProps={{ className: 'border-accent text-accent' }}
          inactiveProps={{ className: 'border-transparent text-soft hover:text-ink' }}
        >
          {name}
        </Link>
      ))}
    </nav>
  );
}
