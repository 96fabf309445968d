import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import type { Data, QueryOf } from '../api/contract.ts';
import { useAct, useApi } from '../api/hooks.ts';
import { useMode } from '../api/mode.ts';
import { useFilters } from '../api/search.ts';
import { EVENT_TYPES, type WebhookLog } from '../api/types.ts';
import { parts, plural, t } from '../i18n/t.ts';
import { Button, Card, Empty, LINK, Problem, Shown } from '../ui/basics.tsx';
import { Field, SearchField, Select } from '../ui/form.tsx';
import { Pager } from '../ui/table.tsx';
import { Attempt, eventType, isFine, Outcome } from './webhook-attempt.tsx';
import { Time } from '../ui/time.tsx';

const FILTERS = ['state', 'event', 'status', 'paymentId', 'startDate', 'endDate'] as const;
/** Answers that servers give to webhooks. */
const ANSWERS = [200, 201, 204, 301, 302, 400, 401, 403, 404, 410, 429, 500, 502, 503];
const LIVE_MS = 5_000;
const PAGE = 15;

type Search = Readonly<Record<string, string | undefined>>;
type Change = (changes: Record<string, string | undefined>) => void;
type Query = QueryOf<'GET', '/merchant/webhook-logs'>;
type Logs = Data<'GET', '/merchant/webhook-logs'>;

/** Every attempt to deliver a webhook, those of one event together. */
export function WebhookDeliveries({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  const { viewed: mode } = useMode();
  const query = { ...filters, merchantId, mode, page: search['page'], limit: PAGE };
  return (
    <Card title={t('Deliveries')}>
      <States state={search['state'] ?? ''} onChange={change} />
      <Filters search={search} onChange={change} />
      <Entries
        key={JSON.stringify(query)}
        query={query}
        isFiltered={FILTERS.some((name) => search[name] !== undefined)}
        onChange={change}
      />
    </Card>
  );
}

function States({ state, onChange }: { state: string; onChange: Change }) {
  const states = [
    ['', t('All')],
    ['failed', t('Given up')],
    ['pending', t('To be tried again')],
    ['delivered', t('Delivered')],
  ] as const;
  return (
    <nav aria-label={t('Delivery')} className="mb-4 flex flex-wrap gap-2">
      {states.map(([value, name]) => (
        <Button
          key={value}
          isSmall
          look={value === state ? 'primary' : 'plain'}
          aria-pressed={value === state}
          onClick={() => onChange({ state: value })}
        >
          {name}
        </Button>
      ))}
    </nav>
  );
}

function Filters({ search, onChange }: { search: Search; onChange: Change }) {
  return (
    <div role="search" className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-5">
      <Select
        label={t('Event')}
        value={search['event'] ?? ''}
        onChange={(event) => onChange({ event: event.target.value })}
      >
        <option value="">{t('Any')}</option>
        {EVENT_TYPES.map((type) => (
          <option key={type}>{type}</option>
        ))}
      </Select>
      <Select
        label={t('Answer')}
        value={search['status'] ?? ''}
        onChange={(event) => onChange({ status: event.target.value })}
      >
        <option value="">{t('Any')}</option>
        {ANSWERS.map((code) => (
          <option key={code}>{code}</option>
        ))}
        <option value="0">{t('None came')}</option>
      </Select>
      <SearchField
        label={t('Payment id')}
        value={search['paymentId'] ?? ''}
        onSearch={(text) => onChange({ paymentId: text })}
      />
      {(['startDate', 'endDate'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'startDate' ? t('From') : t('Until')}
          type="date"
          value={search[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      ))}
    </div>
  );
}

interface EntriesProps {
  readonly query: Query & { readonly merchantId: string };
  readonly isFiltered: boolean;
  readonly onChange: Change;
}

/** The list stands still while one of its entries is open, so that nobody loses the place. */
function Entries({ query, isFiltered, onChange }: EntriesProps) {
  const logs = useApi('/merchant/webhook-logs', query, { refetchMs: LIVE_MS });
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [held, setHeld] = useState<Logs | null>(null);
  const clear = (): void => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  const toggle = (data: Logs, key: string, isOpen: boolean): void => {
    const next = new Set(opened);
    if (isOpen) next.add(key);
    else next.delete(key);
    setOpened(next);
    setHeld(next.size === 0 ? null : (held ?? data));
  };
  return (
    <Shown of={logs}>
      {(newest) => {
        const data = held ?? newest;
        return (
          <>
            {data.logs.length === 0 && <None isFiltered={isFiltered} onClear={clear} />}
            <ul className="divide-y divide-line">
              {byEvent(data.logs).map(([key, attempts]) => (
                <li key={key}>
                  <Entry
                    attempts={attempts}
                    merchantId={query.merchantId}
                    onToggle={(isOpen) => toggle(newest, key, isOpen)}
                  />
                </li>
              ))}
            </ul>
            <Pager of={data.pagination} onPage={(next) => onChange({ page: String(next) })} />
          </>
        );
      }}
    </Shown>
  );
}

/** Attempts of one event at one endpoint, newest first, where the newest of them is in the list. */
function byEvent(logs: readonly WebhookLog[]): [string, [WebhookLog, ...WebhookLog[]]][] {
  const groups = new Map<string, [WebhookLog, ...WebhookLog[]]>();
  for (const log of logs) {
    const key = `${log.eventId} ${log.endpoint}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [log]);
    else group.push(log);
  }
  return [...groups];
}

interface EntryProps {
  readonly attempts: readonly [WebhookLog, ...WebhookLog[]];
  readonly merchantId: string;
  readonly onToggle: (isOpen: boolean) => void;
}

function Entry({ attempts, merchantId, onToggle }: EntryProps) {
  const [newest, ...earlier] = attempts;
  // Those of earlier pages count, and so do those that were asked for by hand.
  const count = Math.max(newest.attempt, attempts.length);
  const name = (at: number): string => `${newest.eventId}, ${attempts.length - at}`;
  return (
    <details className="py-3" onToggle={(event) => onToggle(event.currentTarget.open)}>
      <summary className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm">
        <Outcome log={newest} />
        <b className="font-semibold">{eventType(newest)}</b>
        <span className="min-w-0 flex-1 truncate text-soft">{newest.endpoint}</span>
        <span className="text-soft">
          <Time at={newest.createdAt} /> · {plural(count, 'one attempt', '{count} attempts')} ·{' '}
          {newest.durationMs} ms
          {newest.nextAttemptAt !== null && (
            <> · {parts('next {at}', { at: <Time at={newest.nextAttemptAt} /> })}</>
          )}
        </span>
      </summary>
      <Attempt log={newest} number={name(0)} />
      {earlier.map((log, at) => (
        <div key={log.id} className="mt-4">
          <p className="flex flex-wrap items-center gap-x-3 text-sm text-soft">
            <Outcome log={log} />
            {t('attempt {attempt}', { attempt: log.attempt })} · <Time at={log.createdAt} exact="second" /> ·{' '}
            {log.durationMs} ms
          </p>
          <Attempt log={log} number={name(at + 1)} />
        </div>
      ))}
      <SendAgain log={newest} merchantId={merchantId} />
    </details>
  );
}

function SendAgain({ log, merchantId }: { log: WebhookLog; merchantId: string }) {
  const again = useAct(() =>
    api('POST', '/merchant/webhook/redeliver', { query: { merchantId }, body: { logId: log.id } }),
  );
  return (
    <>
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
        <span role="status" className="text-sm font-medium">
          {again.data !== undefined && sentAgain(again.data)}
        </span>
      </div>
    </>
  );
}

function sentAgain({ status, error }: { status: number; error: string | null }): string {
  if (isFine(status)) return t('Sent again: your endpoint answered {status}.', { status });
  if (status !== 0) return t('Sent again, and your endpoint answered {status}.', { status });
  return t('Sent again, without an answer: {error}.', { error: error ?? t('no answer came') });
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
