import { api } from '../../api/client.ts';
import { useAct, useShop, useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';
import { Button, PageTitle, Problem } from '../../ui/basics.tsx';
import { isFine } from './webhook-attempt.tsx';
import { WebhookDeliveries } from './webhook-deliveries.tsx';
import { WebhookEndpoints } from './webhook-endpoints.tsx';

export function WebhooksPage() {
  const merchantId = useShopId();
  const shop = useShop();
  const test = useAct(() => api('POST', '/merchant/webhook/test', { body: {}, query: { merchantId } }));
  return (
    <>
      <PageTitle
        title={t('Webhooks')}
        lead={shop?.webhookUrl ?? t('No webhook URL is set: see the settings.')}
        actions={
          <Button
            look="primary"
            busy={test.isPending}
            disabled={(shop?.webhookUrl ?? null) === null}
            onClick={() => test.mutate()}
          >
            {t('Send a test')}
          </Button>
        }
      />
      {test.error !== null && <Problem error={test.error} />}
      {test.data !== undefined && <TestOutcome {...test.data} />}
      <WebhookEndpoints merchantId={merchantId} />
      <WebhookDeliveries merchantId={merchantId} />
    </>
  );
}

function TestOutcome({ status, error }: { status: number; error: string | null }) {
  return (
    <p role="status" className={`mb-4 text-sm font-medium ${isFine(status) ? 'text-accent' : 'text-stop'}`}>
      {isFine(status)
        ? t('The test arrived: your endpoint answered {status}.', { status })
        : status === 0
          ? t('The test did not arrive: {error}.', { error: error ?? t('no answer came') })
          : t('The test arrived, and your endpoint answered {status}: see the delivery below.', { status })}
    </p>
  );
}
