import { useState } from 'react';
import { useShop } from '../../api/hooks.ts';
import type { Payment } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Copy, CopyLine, LINK_BUTTON } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { fiat, orderName, when } from '../../format/format.ts';
import { Qr } from '../../ui/qr.tsx';

/** Ways to share an open payment with its payer: link, QR code, email. */
export function SharePayment({ payment, isPrimary }: { payment: Payment; isPrimary: boolean }) {
  const [isCodeOpen, setCodeOpen] = useState(false);
  const { checkoutUrl } = payment;
  const orderId = orderName(payment);
  const mail = useMailTo(payment);
  return (
    <>
      <Copy text={checkoutUrl} label={t('Copy link')} {...(isPrimary ? { look: 'primary' as const } : {})}>
        {t('Copy link')}
      </Copy>
      <Button onClick={() => setCodeOpen(true)}>{t('QR code')}</Button>
      <a href={mail} className={LINK_BUTTON}>
        {t('Email it')}
      </a>
      <Dialog title={t('Order {orderId}', { orderId })} open={isCodeOpen} onClose={() => setCodeOpen(false)}>
        <div className="grid gap-4">
          <p className="money text-center text-2xl font-bold">{fiat(payment.amount, payment.currency)}</p>
          <Qr text={checkoutUrl} label={t('QR code of {url}', { url: checkoutUrl })} />
          <CopyLine text={checkoutUrl} label={t('address')} />
        </div>
      </Dialog>
    </>
  );
}

/** Opens a draft in the merchant's own mail program. */
function useMailTo(payment: Payment): string {
  const shop = useShop()?.name ?? '';
  const amount = fiat(payment.amount, payment.currency);
  const { checkoutUrl } = payment;
  const orderId = orderName(payment);
  const subject = t('{shop}: {amount} for order {orderId}', { shop, amount, orderId });
  const lines = [
    t('Please pay {amount} for order {orderId} here:', { amount, orderId }),
    checkoutUrl,
    t('The page takes payments until {time}.', { time: when(payment.expiresAt) }),
    shop,
  ];
  const text = lines.join('\r\n\r\n');
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`;
}
