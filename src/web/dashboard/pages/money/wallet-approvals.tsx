import { useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import type { Data } from '../../contract/contract.ts';
import { formatCoins } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Time } from '../../ui/time.tsx';
import { Recipients } from './recipients.tsx';
import { SendSource } from './send-source.tsx';

const REFETCH_MS = 10_000;

type Approval = Data<'GET', '/merchant/wallet/send/approvals'>['approvals'][number];
type Reason = Approval['send']['approvalReasons'][number];

const REASONS: Readonly<Record<Reason, string>> = {
  per_send: t('It is above the limit per send.'),
  per_day: t('The sends of this day would be above the limit per day.'),
  key_per_send: t('It is above the limit per send of the key.'),
  key_per_day: t('The sends of the key would be above its limit per day.'),
  destination: t('The address is not on the list of allowed addresses.'),
  rate_unknown: t('Its value is unknown, because there is no exchange rate now.'),
  sum_unknown: t('Sends of this day may be unknown after a restore.'),
  limits_unconfirmed: t(
    'The limits come from an older copy of the database: the owner has to confirm them first.',
  ),
  restored: t('The database was restored: check on the chain whether it was sent since.'),
};

/** Sends above a limit, each with the decision about it. */
export function Approvals() {
  const merchantId = useShopId();
  const listed = useApi('/merchant/wallet/send/approvals', { merchantId }, { refetchMs: REFETCH_MS }).data;
  const { approve }: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  // A link of "Needs you" names the send.
  const [openId, setOpenId] = useState<string | null>(approve ?? null);
  const waiting = listed?.approvals.filter(({ send }) => send.status === 'pending_approval') ?? [];
  const open = waiting.find(({ send }) => send.id === openId) ?? null;
  const close = (): void => setOpenId(null);
  if (waiting.length === 0) return null;
  return (
    <section className="mb-6 grid gap-3 rounded-xl bg-warn-soft p-4 text-sm text-warn">
      <h2 className="font-semibold">{t('Waiting for approval')}</h2>
      <ul className="grid gap-2">
        {waiting.map((one) => (
          <li key={one.send.id} className="flex flex-wrap items-center justify-between gap-3">
            <span className="min-w-0 wrap-anywhere">{describeHeld(one.send)}</span>
            <Button onClick={() => setOpenId(one.send.id)}>{t('Decide')}</Button>
          </li>
        ))}
      </ul>
      <Dialog title={t('Approve a send')} open={open !== null} onClose={close}>
        {open !== null && <Decision of={open} onClose={close} />}
      </Dialog>
    </section>
  );
}

function describeHeld({ amount, coin, destination, outputs }: Approval['send']): string {
  const sent = { amount: formatCoins(amount), coin };
  if (outputs === null) return t('{amount} {coin} to {destination}', { ...sent, destination });
  return t('{amount} {coin} to {count} recipients', { ...sent, count: outputs.length });
}

function Decision({ of: { send, requestedBy, canApprove }, onClose }: { of: Approval; onClose: () => void }) {
  const body = { merchantId: useShopId(), sendId: send.id };
  const approve = useAct(() => api('POST', '/merchant/wallet/send/approve', { body }), onClose);
  const reject = useAct(() => api('POST', '/merchant/wallet/send/reject', { body }), onClose);
  const error = approve.error ?? reject.error;
  const isBusy = approve.isPending || reject.isPending;
  return (
    <div className="grid gap-4">
      <p className="text-lg font-semibold">{`${formatCoins(send.amount)} ${send.coin}`}</p>
      {send.outputs === null ? (
        <p className="wrap-anywhere">{t('To {destination}', { destination: send.destination })}</p>
      ) : (
        <Recipients outputs={send.outputs} coin={send.coin} />
      )}
      <SendSource from={send.from} coin={send.coin} />
      <p className="text-sm">{`${t('Network fee at most')}: ${formatCoins(send.maxFee)} ${send.coin}`}</p>
      {requestedBy !== null && <p>{t('Ordered by {name}', { name: requestedBy })}</p>}
      <ul className="text-sm text-soft">
        {send.approvalReasons.map((reason) => (
          <li key={reason}>{REASONS[reason]}</li>
        ))}
      </ul>
      {send.expiresAt !== null && (
        <p className="text-sm text-soft">
          {t('Ends without an approval:')} <Time at={send.expiresAt} exact="minute" />
        </p>
      )}
      {!canApprove && !send.approvalReasons.includes('limits_unconfirmed') && (
        <p className="text-sm">{t('Another person of this shop has to approve it.')}</p>
      )}
      {error !== null && <Problem error={error} />}
      <div className="flex flex-wrap gap-2">
        {canApprove && (
          <Button look="primary" busy={isBusy} onClick={() => approve.mutate()}>
            {t('Approve and send')}
          </Button>
        )}
        <Button busy={isBusy} onClick={() => reject.mutate()}>
          {t('Reject')}
        </Button>
      </div>
    </div>
  );
}
