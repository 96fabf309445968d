import { useState } from 'react';
import { api, requestPrivate } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { parts, t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';
import { Form } from '../../ui/whole-form.tsx';

const REFETCH_MS = 15_000;

function useFreeze() {
  return useApi('/merchant/wallet/freeze', { merchantId: useShopId() }, { refetchMs: REFETCH_MS }).data;
}

/** Since when nothing is sent, by whom and why; the owner ends it here. */
export function FrozenNote() {
  const merchantId = useShopId();
  const freeze = useFreeze();
  const may = usePermission();
  const unfreeze = useAct(() => requestPrivate('POST /merchant/wallet/unfreeze', { merchantId }));
  if (freeze?.frozen !== true) return null;
  const isOwner = may('owner');
  return (
    <div role="status" className="mb-6 grid gap-3 rounded-xl bg-warn-soft p-4 text-sm text-warn">
      <p className="font-semibold">
        {parts('The wallet has been frozen since {when} by {name}.', {
          when: <Time at={freeze.frozenAt ?? ''} exact="minute" />,
          name: freeze.frozenBy ?? '',
        })}
      </p>
      {freeze.reason !== null && <p>{t('Reason: {reason}', { reason: freeze.reason })}</p>}
      <p>
        {t(
          'Nothing is sent: sends and refunds are rejected, and claimed refunds wait. Payments are still accepted.',
        )}
      </p>
      {freeze.byOperator && <p>{t('Only the operator of this server can unfreeze it.')}</p>}
      {!freeze.byOperator && !isOwner && <p>{t('Only the owner of the shop can unfreeze it.')}</p>}
      {unfreeze.error !== null && <Problem error={unfreeze.error} />}
      {!freeze.byOperator && isOwner && (
        <div>
          <Button busy={unfreeze.isPending} onClick={() => unfreeze.mutate()}>
            {t('Unfreeze the wallet')}
          </Button>
        </div>
      )}
    </div>
  );
}

/** Stops everything that would be signed, after one question. */
export function FreezeButton() {
  const merchantId = useShopId();
  const freeze = useFreeze();
  const may = usePermission();
  const [isOpen, setIsOpen] = useState(false);
  const act = useAct(
    ({ reason }: { readonly reason: string }) =>
      api('POST', '/merchant/wallet/freeze', {
        query: { merchantId },
        body: reason === '' ? {} : { reason },
      }),
    () => setIsOpen(false),
  );
  if (!may('wallet:send') || freeze?.frozen !== false) return null;
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('Freeze the wallet')}</Button>
      <Dialog title={t('Freeze the wallet')} open={isOpen} onClose={() => setIsOpen(false)}>
        <Form
          fields={['reason']}
          submit={t('Freeze now')}
          busy={act.isPending}
          error={act.error}
          onSubmit={({ reason }) => act.mutate({ reason: reason.trim() })}
        >
          <p className="text-sm text-soft">
            {t(
              'For an emergency, such as a stolen key. Nothing more is signed until the owner unfreezes the wallet. Signed transactions may still be sent. Payments are still accepted.',
            )}
          </p>
          <Field label={t('Reason (optional)')} name="reason" maxLength={200} autoComplete="off" />
        </Form>
      </Dialog>
    </>
  );
}
