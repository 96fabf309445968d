import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useShopId } from '../../api/hooks.ts';
import type { Mode } from '../../api/mode.ts';
import type { Coin, Send } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, CopyLine } from '../../ui/basics.tsx';
import { ChainLink } from '../../ui/chain-link.tsx';
import { formatCoins } from '../../format/format.ts';
import { usePrices } from '../../ui/fiat-value.tsx';
import { ConfirmMoney, type SendOrder, useMoneySteps } from './money-steps.tsx';
import { OrderForm } from './order-form.tsx';
import { OWN_WALLET, SourceChoice, useWatchedSources } from './send-source.tsx';
import { SignPsbt } from './sign-psbt.tsx';

/** Three steps: the order, a preview of its costs, and the result. */
export function SendForm(props: { coin: Coin; mode: Mode; balance: string; onClose: () => void }) {
  const { coin, mode, balance, onClose } = props;
  const merchantId = useShopId();
  const steps = useMoneySteps<Send, SendOrder>(
    { path: '/merchant/wallet/send', mode },
    (order, idempotencyKey) =>
      api('POST', '/merchant/wallet/send', {
        query: { merchantId },
        body: { ...order, mode },
        idempotencyKey,
      }),
  );
  const prices = usePrices();
  const accounts = useWatchedSources(coin);
  const [chosen, setChosen] = useState<string | null>(null);
  const from = chosen ?? accounts.find(({ active }) => active)?.id ?? OWN_WALLET;
  const account = accounts.find(({ id }) => id === from);
  const rate = prices.rates?.[coin]?.rate;
  const { placed, estimate } = steps;
  if (placed.data !== undefined) return <Sent send={placed.data} coin={coin} onClose={onClose} />;
  if (steps.preview !== null) {
    const price = rate === undefined ? undefined : { rate, currency: prices.currency };
    const label = account === undefined ? t('Send now') : t('Create the transaction to sign');
    return <ConfirmMoney steps={steps} label={label} look="primary" price={price} />;
  }
  return (
    <div className="grid gap-4">
      {accounts.length > 0 && <SourceChoice accounts={accounts} from={from} onChoose={setChosen} />}
      <OrderForm
        key={account === undefined ? OWN_WALLET : 'watched'}
        coin={coin}
        mode={mode}
        balance={account?.balance ?? balance}
        isWatched={account !== undefined}
        order={steps.last}
        busy={estimate.isPending}
        error={estimate.error}
        onOrder={(order) => steps.look(accounts.length === 0 ? order : { ...order, from })}
      />
    </div>
  );
}

function sentText(status: Send['status'], sent: { readonly amount: string; readonly coin: Coin }): string {
  if (status === 'preparing') return t('{amount} {coin} are being prepared', sent);
  if (status === 'awaiting_signature') return t('{amount} {coin} wait for a signature', sent);
  if (status === 'pending_approval') return t('{amount} {coin} wait for an approval', sent);
  if (status === 'queued')
    return t('{amount} {coin} will be sent as soon as your earlier sends have arrived', sent);
  if (status === 'signed') return t('{amount} {coin} will be offered to the network again', sent);
  return t('{amount} {coin} are on their way', sent);
}

function Sent({ send, coin, onClose }: { send: Send; coin: Coin; onClose: () => void }) {
  const sent = { amount: formatCoins(send.amount), coin };
  return (
    <div className="grid grid-cols-1 gap-4">
      <p role="status" className="font-semibold">
        {sentText(send.status, sent)}
      </p>
      {send.status === 'pending_approval' ? (
        <p>{t('This send exceeds a limit. It is broadcast after an approval, and expires without one.')}</p>
      ) : send.psbt !== null ? (
        <SignPsbt send={send} psbt={send.psbt} />
      ) : send.txHash === null ? (
        <p>
          {t(
            'The money lies in very many received payments. Other transactions gather them first; the payment goes out once these are confirmed.',
          )}
        </p>
      ) : (
        <CopyLine text={send.txHash} label={t('transaction id')}>
          <ChainLink kind="tx" coin={coin} text={send.txHash} sandbox={send.sandbox}>
            {send.txHash}
          </ChainLink>
        </CopyLine>
      )}
      <div>
        <Button look="primary" onClick={onClose}>
          {t('Done')}
        </Button>
      </div>
    </div>
  );
}
