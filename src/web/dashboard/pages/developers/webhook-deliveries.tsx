import { useState } from 'react';
import type { Data, QueryOf } from '../../contract/contract.ts';
import { useApi, useTimeZone } from '../../api/hooks.ts';
import { useMode } from '../../api/mode.ts';
import { useFilters } from '../../api/search.ts';
import { EVENT_TYPES } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Card, Empty, Loaded } from '../../ui/basics.tsx';
import { Field, SearchField, Select } from '../../ui/form.tsx';
import { Pager } from '../../ui/table.tsx';
import { DeliveryEntry } from './webhook-delivery.tsx';

const FILTERS = ['state', 'event', 'endpointId', 'paymentId', 'startDate', 'endDate'] as const;
const LIVE_MS = 5_000;
const PAGE = 15;
/** Represents the URLs that payments set themselves. */
const OF_PAYMENTS = 'payment';

type Search = Readonly<Record<string, string | undefined>>;
type Change = (changes: Record<string, string | undefined>) => void;
type Query = QueryOf<'GET', '/merchant/webhook/deliveries'>;
type Deliveries = Data<'GET', '/merchant/webhook/deliveries'>;

/** The delivery of each event to each endpoint. */
export function WebhookDeliveries({ merchantId }: { merchantId: string }) {
  const [search, change] = useFilters();
  const filters = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  const { viewed: mode } = useMode();
  const timeZone = useTimeZone();
  const query = { ...filters, merchantId, mode, timeZone, page: search['page'], limit: PAGE };
  return (
    <Card title={t('Deliveries')}>
      <States state={search['state'] ?? ''} onChange={change} />
      <Filters search={search} merchantId={merchantId} onChange={change} />
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
    ['failed', t('Failed')],
    ['pending', t('Waiting')],
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

function Filters(props: { search: Search; merchantId: string; onChange: Change }) {
  const { search, merchantId, onChange } = props;
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
      <EndpointFilter
        merchantId={merchantId}
        value={search['endpointId'] ?? ''}
        onChange={(endpointId) => onChange({ endpointId })}
      />
      <div className="col-span-2 lg:col-span-1">
        <SearchField
          label={t('Payment id')}
          value={search['paymentId'] ?? ''}
          onSearch={(text) => onChange({ paymentId: text })}
        />
      </div>
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

function EndpointFilter(props: { merchantId: string; value: string; onChange: (id: string) => void }) {
  const { merchantId, value, onChange } = props;
  const { data } = useApi('/merchant/webhook/endpoint/list', { merchantId });
  const endpoints = data?.endpoints ?? [];
  const isListed = ['', OF_PAYMENTS, ...endpoints.map(({ id }) => id)].includes(value);
  return (
    <Select label={t('Endpoint')} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{t('Any')}</option>
      {endpoints.map(({ id, url }) => (
        <option key={id} value={id}>
          {url}
        </option>
      ))}
      <option value={OF_PAYMENTS}>{t('URLs of single payments')}</option>
      {!isListed && <option value={value}>{data === undefined ? '…' : t('One that was removed')}</option>}
    </Select>
  );
}

interface EntriesProps {
  readonly query: Query & { readonly merchantId: string };
  readonly isFiltered: boolean;
  readonly onChange: Change;
}

/** The list is not refreshed while one of its entries is open, so that it does not move. */
function Entries({ query, isFiltered, onChange }: EntriesProps) {
  const list = useApi('/merchant/webhook/deliveries', query, { refetchMs: LIVE_MS });
  const [opened, setOpened] = useState<ReadonlySet<string>>(new Set());
  const [paused, setPaused] = useState<Deliveries | null>(null);
  const clear = (): void => onChange(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  const toggle = (data: Deliveries, id: string, isOpen: boolean): void => {
    const next = new Set(opened);
    if (isOpen) next.add(id);
    else next.delete(id);
    setOpened(next);
    setPaused(next.size === 0 ? null : (paused ?? data));
  };
  return (
    <Loaded of={list}>
      {(newest) => {
        const data = paused ?? newest;
        return (
          <>
            {data.deliveries.length === 0 && <None isFiltered={isFiltered} onClear={clear} />}
            <ul className="divide-y divide-line">
              {data.deliveries.map((delivery) => (
                <li key={delivery.id}>
                  <DeliveryEntry
                    of={delivery}
                    merchantId={query.merchantId}
                    onToggle={(isOpen) => toggle(newest, delivery.id, isOpen)}
                  />
                </li>
              ))}
            </ul>
            <Pager of={data.pagination} onPage={(next) => onChange({ page: String(next) })} />
          </>
        );
      }}
    </Loaded>
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
      {t(
        'Every webhook is listed here as soon as it is to be sent, later with what was sent and what came back.',
      )}
    </Empty>
  );
}
