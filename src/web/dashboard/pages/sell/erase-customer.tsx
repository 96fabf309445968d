import { api } from '../../api/client.ts';
import { customerName } from '../../api/customers-by-id.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { Customer } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { telling } from '../../ui/toast.ts';

interface EraseProps {
  readonly customer: Customer | null;
  readonly onClose: () => void;
}

/** Asks for confirmation before a customer's personal data is erased for good. */
export function EraseCustomer({ customer, onClose }: EraseProps) {
  const merchantId = useShopId();
  const erase = useAct(
    (customerId: string) =>
      api('DELETE', '/merchant/customer/erase', { query: { merchantId }, body: { customerId } }),
    telling(t('Personal data erased'), onClose),
  );
  return (
    <Confirm
      title={t('Erase personal data')}
      open={customer !== null}
      onClose={onClose}
      action={t('Erase for good')}
      busy={erase.isPending}
      error={erase.error}
      onConfirm={() => customer !== null && erase.mutate(customer.id)}
    >
      <p>
        {parts(
          'Email address, name and metadata of {customer} are deleted, also in payments, events and webhook logs.',
          { customer: <b>{customer === null ? '' : (customerName(customer) ?? customer.email)}</b> },
        )}
      </p>
      <p className="text-soft">
        {t('Payments and amounts stay in your books. Order ids are kept. This cannot be undone.')}
      </p>
    </Confirm>
  );
}
