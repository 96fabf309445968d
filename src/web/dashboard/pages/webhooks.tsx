import { api } from '../api/client.ts';
import { useAct, useApi, useShop, useShopId } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import type { Pagination, WebhookLog } from '../api/types.ts';
import { Badge, Button, Card, Empty, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Field, Select } from '../ui/form.tsx';
import { when } from '../ui/format.ts';
import { Pager } from '../ui/table.tsx';

export function WebhooksPage() {
  const merchantId = useShopId();
  const shop = useShop();
  const [search, change] = useFilters();
  const { status, paymentId, startDate, endDate, page } = search;
  const logs = useApi<{ logs: WebhookLog[]; pagination: Pagination }>(
    '/merchant/webhook-logs',
    { merchantId, status, paymentId, startDate, endDate, page, limit: 15 },
    { refetchMs: 5_000 },
  );
  const test = useAct(() =>
    api<{ status: number }>('POST', '/merchant/webhook/test', { body: { merchantId } }),
  );
  return (
    <>
      <PageTitle
        title="Webhooks"
        lead={shop?.webhookUrl ?? 'No webhook URL is set: see the settings.'}
        actions={
          <Button
            look="primary"
            busy={test.isPending}
            disabled={(shop?.webhookUrl ?? null) === null}
            onClick={() => test.mutate()}
          >
            Send a test
          </Button>
        }
      />
      {test.error !== null && <Problem error={test.error} />}
      <Card>
        <Filters search={search} onChange={change} />
        <Shown of={logs}>
          {(data) => (
            <>
              {data.logs.length === 0 && (
                <Empty title="No delivery to show">Every attempt to deliver a webhook is listed here.</Empty>
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

function Filters(props: {
  search: Readonly<Record<string, string | undefined>>;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const { search, onChange } = props;
  return (
    <div role="search" className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Select
        label="Answer"
        value={search['status'] ?? ''}
        onChange={(event) => onChange({ status: event.target.value })}
      >
        <option value="">Any</option>
        {[200, 201, 204, 301, 302, 400, 401, 403, 404, 410, 429, 500, 502, 503].map((code) => (
          <option key={code}>{code}</option>
        ))}
        <option value="0">None came</option>
      </Select>
      <Field
        label="Payment id"
        type="search"
        defaultValue={search['paymentId'] ?? ''}
        onChange={(event) => onChange({ paymentId: event.target.value })}
      />
      <Field
        label="From"
        type="date"
        value={search['startDate'] ?? ''}
        onChange={(event) => onChange({ startDate: event.target.value })}
      />
      <Field
        label="Until"
        type="date"
        value={search['endDate'] ?? ''}
        onChange={(event) => onChange({ endDate: event.target.value })}
      />
    </div>
  );
}

function Log({ log, merchantId }: { log: WebhookLog; merchantId: string }) {
  const again = useAct(() =>
    api('POST', '/merchant/webhook/redeliver', { body: { merchantId, logId: log.id } }),
  );
  const isDone = log.status >= 200 && log.status < 300;
  return (
    <details className="py-3">
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Badge tone={isDone ? 'good' : 'bad'}>{log.status === 0 ? 'No answer' : log.status}</Badge>
        <b className="font-semibold">{log.request.body.type}</b>
        <span className="min-w-0 flex-1 truncate text-soft">{log.endpoint}</span>
        <span className="text-soft">
          {when(log.createdAt)} · attempt {log.attempt} · {log.durationMs} ms
        </span>
      </summary>
      <div className="mt-3 grid gap-3 lg:grid-cols-2">
        <Message
          title="Request"
          headers={log.request.headers}
          body={JSON.stringify(log.request.body, null, 2)}
        />
        <Message title="Response" headers={log.response.headers} body={log.error ?? log.response.body} />
      </div>
      {again.error !== null && <Problem error={again.error} />}
      <Button className="mt-3" busy={again.isPending} onClick={() => again.mutate()}>
        Send again
      </Button>
    </details>
  );
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
