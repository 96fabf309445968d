import { useInfiniteQuery } from '@tanstack/react-query';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import type { AuditPage } from '../../api/people.ts';
import { useShopId } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, Empty, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { EmailText } from '../../ui/email-text.tsx';
import { actionName } from '../../ui/actions.ts';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { short } from '../../format/format.ts';
import { Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';

type Entry = AuditPage['entries'][number];

/** The audit log of the shop: user, action and time. */
export function AuditLogPage() {
  const merchantId = useShopId();
  const [search, change] = useFilters();
  const isMoney = search['about'] === 'money';
  return (
    <>
      <PageTitle
        title={t('Audit log')}
        lead={t('Who changed what in this shop, from where, and how it ended.')}
      />
      <div className="mb-4">
        <Button
          aria-pressed={isMoney}
          look={isMoney ? 'primary' : 'plain'}
          onClick={() => change({ about: isMoney ? undefined : 'money' })}
        >
          {t('About money')}
        </Button>
      </div>
      <AuditLog query={isMoney ? { merchantId, about: 'money' } : { merchantId }} />
    </>
  );
}

interface AuditQuery extends Readonly<Record<string, string>> {
  readonly merchantId: string;
}

/** Entries of a shop, or of the user's own account. */
export function AuditLog({ query }: { query: AuditQuery | null }) {
  const log = useInfiniteQuery<AuditPage, ApiError, { pages: AuditPage[] }, unknown[], number | null>({
    queryKey: ['/audit', query],
    initialPageParam: null,
    queryFn: async ({ pageParam }) => {
      const before: Record<string, string> = pageParam === null ? {} : { before: String(pageParam) };
      return query === null
        ? requestPrivate('GET /auth/audit', undefined, before)
        : requestPrivate('GET /merchant/audit', undefined, { ...query, ...before });
    },
    getNextPageParam: ({ next }) => next,
  });
  return (
    <Card {...(query === null ? { title: t('Recent activity') } : {})}>
      <Loaded of={log}>
        {({ pages }) => {
          const entries = pages.flatMap((page) => page.entries);
          return entries.length === 0 ? (
            <Empty title={t('Nothing yet')}>{t('Changes are listed here.')}</Empty>
          ) : (
            <Entries of={entries} hasActors={query !== null} />
          );
        }}
      </Loaded>
      {log.error !== null && log.data !== undefined && <Problem error={log.error} />}
      {log.hasNextPage && (
        <Button className="mt-4" busy={log.isFetchingNextPage} onClick={() => void log.fetchNextPage()}>
          {t('Older')}
        </Button>
      )}
    </Card>
  );
}

function Entries({ of, hasActors }: { of: readonly Entry[]; hasActors: boolean }) {
  const actorColumn = {
    title: t('Who'),
    cell: ({ actor }: Entry) => <EmailText of={actor.name} />,
  };
  const isNarrow = useIsNarrow();
  return (
    <Table
      label={t('Audit log')}
      rows={of}
      keyOf={({ id }) => String(id)}
      columns={[
        { title: t('When'), cell: ({ at }) => <Time at={at} /> },
        ...(hasActors && !isNarrow ? [actorColumn] : []),
        {
          title: t('What'),
          cell: ({ action, objectId, actor }) => (
            <>
              <span title={action} className="wrap-anywhere">
                {actionName(action)}
              </span>
              {hasActors && isNarrow && (
                <small className="block text-soft">
                  <EmailText of={actor.name} />
                </small>
              )}
              {objectId !== null && (
                <code className="block text-xs text-soft" title={objectId}>
                  {short(objectId)}
                </code>
              )}
            </>
          ),
        },
        {
          title: t('IP address'),
          wide: true,
          cell: ({ address, userAgent }) => <span title={userAgent}>{address}</span>,
        },
        { title: t('Result'), end: true, cell: ({ result }) => <Result of={result} /> },
      ]}
    />
  );
}

function Result({ of }: { of: string | null }) {
  if (of === 'OK') return <Badge tone="good">{t('Done')}</Badge>;
  if (of === null) return <Badge tone="warn">{t('Not known')}</Badge>;
  return (
    <Badge tone="bad">
      <span title={of}>{t('Refused')}</span>
    </Badge>
  );
}
