import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { useFilters } from '../../api/search.ts';
import type { ListedPaymentLink, PaymentLink } from '../../contract/types.ts';
import { plural, t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, Empty, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { fiat } from '../../format/format.ts';
import { Pager } from '../../ui/table.tsx';
import { createdByText } from '../../ui/created-by.ts';
import { telling } from '../../ui/toast.ts';
import { EditLink } from './link-form.tsx';
import { ShareLink } from './link-share.tsx';

const LIVE_MS = 15_000;

type Opened =
  | { kind: 'edit'; link: PaymentLink | null }
  | { kind: 'share'; link: PaymentLink & Partial<Pick<ListedPaymentLink, 'price'>> };

function formTitle(opened: Opened | null): string {
  if (opened?.kind === 'share') return opened.link.name;
  return opened?.link ? t('Edit payment link') : t('New payment link');
}

function asks({ amount, currency, openAmount, kind, price }: ListedPaymentLink): string {
  if (price !== null)
    return t('{price} (from {product})', {
      price: fiat(price.amount, price.currency),
      product: price.product,
    });
  if (currency === null) return t('A product’s price');
  if (amount !== null) return fiat(amount, currency);
  if (kind === 'pos') return t('Keypad for the counter, {currency}', { currency });
  const { min, max } = openAmount ?? {};
  const limits = [
    min && t('from {min}', { min: fiat(min, currency) }),
    max && t('up to {max}', { max: fiat(max, currency) }),
  ];
  return [t('The payer chooses'), ...limits.filter((limit) => limit !== undefined && limit !== '')].join(
    ', ',
  );
}

/** How many payments a link has brought in, and what they add up to. */
function sales({ payments: { count, totals } }: ListedPaymentLink): string {
  if (count === 0) return t('No payments yet');
  const sum = totals.map(({ currency, amount }) => fiat(amount, currency)).join(' + ');
  const payments = plural(count, '{count} payment', '{count} payments');
  return t('{payments}, {sum}', { payments, sum });
}

/** Pages on which anyone can pay the shop. */
export function LinksPage() {
  const merchantId = useShopId();
  const [{ page, create }, change] = useFilters();
  const [opened, setOpened] = useState<Opened | null>(
    create === undefined ? null : { kind: 'edit', link: null },
  );
  const { viewed: mode } = useMode();
  const query = { merchantId, page, limit: 12, mode };
  const list = useApi('/merchant/link/list', query, { refetchMs: LIVE_MS, enabled: mode !== undefined });
  const close = (): void => {
    setOpened(null);
    if (create !== undefined) change({ create: undefined });
  };
  const show = (link: PaymentLink): void => setOpened({ kind: 'share', link });
  return (
    <>
      <PageTitle
        title={t('Payment links')}
        lead={t('Pages anyone can pay on: for an invoice, a poster, or the counter.')}
        actions={
          <Button look="primary" onClick={() => setOpened({ kind: 'edit', link: null })}>
            {t('New payment link')}
          </Button>
        }
      />
      <Loaded of={list}>
        {({ links, pagination }) => (
          <>
            {links.length === 0 ? (
              <Card>
                <Empty title={t('No payment link yet')}>
                  {t('Each creates a payment for every customer who opens it and continues.')}
                </Empty>
              </Card>
            ) : (
              <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
                {links.map((link) => (
                  <li key={link.id} className="min-w-0">
                    <LinkCard link={link} onOpen={setOpened} />
                  </li>
                ))}
              </ul>
            )}
            <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
          </>
        )}
      </Loaded>
      <Dialog title={formTitle(opened)} open={opened !== null} onClose={close}>
        {opened?.kind === 'edit' && (
          <EditLink
            link={opened.link}
            onDone={opened.link === null ? show : telling(t('Payment link saved'), close)}
          />
        )}
        {opened?.kind === 'share' && (
          <ShareLink
            link={opened.link}
            {...(opened.link.price
              ? { price: fiat(opened.link.price.amount, opened.link.price.currency) }
              : {})}
          />
        )}
      </Dialog>
    </>
  );
}

function LinkCard({ link, onOpen }: { link: ListedPaymentLink; onOpen: (opened: Opened) => void }) {
  const { id: paymentLinkId, active } = link;
  const maker = createdByText(link.createdBy);
  const [isDeleting, setDeleting] = useState(false);
  const flip = useAct(() =>
    api('PATCH', '/merchant/link/edit', { body: { paymentLinkId, active: !active } }),
  );
  return (
    <Card className="h-full">
      <div className="mb-3 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold break-words">{link.name}</h2>
          <p className="text-sm break-words text-soft">{asks(link)}</p>
          <p className="text-sm break-words">{sales(link)}</p>
          {maker !== null && <p className="text-xs break-words text-soft">{maker}</p>}
        </div>
        <Badge tone={active ? 'good' : 'idle'}>{active ? t('Active') : t('Closed')}</Badge>
      </div>
      <CopyLine text={link.url} label={t('address of {name}', { name: link.name })} />
      {flip.error !== null && <Problem error={flip.error} />}
      <div className="mt-3 flex flex-wrap gap-x-1 gap-y-2">
        <Button isSmall className="me-1" onClick={() => onOpen({ kind: 'share', link })}>
          {t('Share')}
        </Button>
        <Button look="quiet" isSmall onClick={() => onOpen({ kind: 'edit', link })}>
          {t('Edit')}
        </Button>
        <Button look="quiet" isSmall busy={flip.isPending} onClick={() => flip.mutate()}>
          {active ? t('Deactivate') : t('Activate')}
        </Button>
        <Button
          look="quiet"
          isSmall
          aria-label={t('Delete {name}', { name: link.name })}
          onClick={() => setDeleting(true)}
        >
          {t('Delete')}
        </Button>
      </div>
      <DeleteLink link={link} open={isDeleting} onClose={() => setDeleting(false)} />
    </Card>
  );
}

function DeleteLink(props: {
  readonly link: PaymentLink;
  readonly open: boolean;
  readonly onClose: () => void;
}) {
  const { link, open, onClose } = props;
  const remove = useAct(
    () => api('DELETE', '/merchant/link/delete', { body: { paymentLinkId: link.id } }),
    telling(t('Payment link deleted'), onClose),
  );
  return (
    <Confirm
      title={t('Delete {name}', { name: link.name })}
      action={t('Delete')}
      open={open}
      onClose={onClose}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      <p>{t('Its page will say that it is closed. Payments already made stay. This cannot be undone.')}</p>
    </Confirm>
  );
}
