import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { t } from '../../i18n/t.ts';
import { Button } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { AllowList } from './allow-list.tsx';
import { Approvers } from './approvers.tsx';
import { type Limits, PendingLimits } from './pending-limits.tsx';

/** The limits of what leaves without an approval, for the owner. */
export function LimitsButton() {
  const merchantId = useShopId();
  const may = usePermission();
  const [isOpen, setIsOpen] = useState(false);
  const limits = useApi('/merchant/wallet/limits', { merchantId }).data;
  if (!may('owner') || limits === undefined) return null;
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('Limits')}</Button>
      <Dialog title={t('Limits')} open={isOpen} onClose={() => setIsOpen(false)}>
        <div className="grid gap-4">
          {!limits.confirmed && <UnconfirmedNote />}
          <PendingLimits limits={limits} />
          <LimitsForm limits={limits} onClose={() => setIsOpen(false)} />
          <AllowList limits={limits} />
          <Approvers limits={limits} />
        </div>
      </Dialog>
    </>
  );
}

function UnconfirmedNote() {
  return (
    <p className="rounded-xl bg-warn-soft p-4 text-sm text-warn">
      {t(
        'These limits come from an older copy of the database, and newer ones may be missing. Check them, then save. Until then every send waits for approval.',
      )}
    </p>
  );
}

function LimitsForm({ limits: { perSend, perDay }, onClose }: { limits: Limits; onClose: () => void }) {
  const merchantId = useShopId();
  const currency = perSend?.currency ?? perDay?.currency;
  const act = useAct(
    (typed: { readonly perSend: string; readonly perDay: string }) =>
      api('PATCH', '/merchant/wallet/limits', {
        body: {
          merchantId,
          ...(currency === undefined ? {} : { currency }),
          perSend: typed.perSend === '' ? null : typed.perSend,
          perDay: typed.perDay === '' ? null : typed.perDay,
        },
      }),
    onClose,
  );
  return (
    <Form
      fields={['perSend', 'perDay']}
      submit={t('Save')}
      busy={act.isPending}
      error={act.error}
      onSubmit={(typed) => act.mutate({ perSend: typed.perSend.trim(), perDay: typed.perDay.trim() })}
    >
      <p className="text-sm text-soft">
        {t(
          'What exceeds a limit waits for your approval with a second factor, or for that of your approvers. A lower limit applies at once, a higher one only after a delay. Leave a field empty for no limit.',
        )}
      </p>
      <Field
        label={t('Limit per send')}
        name="perSend"
        defaultValue={perSend?.amount ?? ''}
        {...(currency === undefined ? {} : { hint: currency })}
        inputMode="decimal"
        autoComplete="off"
      />
      <Field
        label={t('Limit per day')}
        name="perDay"
        defaultValue={perDay?.amount ?? ''}
        {...(currency === undefined ? {} : { hint: currency })}
        inputMode="decimal"
        autoComplete="off"
      />
    </Form>
  );
}
