import { api } from '../../api/client.ts';
import type { Body } from '../../contract/contract.ts';
import { useAct } from '../../api/hooks.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Card } from '../../ui/basics.tsx';
import { Field, TextArea } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';

type Changes = Omit<Body<'PATCH', '/merchant/edit'>, 'merchantId'>;
type Business = NonNullable<Changes['business']>;

const FIELDS = [
  'business.legalName',
  'business.addressLines',
  'business.country',
  'business.taxNumber',
  'business.email',
  'receiptPrefix',
] as const;
type Values = Record<(typeof FIELDS)[number], string>;

/** The seller on receipts, and the beginning of their numbers. */
export function Receipts({ shop }: { shop: Shop }) {
  const save = useAct((changes: Changes) =>
    api('PATCH', '/merchant/edit', { body: { ...changes, merchantId: shop.id } }),
  );
  const { business } = shop;
  return (
    <Card title={t('Receipts')}>
      <p className="mb-4 text-sm text-soft">
        {t('The seller on new receipts. Receipts that were issued keep the seller of their time.')}
      </p>
      <Form
        fields={FIELDS}
        submit={t('Save')}
        busy={save.isPending}
        error={save.error}
        onSubmit={(values) => save.mutate(changes(values, shop))}
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              {t('Saved')}
            </span>
          )
        }
      >
        <Field label={t('Legal name')} name="business.legalName" defaultValue={business?.legalName ?? ''} />
        <TextArea
          label={t('Address, one line each')}
          name="business.addressLines"
          rows={3}
          defaultValue={business?.addressLines.join('\n') ?? ''}
        />
        <div className="grid gap-4 sm:grid-cols-2">
          <Field
            label={t('Country')}
            name="business.country"
            maxLength={2}
            hint={t('Two letters, such as DE')}
            defaultValue={business?.country ?? ''}
          />
          <Field
            label={t('Tax number (optional)')}
            name="business.taxNumber"
            defaultValue={business?.taxNumber ?? ''}
          />
        </div>
        <Field
          label={t('Email (optional)')}
          name="business.email"
          type="email"
          defaultValue={business?.email ?? ''}
        />
        <Field
          label={t('Prefix of receipt numbers (optional)')}
          name="receiptPrefix"
          maxLength={16}
          hint={t('Such as R- for R-1024')}
          defaultValue={shop.receiptPrefix}
        />
      </Form>
    </Card>
  );
}

/** Only what differs: a change of the seller needs a step-up. */
function changes(values: Values, shop: Shop): Changes {
  const business = toBusiness(values);
  const isSame = JSON.stringify(business) === JSON.stringify(shop.business);
  return {
    ...(isSame ? {} : { business }),
    ...(values.receiptPrefix === shop.receiptPrefix ? {} : { receiptPrefix: values.receiptPrefix }),
  };
}

/** Null where every field is empty. */
function toBusiness(values: Values): Business | null {
  const text = (name: keyof Values): string => values[name].trim();
  const optional = (name: keyof Values): string | null => (text(name) === '' ? null : text(name));
  if (FIELDS.every((name) => name === 'receiptPrefix' || text(name) === '')) return null;
  return {
    legalName: text('business.legalName'),
    addressLines: text('business.addressLines')
      .split('\n')
      .map((line) => line.trim())
      .filter((line) => line !== ''),
    country: text('business.country').toUpperCase(),
    taxNumber: optional('business.taxNumber'),
    email: optional('business.email'),
  };
}
