import { useState } from 'react';
import { api } from '../../api/client.ts';
import { changedFields } from '../../api/changed-fields.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import type { Body } from '../../contract/contract.ts';
import { fiat } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { telling } from '../../ui/toast.ts';
import { Form } from '../../ui/whole-form.tsx';
import type { Subscription } from './subscription-status.ts';

type Asked = 'pause' | 'cancel' | 'change' | 'rotate';

/** What can be done about a subscription in its state. */
export function SubscriptionActions({ of: one, isSmall = false }: { of: Subscription; isSmall?: boolean }) {
  const { status, cancelAtPeriodEnd } = one;
  const body = { subscriptionId: one.id };
  const [asked, setAsked] = useState<Asked | null>(null);
  const resume = useAct(
    () => api('POST', '/merchant/subscription/resume', { body }),
    telling(t('The subscription goes on')),
  );
  const keep = useAct(
    () => api('PATCH', '/merchant/subscription/edit', { body: { ...body, cancelAtPeriodEnd: false } }),
    telling(t('The cancellation is undone')),
  );
  const isOver = status === 'cancelled' || status === 'ended';
  const mayPause = status === 'active' || status === 'past_due';
  const error = resume.error ?? keep.error;
  const asking = (what: Asked): Asking => ({ of: one, open: asked === what, onClose: () => setAsked(null) });
  return (
    <>
      {error !== null && <Problem error={error} />}
      <div className="flex flex-wrap gap-x-1 gap-y-2">
        {!isOver && (
          <Button isSmall={isSmall} onClick={() => setAsked('change')}>
            {t('Change')}
          </Button>
        )}
        {mayPause && (
          <Button isSmall={isSmall} onClick={() => setAsked('pause')}>
            {t('Pause')}
          </Button>
        )}
        {status === 'paused' && (
          <Button isSmall={isSmall} busy={resume.isPending} onClick={() => resume.mutate()}>
            {t('Resume')}
          </Button>
        )}
        {!isOver && !cancelAtPeriodEnd && (
          <Button look="quiet" isSmall={isSmall} onClick={() => setAsked('cancel')}>
            {t('Cancel subscription')}
          </Button>
        )}
        {!isOver && cancelAtPeriodEnd && (
          <Button look="quiet" isSmall={isSmall} busy={keep.isPending} onClick={() => keep.mutate()}>
            {t('Undo the cancellation')}
          </Button>
        )}
        <Button look="quiet" isSmall={isSmall} onClick={() => setAsked('rotate')}>
          {t('New page address')}
        </Button>
      </div>
      <ChangeIt {...asking('change')} />
      <PauseIt {...asking('pause')} />
      <CancelIt {...asking('cancel')} />
      <RotateIt {...asking('rotate')} />
    </>
  );
}

interface Asking {
  readonly of: Subscription;
  readonly open: boolean;
  readonly onClose: () => void;
}

function PauseIt({ of: { id: subscriptionId }, open, onClose }: Asking) {
  const pause = useAct(
    () => api('POST', '/merchant/subscription/pause', { body: { subscriptionId } }),
    telling(t('The subscription is paused'), onClose),
  );
  return (
    <Confirm
      title={t('Pause this subscription?')}
      open={open}
      onClose={onClose}
      action={t('Pause')}
      busy={pause.isPending}
      error={pause.error}
      onConfirm={() => pause.mutate()}
    >
      <p>
        {t('The customer has no access until it is resumed, and keeps the rest of the paid time.')}{' '}
        {t('An open invoice is closed.')}
      </p>
    </Confirm>
  );
}

function CancelIt({ of: { id: subscriptionId, status }, open, onClose }: Asking) {
  const [isNow, setNow] = useState(false);
  const cancel = useAct(
    () => api('POST', '/merchant/subscription/cancel', { body: { subscriptionId, atPeriodEnd: !isNow } }),
    telling(t('The subscription is cancelled'), onClose),
  );
  const hasChoice = status === 'active' || status === 'trialing';
  return (
    <Confirm
      title={t('Cancel subscription')}
      open={open}
      onClose={onClose}
      action={t('Cancel subscription')}
      busy={cancel.isPending}
      error={cancel.error}
      onConfirm={() => cancel.mutate()}
    >
      {hasChoice && (
        <Select
          label={t('When')}
          value={isNow ? 'now' : 'end'}
          onChange={(event) => setNow(event.target.value === 'now')}
        >
          <option value="end">{t('With the paid period')}</option>
          <option value="now">{t('Now')}</option>
        </Select>
      )}
      <p>{explainEnd(hasChoice, isNow)}</p>
    </Confirm>
  );
}

function explainEnd(hasChoice: boolean, isNow: boolean): string {
  if (!hasChoice) return t('It ends with the paid period, or now if a payment is due. Nothing is refunded.');
  return isNow
    ? t(
        'Open invoices are closed, and you can’t undo this. The customer keeps the paid time. Nothing is refunded.',
      )
    : t('You can undo this until the paid period ends. Nothing is refunded.');
}

const CHANGED = ['priceId', 'quantity', 'email'] as const;
type Change = Body<'PATCH', '/merchant/subscription/edit'>;

function ChangeIt({ of: one, open, onClose }: Asking) {
  const merchantId = useShopId();
  const may = usePermission();
  const prices = useApi(
    '/merchant/price/list',
    { merchantId, productId: one.productId, limit: 100 },
    { enabled: open && may('catalog:read') },
  );
  const edit = useAct(
    (changes: Omit<Change, 'subscriptionId'>) =>
      api('PATCH', '/merchant/subscription/edit', { body: { ...changes, subscriptionId: one.id } }),
    telling(t('The subscription is changed'), onClose),
  );
  const knowsEmail = one.email !== undefined;
  const offered = (prices.data?.prices ?? []).filter(
    ({ id, active, currency }) => id !== one.priceId && active && currency === one.currency,
  );
  return (
    <Dialog title={t('Change the subscription')} open={open} onClose={onClose}>
      <Form
        fields={CHANGED}
        submit={t('Change')}
        busy={edit.isPending}
        error={edit.error}
        onSubmit={(values) => {
          const { email, ...rest } = changedFields({ ...values, quantity: Number(values.quantity) }, one);
          const isMoved = knowsEmail && email !== undefined;
          edit.mutate({ ...rest, ...(isMoved ? { email: email === '' ? null : email } : {}) });
        }}
      >
        <p className="text-sm text-soft">
          {t(
            'It counts from now on. What the paid time costs less becomes credit; what it costs more is on the next invoice. Another interval begins with the next period.',
          )}
        </p>
        <Select label={t('Price')} name="priceId" defaultValue={one.priceId}>
          <option value={one.priceId}>{t('The present price')}</option>
          {offered.map(({ id, amount, currency }) => (
            <option key={id} value={id}>
              {fiat(amount, currency)}
            </option>
          ))}
        </Select>
        <Field
          label={t('Quantity')}
          name="quantity"
          type="number"
          min={1}
          required
          defaultValue={one.quantity}
        />
        {knowsEmail && (
          <Field
            label={t('Email address of its mails')}
            name="email"
            type="email"
            defaultValue={one.email ?? ''}
            hint={t('Empty: the address of the customer')}
          />
        )}
      </Form>
    </Dialog>
  );
}

function RotateIt({ of: { id: subscriptionId, email }, open, onClose }: Asking) {
  const rotate = useAct(
    () => api('POST', '/merchant/subscription/portal/rotate', { body: { subscriptionId } }),
    telling(t('The page has a new address'), onClose),
  );
  return (
    <Confirm
      title={t('New page address')}
      open={open}
      onClose={onClose}
      action={t('New page address')}
      busy={rotate.isPending}
      error={rotate.error}
      onConfirm={() => rotate.mutate()}
    >
      <p>{t('The present address of the page stops working. Send the new one to the payer.')}</p>
      {typeof email === 'string' && <p>{t('Mails go to the address of the customer again.')}</p>}
    </Confirm>
  );
}
