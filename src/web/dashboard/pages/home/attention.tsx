import { Link, useNavigate, useSearch } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import type { AttentionItem } from '../../contract/types.ts';
import { when } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { attentionAdvice, attentionMoney, attentionTitle } from '../../ui/attention-words.ts';
import { Badge, Button, CopyLine, Empty, LINK, Loaded, PageTitle } from '../../ui/basics.tsx';
import { Confirm } from '../../ui/dialog.tsx';
import { Pager } from '../../ui/table.tsx';
import { telling } from '../../ui/toast.ts';
import { AttentionAction } from './attention-action.tsx';

const LIVE_MS = 10_000;
const LIMIT = 20;

/** Everything that waits for a person of the shop, each with the one action that settles it. */
export function AttentionPage() {
  const merchantId = useShopId();
  const { viewed: mode } = useMode();
  const navigate = useNavigate();
  const { page: requested }: Readonly<Record<string, string | undefined>> = useSearch({ strict: false });
  const page = Math.max(1, Number(requested ?? '1') || 1);
  const [refundUrl, setRefundUrl] = useState<string | null>(null);
  const list = useApi(
    '/merchant/attention',
    { merchantId, mode, page, limit: LIMIT },
    { refetchMs: LIVE_MS },
  );
  const total = list.data?.pagination.total ?? 0;
  const turn = (next: number): void =>
    void navigate({ to: '.', search: (before: object) => ({ ...before, page: String(next) }) });
  return (
    <>
      <PageTitle title={total > 0 ? t('Needs you ({total})', { total: String(total) }) : t('Needs you')} />
      {refundUrl !== null && (
        <div role="status" className="mb-4 grid gap-2 rounded-2xl bg-accent-soft p-4 text-sm">
          <p>{t('Send this link to the payer. The refund is sent once they enter their address.')}</p>
          <CopyLine text={refundUrl} label={t('Copy refund link')} />
        </div>
      )}
      <Loaded of={list}>
        {({ items, pagination }) =>
          items.length === 0 ? (
            <Empty title={t('Nothing needs you')}>
              {t('Short, late and overpaid payments, refunds to approve and faults appear here.')}
            </Empty>
          ) : (
            <>
              <ul className="grid gap-3" aria-label={t('Needs you')}>
                {items.map((item) => (
                  <Item key={item.id} item={item} onRefundLink={setRefundUrl} />
                ))}
              </ul>
              <Pager of={pagination} onPage={turn} />
            </>
          )
        }
      </Loaded>
    </>
  );
}

function Item(props: { readonly item: AttentionItem; readonly onRefundLink: (url: string) => void }) {
  const { item, onRefundLink } = props;
  const { paymentId, order, destination, subscriptionId } = item.subject;
  const { approval } = item;
  const shopId = useShopId();
  const amount = attentionMoney(item, item.amount);
  const price = attentionMoney(item, item.price);
  const isPart = price !== null && amount !== null && price !== amount;
  return (
    <li className="grid gap-3 rounded-2xl border border-line bg-card p-4 sm:flex sm:items-center sm:justify-between">
      <div className="grid min-w-0 gap-1 text-sm">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h2 className="text-base font-semibold">{attentionTitle(item)}</h2>
          {item.severity === 'urgent' && <Badge tone="bad">{t('Urgent')}</Badge>}
        </div>
        {amount !== null && (
          <p className="money font-bold">{isPart ? t('{amount} of {price}', { amount, price }) : amount}</p>
        )}
        <p className="wrap-anywhere text-soft">{attentionAdvice(item)}</p>
        {approval !== null && (
          <p className="wrap-anywhere text-soft">
            {t('To {destination}', { destination: destination ?? '' })}
            {approval.requestedBy !== null && ` · ${t('Ordered by {name}', { name: approval.requestedBy })}`}
            {` · ${t('Ends without an approval:')} ${when(approval.expiresAt)}`}
          </p>
        )}
        <p className="flex flex-wrap gap-x-3 text-xs text-soft">
          {paymentId !== null && (
            <Link to="/shop/$shopId/payments/$paymentId" params={{ shopId, paymentId }} className={LINK}>
              {t('Order {orderId}', { orderId: order ?? paymentId })}
            </Link>
          )}
          {subscriptionId !== null && (
            <Link
              to="/shop/$shopId/subscriptions/$subscriptionId"
              params={{ shopId, subscriptionId }}
              className={LINK}
            >
              {t('Subscription')}
            </Link>
          )}
          {item.since !== null && <span>{t('Since {time}', { time: when(item.since) })}</span>}
        </p>
      </div>
      <div className="flex shrink-0 flex-wrap gap-2">
        <AttentionAction item={item} onRefundLink={onRefundLink} />
        <DismissItem item={item} />
      </div>
    </li>
  );
}

function DismissItem({ item }: { item: AttentionItem }) {
  const [isOpen, setOpen] = useState(false);
  const merchantId = useShopId();
  const { viewed: mode } = useMode();
  const close = (): void => setOpen(false);
  const dismiss = useAct(
    () =>
      api('POST', '/merchant/attention/dismiss', {
        query: { merchantId },
        body: { id: item.id, ...(mode === undefined ? {} : { mode }) },
      }),
    telling(t('Dismissed'), close),
  );
  if (!item.mayDismiss) return null;
  return (
    <>
      <Button look="quiet" onClick={() => setOpen(true)}>
        {t('Dismiss')}
      </Button>
      <Confirm
        title={t('Dismiss this?')}
        open={isOpen}
        onClose={close}
        action={t('Yes, dismiss it')}
        busy={dismiss.isPending}
        error={dismiss.error}
        onConfirm={() => dismiss.mutate()}
      >
        <p>{attentionTitle(item)}</p>
        <p className="text-soft">
          {t('It leaves the list for everyone in the shop, and returns when something about it changes.')}
        </p>
      </Confirm>
    </>
  );
}
