import { useState } from 'react';
import { api } from '../../api/client.ts';
import { changedFields } from '../../api/changed-fields.ts';
import { useAct, useShop, useShopId } from '../../api/hooks.ts';
import type { PaymentLink } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { plainAmount } from '../../format/decimal.ts';
import { Currencies, Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';

const NAMES = [
  'name',
  'description',
  'amount',
  'min',
  'max',
  'currency',
  'email',
  'note',
  'successUrl',
] as const;
type Values = Record<(typeof NAMES)[number], string>;

type Asks = 'amount' | 'open' | 'pos' | 'price';

function initialAsks(link: PaymentLink | null): Asks {
  if (link?.priceId !== undefined && link.priceId !== null) return 'price';
  if (link?.kind === 'pos') return 'pos';
  return link !== null && link.openAmount !== null ? 'open' : 'amount';
}

function buildBody(asks: Asks, values: Values, link: PaymentLink | null) {
  const { name, description, successUrl, amount, min, max, currency } = values;
  const fields = (['email', 'note'] as const)
    .filter((field) => values[field] !== '')
    .map((field) => ({ name: field, required: values[field] === 'required' }));
  // Kept, because the form has no field for it.
  const kept = link?.fields.filter((field) => field.name === 'name') ?? [];
  const suggested = link?.openAmount?.suggested;
  const openAmount = {
    ...(min === '' ? {} : { min: plainAmount(min) }),
    ...(max === '' ? {} : { max: plainAmount(max) }),
    ...(suggested === undefined ? {} : { suggested }),
  };
  const terms =
    asks === 'price'
      ? {}
      : asks === 'amount'
        ? { amount: plainAmount(amount), currency }
        : { openAmount, currency };
  const target = changedFields({ successUrl }, link ?? { successUrl: '' });
  return { name, description, ...target, fields: [...fields, ...kept], ...terms };
}

/** A new link, or changes to one; its kind and its address cannot change. */
export function EditLink({
  link,
  onDone,
}: {
  link: PaymentLink | null;
  onDone: (link: PaymentLink) => void;
}) {
  const merchantId = useShopId();
  // A clerk may not set where payers are redirected to.
  const setsTarget = useShop()?.role !== 'clerk';
  const [asks, setAsks] = useState<Asks>(initialAsks(link));
  const save = useAct(
    (body: ReturnType<typeof buildBody>): Promise<PaymentLink> =>
      link === null
        ? api('POST', '/merchant/link/create', {
            query: { merchantId },
            body: { ...body, kind: asks === 'pos' ? ('pos' as const) : ('link' as const) },
          })
        : api('PATCH', '/merchant/link/edit', { body: { ...body, paymentLinkId: link.id } }),
    onDone,
  );
  return (
    <Form
      fields={NAMES}
      submit={link === null ? t('Create') : t('Save')}
      busy={save.isPending}
      error={save.error}
      onSubmit={(values) => save.mutate(buildBody(asks, values, link))}
    >
      <Field label={t('Name')} name="name" defaultValue={link?.name ?? ''} maxLength={120} required />
      <Field label={t('Description (optional)')} name="description" defaultValue={link?.description ?? ''} />
      {(link === null || link.kind === 'link') && asks !== 'price' && (
        <Select
          label={t('Type of amount')}
          value={asks}
          onChange={(event) => setAsks(event.target.value as Asks)}
        >
          <option value="amount">{t('Fixed amount')}</option>
          <option value="open">{t('The payer chooses')}</option>
          {link === null && <option value="pos">{t('Keypad for the counter')}</option>}
        </Select>
      )}
      {asks !== 'price' && <Amounts asks={asks} link={link} />}
      <div className="grid grid-cols-2 gap-3">
        <PayerField label={t('Email address')} name="email" link={link} />
        <PayerField label={t('Note')} name="note" link={link} />
      </div>
      <Field
        label={t('Where payers go afterwards (optional)')}
        name="successUrl"
        type="url"
        placeholder="https://"
        defaultValue={link?.successUrl ?? ''}
        readOnly={!setsTarget}
      />
    </Form>
  );
}

function Amounts({ asks, link }: { asks: Asks; link: PaymentLink | null }) {
  const shopCurrency = useShop()?.currency ?? 'USD';
  const { min = '', max = '' } = link?.openAmount ?? {};
  return (
    <div className="grid grid-cols-3 gap-3">
      {asks === 'amount' ? (
        <div className="col-span-2">
          <Field
            label={t('Amount')}
            name="amount"
            inputMode="decimal"
            defaultValue={link?.amount ?? ''}
            required
          />
        </div>
      ) : (
        <>
          <Field label={t('Minimum')} name="min" inputMode="decimal" defaultValue={min} />
          <Field label={t('Maximum')} name="max" inputMode="decimal" defaultValue={max} />
        </>
      )}
      <Field
        label={t('Currency')}
        name="currency"
        defaultValue={link?.currency ?? shopCurrency}
        list="currencies"
        maxLength={3}
        required
      />
      <Currencies />
    </div>
  );
}

function PayerField({
  label,
  name,
  link,
}: {
  label: string;
  name: 'email' | 'note';
  link: PaymentLink | null;
}) {
  const linkField = link?.fields.find((field) => field.name === name);
  const value = linkField === undefined ? '' : linkField.required ? 'required' : 'optional';
  return (
    <Select label={label} name={name} defaultValue={value}>
      <option value="">{t('Not asked')}</option>
      <option value="optional">{t('Optional')}</option>
      <option value="required">{t('Required')}</option>
    </Select>
  );
}
