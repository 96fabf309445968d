import { Link } from '@tanstack/react-router';
import { api } from '../api/client.ts';
import { useAct, useApi, useShop, useShopId } from '../api/hooks.ts';
import { useMode } from '../api/mode.ts';
import { useFilters } from '../api/search.ts';
import type { WebhookLog } from '../api/types.ts';
import { t } from '../i18n/t.ts';
import { Badge, Button, Card, Empty, LINK, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Field, SearchField, Select } from '../ui/form.tsx';
import { when } from '../ui/format.ts';
import { Pager } from '../ui/table.tsx';
import { WebhookEndpoints } from './webhook-endpoints.tsx';

const FILTERS = ['state', 'status', 'paymentId', 'startDate', 'endDate'] as const;

export function WebhooksPage() {
  const merchantId = useShopId();
  const shop = useShop();
  const [search, change] = useFilters();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  const { viewed: mode } = useMode();
  const logs = useApi(
    '/merchant/webhook-logs',
    { ...filters, merchantId, mode, page: search['page'], limit: 15 },
    { refetchMs: 5_000 },
  );
  const test = useAct(() => api('POST', '/merchant/webhook/test', { body: {}, query: { merchantId } }));
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <>
      <PageTitle
        title={t('Webhooks')}
        lead={shop?.webhookUrl ?? t('No webhook URL is set: see the settings.')}
        actions={
          <Button
            look="primary"
            busy={test.isPending}
            disabled={(shop?.webhookUrl ?? null) === null}
            onClick={() => test.mutate()}
          >
            {t('Send a test')}
          </Button>
        }
      />
      {test.error !== null && <Problem error={test.error} />}
      {test.data !== undefined && <TestOutcome {...test.data} />}
      <WebhookEndpoints merchantId={merchantId} />
      <Card title={t('Deliveries')}>
        <Filters search={search} onChange={change} />
        <Shown of={logs}>
          {(data) => (
            <>
              {data.logs.length === 0 && (
                <None
                  isFiltered={isFiltered}
                  onClear={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
                />
              )}
              <ul className="divide-y divide-line">
                {data.logs.map((log) => (
                  <li key={log.id}>
                    <Log log={log} merchantId={merchantId} />
                  </li>
                ))}
              </ul>
              <Pager of={data.pagination} onPage={(next) => change({ page: String(next) })} />
            </>
          )}
        </Shown>
      </Card>
    </>
  );
}

function TestOutcome({ status, error }: { status: number; error: string | null }) {
  return (
    <p role="status" className={`mb-4 text-sm font-medium ${isFine(status) ? 'text-accent' : 'text-stop'}`}>
      {isFine(status)
        ? t('The test arrived: your endpoint answered {status}.', { status })
        : status === 0
          ? t('The test did not arrive: {error}.', { error: error ?? t('no answer came') })
          : t('The test arrived, and your endpoint answered {status}: see the delivery below.', { status })}
    </p>
  );
}

function None({ isFiltered, onClear }: { isFiltered: boolean; onClear: () => void }) {
  if (isFiltered) {
    return (
      <Empty title={t('No delivery matches')}>
        <Button onClick={onClear}>{t('Clear the filters')}</Button>
      </Empty>
    );
  }
  return (
    <Empty title={t('No delivery yet')}>
      {t('Every attempt to deliver a webhook is listed here, with what was sent and what came back.')}
    </Empty>
  );
}

export function isFine(status: number): boolean {
  return status >= 200 && status < 300;
}

function Filters(props: {
  search: Readonly<Record<string, string | undefined>>;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const { search, onChange } = props;
  return (
    <div role="search" className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Select
        label={t('Delivery')}
        value={search['state'] ?? ''}
        onChange={(event) => onChange({ state: event.target.value })}
      >
        <option value="">{t('Any')}</option>
        <option value="pending">{t('To be tried again')}</option>
        <option value="delivered">{t('Delivered')}</option>
        <option value="failed">{t('Given up')}</option>
      </Select>
      <Select
        label={t('Answer')}
        value={search['status'] ?? ''}
        onChange={(event) => onChange({ status: event.target.value })}
      >
        <option value="">{t('Any')}</option>
        {[200, 201, 204, 301, 302, 400, 401, 403, 404, 410, 429, 500, 502, 503].map((code) => (
          <option key={code}>{code}</option>
        ))}
        <option value="0">{t('None came')}</option>
      </Select>
      <SearchField
        label={t('Payment id')}
        value={search['paymentId'] ?? ''}
        onSearch={(text) => onChange({ paymentId: text })}
      />
      <Field
        label={t('From')}
        type="date"
        value={search['startDate'] ?? ''}
        onChange={(event) => onChange({ startDate: event.target.value })}
      />
      <Field
        label={t('Until')}
        type="date"
        value={search['endDate'] ?? ''}
        onChange={(event) => onChange({ endDate: event.target.value })}
      />
    </div>
  );
}

function Log({ log, merchantId }: { log: WebhookLog; merchantId: string }) {
  const again = useAct(() =>
    api('POST', '/merchant/webhook/redeliver', { query: { merchantId }, body: { logId: log.id } }),
  );
  return (
    <details className="py-3">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={isFine(log.status) ? 'good' : 'bad'}>
          {log.status === 0 ? noAnswer(log) : log.status}
        </Badge>
        <b className="font-semibold">{eventType(log)}</b>
        <span className="min-w-0 flex-1 truncate text-soft">{log.endpoint}</span>
        <span className="text-soft">
          {when(log.createdAt)} · {t('attempt {attempt}', { attempt: log.attempt })} · {log.durationMs} ms
          {log.nextAttemptAt !== null && ` · ${t('next {at}', { at: when(log.nextAttemptAt) })}`}
        </span>
      </summary>
      <div className="mt-3 grid gap-3 lg:grid-cols-2">
        <Message
          title={t('Request')}
          headers={log.request.headers}
          body={JSON.stringify(log.request.body, null, 2)}
        />
        <Message
          title={t('Response')}
          headers={log.response.headers}
          body={(log.status === 0 ? log.error : log.response.body) ?? ''}
        />
      </div>
      {again.error !== null && <Problem error={again.error} />}
      <div className="mt-3 flex flex-wrap items-center gap-3">
        <Button busy={again.isPending} onClick={() => again.mutate()}>
          {t('Send again')}
        </Button>
        {log.paymentId !== null && (
          <Link
            to="/shop/$shopId/payments/$paymentId"
            params={{ shopId: merchantId, paymentId: log.paymentId }}
            className={`text-sm ${LINK}`}
          >
            {t('Open the payment')}
          </Link>
        )}
      </div>
    </details>
  );
}

/** Some deliveries end without an attempt, because their endpoint does. */
function noAnswer({ error }: WebhookLog): string {
  return error?.startsWith('ended:') === true ? t('Ended') : t('No answer');
}

/** The event that a logged request tells of. */
export function eventType({ request }: WebhookLog): string {
  const { type } = request.body;
  return typeof type === 'string' ? type : t('Unknown event');
}

function Message(props: { title: string; headers: Record<string, string>; body: string }) {
  const headers = Object.entries(props.headers).map(([name, value]) => `${name}: ${value}`);
  return (
    <div className="min-w-0">
      <h2 className="mb-1 text-xs font-medium text-soft">{props.title}</h2>
      <pre
        tabIndex={0}
        aria-label={props.title}
        role="region"
        className="max-h-80 overflow-auto rounded-xl border border-line bg-well p-3 text-xs"
      >
        {[...headers, '', props.body].join('\n')}
      </pre>
    </div>
  );
}
