import { useState } from 'react';
import type { Data } from '../../contract/contract.ts';
import { useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useMode, type Mode } from '../../api/mode.ts';
import type { Coin } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Button, CoinName, CopyLine, PageTitle, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Qr } from '../../ui/qr.tsx';
import { CoinAmount, Total, usePrices, Worth } from '../../ui/fiat-value.tsx';
import { MoneyTabs } from './money-tabs.tsx';
import { RaiseFeeDialog } from './raise-fee.tsx';
import { SendForm } from './send.tsx';
import { Approvals } from './wallet-approvals.tsx';
import { ForwardButton } from './wallet-forward.tsx';
import { WatchButton } from './wallet-watch.tsx';
import { FreezeButton, FrozenNote } from './wallet-freeze.tsx';
import { History } from './wallet-history.tsx';
import { LimitsButton } from './wallet-limits.tsx';

/** A send uses the wallet that was shown when it was started, even if the shop's mode changes meanwhile. */
type Open = { kind: 'send'; coin: Coin; mode: Mode } | { kind: 'receive'; coin: Coin } | null;

/** Settings of the whole wallet. */
function WalletActions() {
  return (
    <>
      <LimitsButton />
      <ForwardButton />
      <WatchButton />
      <FreezeButton />
    </>
  );
}

export function WalletPage() {
  const merchantId = useShopId();
  const [open, setOpen] = useState<Open>(null);
  const { viewed: mode, isOther } = useMode();
  const balances = useApi('/merchant/wallet/balances', { merchantId, mode }, { refetchMs: 5_000 });
  const may = usePermission();
  const addresses = useApi('/merchant/wallet/addresses', { merchantId, mode });
  return (
    <>
      <PageTitle
        title={t('Wallet')}
        lead={t('Available balance: what one send could spend now, confirmed money only.')}
        actions={<WalletActions />}
      />
      <MoneyTabs />
      <FrozenNote />
      <Approvals />
      <Loaded of={balances} rows={2}>
        {(data) => (
          <Balances
            balances={data}
            sendsFrom={isOther || !may('wallet:send') ? undefined : mode}
            onOpen={setOpen}
          />
        )}
      </Loaded>
      <History merchantId={merchantId} />
      <RaiseFeeDialog />
      <Dialog
        title={
          open?.kind === 'receive'
            ? t('Receive {coin}', { coin: open.coin })
            : t('Send {coin}', { coin: open?.coin ?? '' })
        }
        open={open !== null}
        onClose={() => setOpen(null)}
      >
        {open?.kind === 'send' && (
          <SendForm
            coin={open.coin}
            mode={open.mode}
            balance={balances.data?.[open.coin] ?? '0'}
            onClose={() => setOpen(null)}
          />
        )}
        {open?.kind === 'receive' && (
          <Loaded of={addresses}>
            {(data) => (
              <div className="grid gap-4">
                <Qr text={data[open.coin]} label={t('QR code of your {coin} address', { coin: open.coin })} />
                <CopyLine text={data[open.coin]} label={t('address')} />
                <p className="text-sm text-soft">
                  {t('Your own address, to fill the wallet. Each payment gets a new address.')}
                </p>
              </div>
            )}
          </Loaded>
        )}
      </Dialog>
    </>
  );
}

function Balances(props: {
  readonly balances: Data<'GET', '/merchant/wallet/balances'>;
  /** Undefined if the user may not send. */
  readonly sendsFrom: Mode | undefined;
  readonly onOpen: (open: Open) => void;
}) {
  const { balances, sendsFrom: mode, onOpen } = props;
  const prices = usePrices();
  return (
    <>
      <p className="mb-3 text-sm text-soft">
        <Total balances={balances} prices={prices} />
      </p>
      <ul className="mb-6 grid grid-cols-1 gap-3 sm:grid-cols-2 xl:grid-cols-4">
        {COINS.map((coin) => (
          <li
            key={coin}
            className="flex flex-wrap items-center justify-between gap-3 rounded-2xl border border-line bg-card p-4 sm:grid"
          >
            <span className="grid min-w-0 gap-1 sm:gap-3">
              <CoinName coin={coin} />
              <b className="money text-lg tracking-tight break-all sm:text-xl">
                <CoinAmount amount={balances[coin]} />
              </b>
              <span className="money text-sm wrap-anywhere text-soft">
                <Worth amount={balances[coin]} coin={coin} prices={prices} />
              </span>
            </span>
            <span className="flex shrink-0 gap-2">
              {mode !== undefined && (
                <Button
                  className="flex-1"
                  look="primary"
                  aria-label={t('Send {coin}', { coin })}
                  onClick={() => onOpen({ kind: 'send', coin, mode })}
                >
                  {t('Send')}
                </Button>
              )}
              <Button
                className="flex-1"
                aria-label={t('Receive {coin}', { coin })}
                onClick={() => onOpen({ kind: 'receive', coin })}
              >
                {t('Receive')}
              </Button>
            </span>
          </li>
        ))}
      </ul>
    </>
  );
}
