import { Link } from '@tanstack/react-router';
import { useApi } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { plural, t } from '../../i18n/t.ts';
import { LINK } from '../../ui/basics.tsx';
import { when } from '../../format/format.ts';

const LIVE_MS = 15_000;

/** Warns on the overview about failing webhook endpoints; nothing if all succeed. */
export function FailingEndpoints({ merchantId }: { merchantId: string }) {
  const { data } = useApi('/merchant/webhook/endpoint/list', { merchantId }, { refetchMs: LIVE_MS });
  const failing = (data?.endpoints ?? []).filter(
    ({ active, health }) => active && (health.gone || health.failuresInARow > 0),
  );
  if (failing.length === 0) return null;
  return (
    <ul className="mb-6 grid gap-1 rounded-2xl bg-stop-soft p-4 text-sm text-stop" aria-label={t('Webhooks')}>
      {failing.map(({ id, url, health: { gone, failuresInARow, lastSuccessAt } }) => (
        <li key={id} className="wrap-anywhere">
          {gone
            ? t('{url} answered 410: no webhook goes there any more.', { url })
            : plural(
                failuresInARow,
                'The last delivery attempt to {url} failed.',
                'The last {count} delivery attempts to {url} failed.',
                { url },
              )}{' '}
          {lastSuccessAt !== null && t('Last success: {time}.', { time: when(lastSuccessAt) })}{' '}
          <DeliveriesLink merchantId={merchantId} endpointId={id} />
        </li>
      ))}
    </ul>
  );
}

/** Links to the failed deliveries if there are any, else to the pending ones. */
function DeliveriesLink({ merchantId, endpointId }: { merchantId: string; endpointId: string }) {
  const { viewed: mode } = useMode();
  const query = { merchantId, endpointId, mode, state: 'failed', limit: 1 } as const;
  const { data } = useApi('/merchant/webhook/deliveries', query, { refetchMs: LIVE_MS });
  const state = (data?.pagination.total ?? 0) > 0 ? 'failed' : 'pending';
  return (
    <Link
      to="/shop/$shopId/webhooks"
      params={{ shopId: merchantId }}
      search={{ endpointId, state }}
      className={LINK}
    >
      {t('See the deliveries')}
    </Link>
  );
}
