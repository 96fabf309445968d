import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, Loaded } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { CoinReadinessList } from '../home/coin-readiness.tsx';

const LIVE_MS = 3_000;

/** The mode of new payments of the shop: simulated coins or real ones. */
export function ModeSwitch({ shop }: { shop: Shop }) {
  const [asking, setAsking] = useState(false);
  const flip = useAct(
    (sandboxMode: boolean) =>
      api('POST', '/merchant/sandbox', { query: { merchantId: shop.id }, body: { sandboxMode } }),
    () => setAsking(false),
  );
  const { sandboxMode } = shop;
  const dialog = {
    open: asking,
    onClose: () => setAsking(false),
    busy: flip.isPending,
    error: flip.error,
    onConfirm: () => flip.mutate(!sandboxMode),
  };
  return (
    <Card
      title={t('Sandbox')}
      actions={<Badge tone={sandboxMode ? 'busy' : 'good'}>{sandboxMode ? t('On') : t('Off: live')}</Badge>}
    >
      <p className="mb-4 text-sm text-soft">
        {t('In the sandbox every coin is simulated. Payments that exist stay in the mode they were made in.')}
      </p>
      {flip.data !== undefined && (
        <p role="status" lang="en" className="mb-3 text-sm">
          {flip.data.message}.
        </p>
      )}
      <Button
        onClick={() => {
          flip.reset();
          setAsking(true);
        }}
      >
        {sandboxMode ? t('Go live') : t('Go to the sandbox')}
      </Button>
      {sandboxMode ? <GoLive shop={shop} {...dialog} /> : <GoToSandbox {...dialog} />}
    </Card>
  );
}

type DialogProps = Pick<Parameters<typeof Confirm>[0], 'open' | 'onClose' | 'busy' | 'error' | 'onConfirm'>;

function GoLive({ shop, ...dialog }: DialogProps & { shop: Shop }) {
  const setup = useApi(
    '/merchant/setup',
    { merchantId: shop.id },
    { refetchMs: LIVE_MS, enabled: dialog.open },
  );
  const isNoneReady = setup.data?.coins.every(({ state }) => state !== 'ready') === true;
  return (
    <Confirm
      title={t('Go live')}
      action={isNoneReady ? t('Go live without a coin') : t('Go live')}
      {...dialog}
    >
      <p>{t('In live mode new payments of this shop are paid with real money.')}</p>
      <Loaded of={setup}>{({ coins }) => <CoinReadinessList coins={coins} />}</Loaded>
      {isNoneReady && (
        <p role="status" className="rounded-xl bg-warn-soft px-3 py-2 text-warn">
          {t(
            'No coin is ready to take real money yet. Until a node is ready, new payments are refused or stay unconfirmed.',
          )}
        </p>
      )}
      <p className="text-soft">{t('Test payments are kept: “Test” in the menu shows them.')}</p>
    </Confirm>
  );
}

function GoToSandbox(dialog: DialogProps) {
  return (
    <Confirm title={t('Go to the sandbox')} action={t('Take simulated coins')} {...dialog}>
      <p>
        {t(
          'From now on new payments of this shop accept simulated coins only: customers cannot pay real money through them.',
        )}
      </p>
      <p className="text-soft">
        {t(
          'Live payments that are still open are still watched and can be paid. “Live” in the menu shows them.',
        )}
      </p>
    </Confirm>
  );
}
