import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { t } from '../../i18n/t.ts';
import { attentionMoney, attentionTitle } from '../../ui/attention-words.ts';
import { LINK } from '../../ui/basics.tsx';

const LIVE_MS = 15_000;
/** Urgent items are the first of the list. */
const READ = 20;
const SHOWN = 3;

/** Warns on the overview about payments whose money the network took back; nothing if there are none. */
export function ReversedPayments({ merchantId }: { merchantId: string }) {
  const { viewed: mode } = useMode();
  const { data } = useApi('/merchant/attention', { merchantId, mode, limit: READ }, { refetchMs: LIVE_MS });
  const reversed = (data?.items ?? []).filter(({ kind }) => kind === 'payment_reversed');
  if (reversed.length === 0) return null;
  return (
    <div className="mb-6 grid gap-1 rounded-2xl bg-stop-soft p-4 text-sm text-stop">
      <ul className="grid gap-1" aria-label={t('Reversed payments')}>
        {reversed.slice(0, SHOWN).map((item) => (
          <li key={item.id} className="wrap-anywhere">
            {attentionTitle(item)}: {attentionMoney(item, item.amount)}{' '}
            <Link
              to="/shop/$shopId/payments/$paymentId"
              params={{ shopId: merchantId, paymentId: item.id }}
              className={LINK}
            >
              {t('Order {orderId}', { orderId: item.subject.order ?? item.id })}
            </Link>
          </li>
        ))}
      </ul>
      <Link to="/shop/$shopId/attention" params={{ shopId: merchantId }} className={LINK}>
        {t('Decide what to do')}
      </Link>
    </div>
  );
}
