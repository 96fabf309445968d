import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShop } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { t } from '../../i18n/t.ts';
import { plainAmount } from '../../format/decimal.ts';
import { Currencies, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { fiat, twoDecimals } from '../../format/format.ts';

const NAMES = ['amount', 'currency', 'productId', 'priceId', 'description', 'orderId', 'email'] as const;
type Values = Record<(typeof NAMES)[number], string>;

/** Maximum number of products in the list; a shop with more sells them by links or on its own pages. */
const OFFERED = 100;

function buildBody(values: Values, madeUp: string) {
  const { amount, currency, productId, priceId, description, orderId, email } = values;
  return {
    ...(priceId === '' ? { amount: plainAmount(amount), currency } : { productId, priceId }),
    ...(description.trim() === '' ? {} : { description }),
    orderId: orderId.trim() === '' ? madeUp : orderId,
    customer: email === '' ? {} : { email },
  };
}

/** The price that the form begins with. */
interface Suggested {
  readonly amount: string | undefined;
  readonly currency: string | undefined;
}

/** Creates a payment by hand, for an amount or for a product, and opens its page. */
export function NewPayment({ merchantId, ...price }: Suggested & { readonly merchantId: string }) {
  const navigate = useNavigate();
  const [productId, setProductId] = useState('');
  // The same order id for every attempt, so that a lost response does not lead to a second payment.
  const [madeUp] = useState(() => `M-${Date.now().toString(36).toUpperCase()}`);
  const create = useAct(
    (body: ReturnType<typeof buildBody>) => api('POST', '/payment/create', { query: { merchantId }, body }),
    ({ id }) =>
      void navigate({
        to: '/shop/$shopId/payments/$paymentId',
        params: { shopId: merchantId, paymentId: id },
      }),
  );
  const { error } = create;
  return (
    <Form
      fields={NAMES}
      submit={t('Create payment')}
      busy={create.isPending}
      error={error}
      onSubmit={(values) => create.mutate(buildBody({ ...values, productId }, madeUp))}
    >
      <Products merchantId={merchantId} productId={productId} onChange={setProductId} />
      {productId === '' ? (
        <Amount {...price} />
      ) : (
        <Prices key={productId} merchantId={merchantId} productId={productId} />
      )}
      <Field
        label={t('Purpose (optional)')}
        name="description"
        maxLength={500}
        hint={t('Payers read it on the checkout')}
      />
      <Field
        label={t('Order id')}
        name="orderId"
        maxLength={255}
        placeholder={madeUp}
        hint={t('Your order number. Leave empty to generate one.')}
      />
      <Field
        label={t('Customer email')}
        name="email"
        type="email"
        hint={t('Left empty, the payment is anonymous')}
      />
    </Form>
  );
}

function Amount({ amount, currency }: Suggested) {
  const ofShop = useShop()?.currency ?? 'USD';
  return (
    <div className="grid grid-cols-2 gap-3">
      <Field
        label={t('Amount')}
        name="amount"
        inputMode="decimal"
        placeholder={twoDecimals('49.9')}
        defaultValue={amount}
        required
      />
      <Field
        label={t('Currency')}
        name="currency"
        list="currencies"
        defaultValue={currency ?? ofShop}
        maxLength={3}
        required
      />
      <Currencies />
    </div>
  );
}

interface ProductsProps {
  readonly merchantId: string;
  readonly productId: string;
  readonly onChange: (productId: string) => void;
}

/** Empty if there are no products, or if the user may not read them. */
function Products({ merchantId, productId, onChange }: ProductsProps) {
  const may = usePermission();
  const query = { merchantId, active: 'true' as const, limit: OFFERED };
  const { data } = useApi('/merchant/product/list', query, { enabled: may('catalog:read') });
  if (data === undefined || data.products.length === 0) return null;
  return (
    <Select label={t('Pay for')} value={productId} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t('An amount')}</option>
      {data.products.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

function Prices({ merchantId, productId }: { merchantId: string; productId: string }) {
  const { data } = useApi('/merchant/price/list', { merchantId, productId, limit: OFFERED });
  const prices = (data?.prices ?? []).filter(({ active }) => active);
  if (data !== undefined && prices.length === 0)
    return <p className="text-sm text-soft">{t('This product has no price yet.')}</p>;
  return (
    <Select label={t('Price')} name="priceId" required>
      {prices.map(({ id, amount, currency }) => (
        <option key={id} value={id}>
          {fiat(amount, currency)}
        </option>
      ))}
    </Select>
  );
}
