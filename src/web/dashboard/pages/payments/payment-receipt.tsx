import { api } from '../../api/client.ts';
import type { Data } from '../../contract/contract.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Payment } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Card, LINK, Problem } from '../../ui/basics.tsx';

type Mail = NonNullable<Data<'GET', '/payment/receipt'>['mail']>;

const LIVE_MS = 5_000;

/** The receipt of a paid payment: opens it, and emails it to the customer if possible. */
export function PaymentReceipt({ payment }: { payment: Payment }) {
  const merchantId = useShopId();
  const may = usePermission();
  const isPaid = payment.status === 'completed' || payment.status === 'refunded';
  const at = { merchantId, paymentId: payment.id };
  const read = useApi('/payment/receipt', at, { enabled: isPaid, refetchMs: LIVE_MS });
  const send = useAct(() =>
    api('POST', '/payment/receipt/mail', { query: { merchantId }, body: { paymentId: payment.id } }),
  );
  const { url = null, pdfUrl = null, number = null, mail = null } = read.data ?? {};
  if (!isPaid || url === null) return null;
  return (
    <Card title={t('Receipt')}>
      <div className="grid justify-items-start gap-3 text-sm">
        {number !== null && <b className="wrap-anywhere">{number}</b>}
        <a href={url} target="_blank" rel="noreferrer" className={LINK}>
          {t('Open the receipt')}
        </a>
        {pdfUrl !== null && (
          <a href={pdfUrl} download className={LINK}>
            {t('Download PDF')}
          </a>
        )}
        {mail?.state === 'unsent' && may('payments:write') && (
          <Button busy={send.isPending} onClick={() => send.mutate()}>
            {t('Email the receipt')}
          </Button>
        )}
        {mail !== null && (
          <p role="status" className="wrap-anywhere text-soft">
            {describeMail(mail, payment.sandbox)}
          </p>
        )}
        {send.error !== null && <Problem error={send.error} />}
      </div>
    </Card>
  );
}

function describeMail({ to, state }: Mail, isSandbox: boolean): string {
  if (state === 'pending') return t('On its way to {to}.', { to });
  if (state === 'sent') return t('Emailed to {to}.', { to });
  if (state === 'unsent') return t('Once, to {to}.', { to });
  return isSandbox
    ? t(
        'Not mailed to {to}: in the sandbox only people of the shop are mailed, 20 receipts an hour at most.',
        { to },
      )
    : t('It could not be delivered to {to}.', { to });
}
