import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Data } from '../../contract/contract.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';
import { Form } from '../../ui/whole-form.tsx';

type Limits = Data<'GET', '/merchant/wallet/limits'>;

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
          <LimitsForm limits={limits} onClose={() => setIsOpen(false)} />
          <PendingLimits limits={limits} />
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

/** Changes that take effect later; the owner drops those of a thief. */
function PendingLimits({ limits: { pending } }: { limits: Limits }) {
  const merchantId = useShopId();
  const drop = useAct(() => api('DELETE', '/merchant/wallet/limits/pending', { body: { merchantId } }));
  if (pending.length === 0) return null;
  return (
    <div className="grid gap-2 rounded-xl bg-warn-soft p-4 text-sm text-warn">
      <p className="font-semibold">{t('Changes that take effect later')}</p>
      <ul>
        {pending.map((change) => (
          <li key={`${change.part} ${change.destination?.destination ?? ''}`}>
            {describePending(change)} <Time at={change.takesEffectAt} exact="minute" />
          </li>
        ))}
      </ul>
      {drop.error !== null && <Problem error={drop.error} />}
      <div>
        <Button busy={drop.isPending} onClick={() => drop.mutate()}>
          {t('Drop these changes')}
        </Button>
      </div>
    </div>
  );
}

function describePending({ part, amount, destination }: Limits['pending'][number]): string {
  const value = amount === null ? t('no limit') : `${amount.amount} ${amount.currency}`;
  if (part === 'perSend') return t('Limit per send: {value}', { value });
  if (part === 'perDay') return t('Limit per day: {value}', { value });
  if (part === 'approvers') return t('Other approvers');
  if (part === 'confirmation') return t('Confirmation of the limits');
  if (destination === null) return t('Every address is allowed');
  return t('Allowed address: {destination}', { destination: destination.destination });
}
