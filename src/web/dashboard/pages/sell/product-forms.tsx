import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct, useShop, useShopId } from '../../api/hooks.ts';
import type { Price, Product } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { plainAmount } from '../../format/decimal.ts';
import { Currencies, Field, Select } from '../../ui/form.tsx';
import { telling } from '../../ui/toast.ts';
import { Form } from '../../ui/whole-form.tsx';

/** A new product, or changes to one. */
export function EditProduct({ product, onDone }: { product: Product | null; onDone: () => void }) {
  const merchantId = useShopId();
  const save = useAct(
    (fields: Body<'POST', '/merchant/product/create'>) =>
      product === null
        ? api('POST', '/merchant/product/create', { query: { merchantId }, body: fields })
        : api('PATCH', '/merchant/product/edit', {
            query: { merchantId },
            body: { ...fields, productId: product.id },
          }),
    telling(product === null ? t('Product created') : t('Product saved'), onDone),
  );
  return (
    <Form
      fields={['name', 'description']}
      submit={t('Save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={(fields) => save.mutate(fields)}
    >
      <Field label={t('Name')} name="name" defaultValue={product?.name ?? ''} required />
      <Field
        label={t('Description (optional)')}
        name="description"
        defaultValue={product?.description ?? ''}
      />
    </Form>
  );
}

/** A new price of a product, or changes to one. */
export function EditPrice(props: { product: Product; price: Price | null; onDone: () => void }) {
  const { product, price, onDone } = props;
  const merchantId = useShopId();
  const shopCurrency = useShop()?.currency ?? 'USD';
  const save = useAct(
    ({ active, ...rest }: { amount: string; currency: string; active: boolean }): Promise<unknown> =>
      price === null
        ? api('POST', '/merchant/price/create', {
            query: { merchantId },
            body: { ...rest, productId: product.id },
          })
        : api('PATCH', '/merchant/price/edit', {
            query: { merchantId },
            body: { ...rest, active, priceId: price.id },
          }),
    telling(price === null ? t('Price added') : t('Price saved'), onDone),
  );
  return (
    <Form
      fields={['amount', 'currency', 'state']}
      submit={price === null ? t('Add price') : t('Save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={({ amount, currency, state }) =>
        save.mutate({ amount: plainAmount(amount), currency, active: state !== 'inactive' })
      }
    >
      <p className="text-sm text-soft">{t('For {name}', { name: product.name })}</p>
      <div className="grid grid-cols-2 gap-3">
        <Field
          label={t('Amount')}
          name="amount"
          inputMode="decimal"
          defaultValue={price?.amount ?? ''}
          required
        />
        <Field
          label={t('Currency')}
          name="currency"
          defaultValue={price?.currency ?? shopCurrency}
          list="currencies"
          maxLength={3}
          required
        />
        <Currencies />
      </div>
      {price !== null && (
        <Select label={t('State')} name="state" defaultValue={price.active ? 'active' : 'inactive'}>
          <option value="active">{t('Active')}</option>
          <option value="inactive">{t('Inactive: cannot be paid')}</option>
        </Select>
      )}
    </Form>
  );
}
