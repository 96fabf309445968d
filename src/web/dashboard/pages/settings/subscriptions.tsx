import { api } from '../../api/client.ts';
import { changedFields } from '../../api/changed-fields.ts';
import { useAct } from '../../api/hooks.ts';
import type { Body } from '../../contract/contract.ts';
import type { Shop } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Card } from '../../ui/basics.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';

const FIELDS = ['invoiceLeadDays', 'graceDays', 'excessToCredit', 'payerMayPause', 'payerMayCancel'] as const;

/** When subscriptions are invoiced and end, and what payers may do on their pages. */
export function Subscriptions({ shop }: { shop: Shop }) {
  const save = useAct((fields: Omit<Body<'PATCH', '/merchant/edit'>, 'merchantId'>) =>
    api('PATCH', '/merchant/edit', { body: { ...fields, merchantId: shop.id } }),
  );
  return (
    <Card title={t('Subscriptions')}>
      <Form
        fields={FIELDS}
        submit={t('Save')}
        busy={save.isPending}
        error={save.error}
        onSubmit={({ invoiceLeadDays, graceDays, excessToCredit, payerMayPause, payerMayCancel }) =>
          save.mutate(
            changedFields(
              {
                invoiceLeadDays: Number(invoiceLeadDays),
                graceDays: Number(graceDays),
                excessToCredit: excessToCredit === 'yes',
                payerMayPause: payerMayPause === 'yes',
                payerMayCancel: payerMayCancel === 'yes',
              },
              shop,
            ),
          )
        }
        extra={
          save.isSuccess && (
            <span role="status" className="text-sm text-accent">
              {t('Saved')}
            </span>
          )
        }
      >
        <Days shop={shop} />
        <YesNo
          name="excessToCredit"
          label={t('Money beyond an invoice')}
          isYes={shop.excessToCredit}
          texts={[t('Counts towards the next invoices'), t('Waits for a refund')]}
        />
        <YesNo
          name="payerMayPause"
          label={t('Pausing a subscription')}
          isYes={shop.payerMayPause}
          texts={[t('Payers may do it on their page'), t('Payers contact you')]}
        />
        <YesNo
          name="payerMayCancel"
          label={t('Cancelling a subscription')}
          isYes={shop.payerMayCancel}
          texts={[t('Payers may do it on their page'), t('Payers contact you')]}
        />
      </Form>
    </Card>
  );
}

function Days({ shop }: { shop: Shop }) {
  return (
    <div className="grid gap-4 sm:grid-cols-2">
      <Field
        label={t('Days from invoice to period')}
        name="invoiceLeadDays"
        type="number"
        min={0}
        max={60}
        hint={t('Payers can pay before the period begins')}
        defaultValue={shop.invoiceLeadDays}
      />
      <Field
        label={t('Days of grace')}
        name="graceDays"
        type="number"
        min={0}
        max={90}
        hint={t('How long an unpaid subscription stays active')}
        defaultValue={shop.graceDays}
      />
    </div>
  );
}

interface YesNoProps {
  readonly name: (typeof FIELDS)[number];
  readonly label: string;
  readonly isYes: boolean;
  readonly texts: readonly [yes: string, no: string];
}

function YesNo({ name, label, isYes, texts: [yes, no] }: YesNoProps) {
  return (
    <Select label={label} name={name} defaultValue={isYes ? 'yes' : 'no'}>
      <option value="yes">{yes}</option>
      <option value="no">{no}</option>
    </Select>
  );
}
