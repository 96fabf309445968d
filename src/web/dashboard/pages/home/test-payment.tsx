import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';

const AMOUNT = '10';

/** Creates a payment in the sandbox and opens its page. */
export function TestPayment({ shop }: { shop: Shop }) {
  const navigate = useNavigate();
  // The same order id for every attempt, so that a lost response does not lead to a second payment.
  const [orderId] = useState(() => `TEST-${Date.now().toString(36).toUpperCase()}`);
  const create = useAct(
    () => {
      const body = { amount: AMOUNT, currency: shop.currency, orderId, customer: {} };
      return api('POST', '/payment/create', { query: { merchantId: shop.id }, body });
    },
    ({ id: paymentId }) =>
      void navigate({ to: '/shop/$shopId/payments/$paymentId', params: { shopId: shop.id, paymentId } }),
  );
  return (
    <span className="grid justify-items-end gap-1">
      <Button isSmall look="primary" busy={create.isPending} onClick={() => create.mutate()}>
        {t('Make a test payment')}
      </Button>
      {create.error !== null && <small className="text-stop">{create.error.message}</small>}
    </span>
  );
}
