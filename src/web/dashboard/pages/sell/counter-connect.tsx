import { api } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import type { Counter } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { when } from '../../format/format.ts';
import { Button, CopyLine, Problem } from '../../ui/basics.tsx';
import { Qr } from '../../ui/qr.tsx';

/** The code by which a device is connected once. It is created on request, because it is a secret. */
export function ConnectDevice({ counter }: { counter: Counter }) {
  const connect = useAct(() => api('POST', '/merchant/counter/connect', { body: { counterId: counter.id } }));
  if (connect.data === undefined)
    return (
      <div className="grid gap-4">
        <p className="text-sm">
          {counter.connectedAt === null
            ? t('The code connects one device, once, and is valid for 15 minutes.')
            : t(
                'The code connects one device, once, and is valid for 15 minutes. The present device is disconnected when it is used.',
              )}
        </p>
        {connect.error !== null && <Problem error={connect.error} />}
        <Button look="primary" busy={connect.isPending} onClick={() => connect.mutate()}>
          {t('Show the code')}
        </Button>
      </div>
    );
  const { code, url, expiresAt } = connect.data;
  return (
    <div className="grid gap-4">
      <p className="text-sm">{t('Scan this with the phone, or open the address there and type the code.')}</p>
      <Qr text={url} label={t('QR code that connects a device')} />
      <CopyLine text={code} label={t('code')} />
      <CopyLine text={url.replace(/#.*/, '')} label={t('address')} />
      <p className="text-xs text-soft">
        {t(
          'Valid once, until {expiresAt}. Anyone with this code can charge for your shop, and nothing else.',
          {
            expiresAt: when(expiresAt),
          },
        )}
      </p>
    </div>
  );
}
