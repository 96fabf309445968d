import { Link } from '@tanstack/react-router';
import { useApi, useShop, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useMode } from '../../api/mode.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Card, CoinName, Empty, LINK, LINK_PRIMARY, PageTitle, Loaded } from '../../ui/basics.tsx';
import { PaymentTable } from '../../ui/payment-table.tsx';
import { CoinAmount, Total, usePrices, Worth } from '../../ui/fiat-value.tsx';
import { ReversedPayments } from './reversed-payments.tsx';
import { FailingEndpoints } from './failing-endpoints.tsx';
import { SetupChecklist } from './setup-checklist.tsx';
import { VolumeCard } from './volume.tsx';

const LIVE_MS = 10_000;

export function OverviewPage() {
  const merchantId = useShopId();
  const shop = useShop();
  const { viewed: mode } = useMode();
  const may = usePermission();
  // Known only once the shops are loaded: data that the user may not read is not requested.
  const seesWallet = shop !== undefined && may('wallet:read');
  const recent = useApi('/payment/list', { merchantId, mode, limit: 6 }, { refetchMs: LIVE_MS });
  return (
    <>
      <PageTitle
        title={shop?.name ?? t('Home')}
        lead={shop?.domain}
        actions={
          shop !== undefined && (
            <>
              {(shop.isVerified || may('owner')) && (
                <DomainBadge shopId={shop.id} isVerified={shop.isVerified} />
              )}
              {may('payments:write') && (
                <Link
                  to="/shop/$shopId/links"
                  params={{ shopId: shop.id }}
                  search={{ create: 'link' }}
                  className={LINK_PRIMARY}
                >
                  {t('New payment link')}
                </Link>
              )}
            </>
          )
        }
      />
      {shop !== undefined && may('payments:read') && <ReversedPayments merchantId={merchantId} />}
      {shop !== undefined && may('owner') && <SetupChecklist key={shop.id} shop={shop} />}
      {shop !== undefined && may('webhooks:read') && <FailingEndpoints merchantId={merchantId} />}
      {seesWallet && <Balances mode={mode} />}
      <VolumeCard merchantId={merchantId} />
      <Card
        title={t('Latest payments')}
        className="mt-6"
        actions={
          <Link to="/shop/$shopId/payments" params={{ shopId: merchantId }} className={`text-sm ${LINK}`}>
            {t('All payments')}
          </Link>
        }
      >
        <Loaded of={recent}>
          {({ payments }) =>
            payments.length === 0 ? (
              <Empty title={t('No payment yet')}>
                {t('Create one with your public key, or from the Payments page.')}
              </Empty>
            ) : (
              <PaymentTable payments={payments} />
            )
          }
        </Loaded>
      </Card>
    </>
  );
}

function Balances({ mode }: { mode: ReturnType<typeof useMode>['viewed'] }) {
  const merchantId = useShopId();
  const prices = usePrices();
  const balances = useApi('/merchant/wallet/balances', { merchantId, mode }, { refetchMs: LIVE_MS });
  return (
    <Loaded of={balances} rows={1}>
      {(data) => (
        <>
          <p className="mb-3 text-sm text-soft">
            <Total balances={data} prices={prices} />
          </p>
          <dl className="mb-6 grid grid-cols-2 gap-3 lg:grid-cols-4">
            {COINS.map((coin) => (
              <div key={coin} className="rounded-2xl border border-line bg-card p-4">
                <dt className="text-sm">
                  <CoinName coin={coin} />
                </dt>
                <dd className="money mt-2 text-lg font-bold tracking-tight break-all sm:text-xl">
                  <CoinAmount amount={data[coin]} />
                </dd>
                <dd className="money text-sm text-soft">
                  <Worth amount={data[coin]} coin={coin} prices={prices} />
                </dd>
              </div>
            ))}
          </dl>
        </>
      )}
    </Loaded>
  );
}

function DomainBadge({ shopId, isVerified }: { shopId: string; isVerified: boolean }) {
  if (isVerified) return <Badge tone="good">{t('Domain verified')}</Badge>;
  return (
    <>
      <Badge tone="warn">{t('Domain not verified')}</Badge>
      <Link to="/shop/$shopId/settings" params={{ shopId }} className={`text-sm ${LINK}`}>
        {t('Verify it')}
      </Link>
    </>
  );
}
