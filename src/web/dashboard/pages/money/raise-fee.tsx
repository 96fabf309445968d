import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import type { Send } from '../../contract/types.ts';
import { plainAmount } from '../../format/decimal.ts';
import { formatCoins } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Button, Loaded, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { MoneyLines } from '../../ui/money-lines.tsx';
import { telling } from '../../ui/toast.ts';
import { Form } from '../../ui/whole-form.tsx';
import { Recipients } from './recipients.tsx';
import { OWN_WALLET, SendSource } from './send-source.tsx';
import { SignPsbt } from './sign-psbt.tsx';

/** Names of a send in the address of the wallet page, which open this dialog: to raise its fee, or to sign it. */
const RAISE = 'raise';
const SIGN = 'sign';

/**
 * Raises the fee of a send that waits for a block, cancels it, or takes the signatures that it waits for. "Needs you"
 * and the history link to it.
 */
export function RaiseFeeDialog() {
  const [search, change] = useFilters();
  const toSign = search[SIGN];
  const sendId = search[RAISE] ?? toSign;
  const close = (): void => change({ page: search['page'], [RAISE]: undefined, [SIGN]: undefined });
  const title = toSign === undefined ? t('Raise the fee') : t('Sign');
  return (
    <Dialog title={title} open={sendId !== undefined} onClose={close}>
      {sendId !== undefined && <RaiseFee sendId={sendId} onDone={close} />}
    </Dialog>
  );
}

function RaiseFee({ sendId, onDone }: { sendId: string; onDone: () => void }) {
  const merchantId = useShopId();
  const found = useApi('/merchant/wallet/send-status', { merchantId, sendId });
  return (
    <Loaded of={found}>
      {(send) =>
        send.psbt === null ? <Offer send={send} onDone={onDone} /> : <SignPsbt send={send} psbt={send.psbt} />
      }
    </Loaded>
  );
}

function Offer({ send, onDone }: { send: Send; onDone: () => void }) {
  const merchantId = useShopId();
  const { id: sendId, coin } = send;
  const bump = useAct(
    (fees: { feeRate?: string; maxFee?: string }) =>
      api('POST', '/merchant/wallet/send/bump', { query: { merchantId }, body: { sendId, ...fees } }),
    telling(t('The fee is raised'), onDone),
  );
  const cancel = useAct(
    (fees: { maxFee?: string }) =>
      api('POST', '/merchant/wallet/send/cancel', { query: { merchantId }, body: { sendId, ...fees } }),
    telling(t('The send is being cancelled'), onDone),
  );
  const money = (amount: string): string => `${formatCoins(amount)} ${coin}`;
  const isOpen = ['signed', 'broadcast', 'preparing'].includes(send.status) && send.confirmations === 0;
  return (
    <div className="grid gap-4">
      <MoneyLines
        of={[
          [t('Amount'), money(send.amount)],
          [t('Network fee'), money(send.fee)],
          [t('Network fee at most'), money(send.maxFee)],
        ]}
      />
      {send.outputs === null ? (
        <p className="text-sm wrap-anywhere">{t('To {destination}', { destination: send.destination })}</p>
      ) : (
        <Recipients outputs={send.outputs} coin={coin} />
      )}
      <SendSource from={send.from} coin={coin} />
      {send.from !== OWN_WALLET ? (
        <p className="text-sm">
          {t('Only the wallet that has the keys can replace its transaction, such as to raise the fee.')}
        </p>
      ) : coin === 'SOL' ? (
        <p className="text-sm">
          {t('Transactions of this coin expire within minutes and are signed again automatically.')}
        </p>
      ) : isOpen ? (
        <FeeForm
          send={send}
          busy={bump.isPending || cancel.isPending}
          error={bump.error}
          onRaise={bump.mutate}
          onCancel={cancel.mutate}
        />
      ) : (
        <p className="text-sm">{t('This send no longer waits: its fee cannot be changed.')}</p>
      )}
      {cancel.error !== null && <Problem error={cancel.error} />}
    </div>
  );
}

function FeeForm(props: {
  readonly send: Send;
  readonly busy: boolean;
  readonly error: Parameters<typeof Problem>[0]['error'] | null;
  readonly onRaise: (fees: { feeRate?: string; maxFee?: string }) => void;
  readonly onCancel: (fees: { maxFee?: string }) => void;
}) {
  const { send, busy, error, onRaise, onCancel } = props;
  const { coin } = send;
  const unit = coin === 'ETH' ? 'gwei' : 'sat/vB';
  return (
    <>
      <p className="text-sm text-soft">
        {t(
          'A transaction with a higher fee replaces the waiting one. Only one of the two can be confirmed, so the recipient is paid once.',
        )}
      </p>
      <Form
        fields={['feeRate', 'maxFee']}
        submit={t('Raise the fee')}
        busy={busy}
        error={error}
        onSubmit={({ feeRate, maxFee }) =>
          onRaise({
            ...(feeRate === '' ? {} : { feeRate: plainAmount(feeRate) }),
            ...(maxFee === '' ? {} : { maxFee: plainAmount(maxFee) }),
          })
        }
        extra={
          !send.cancelling && (
            <Button look="quiet" disabled={busy} onClick={() => onCancel({})}>
              {t('Cancel the send')}
            </Button>
          )
        }
      >
        <Field
          label={t('Fee rate in {unit}', { unit })}
          name="feeRate"
          inputMode="decimal"
          autoComplete="off"
          hint={t('Left empty: the rate that the network asks for now')}
        />
        <Field
          label={t('Highest total fee in {coin}', { coin })}
          name="maxFee"
          inputMode="decimal"
          autoComplete="off"
          hint={t('Now {amount} {coin}', { amount: formatCoins(send.maxFee), coin })}
        />
      </Form>
    </>
  );
}
