import { useState } from 'react';
import type { QueryOf } from '../../contract/contract.ts';
import { useCustomers } from '../../api/customers-by-id.ts';
import { useApi, useShopId, useTimeZone } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useMode } from '../../api/mode.ts';
import { useFilters } from '../../api/search.ts';
import { paymentsCsv } from '../../api/sheets.ts';
import { EXCEPTIONS, STATUSES, type Payment } from '../../contract/types.ts';
import { COINS } from '../../format/coins.ts';
import { plural, t } from '../../i18n/t.ts';
import { Button, Card, Empty, PageTitle, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { plainAmount } from '../../format/decimal.ts';
import { ExportCsv } from '../../ui/export-csv.tsx';
import { Field, SearchField, Select } from '../../ui/form.tsx';
import { short } from '../../format/format.ts';
import { PaymentTable } from '../../ui/payment-table.tsx';
import { Pager, pageSize } from '../../ui/table.tsx';
import { words } from '../../ui/labels.ts';
import { useIsNarrow } from '../../ui/use-is-narrow.ts';
import { ExportMovements } from '../money/export-movements.tsx';
import { NewPayment } from './new-payment.tsx';

const FILTERS = [
  'search',
  'status',
  'exception',
  'coin',
  'orderId',
  'customerId',
  'startDate',
  'endDate',
] as const;

/** Newest first. */
const SORT = '-createdAt';

/** The first click sorts by a column, the second reverses the order, the third restores the default. */
function nextSort(key: string, sort: string): string {
  if (key === 'createdAt') return sort === SORT ? key : SORT;
  if (sort === `-${key}`) return SORT;
  return sort === key ? `-${key}` : key;
}

export function PaymentsPage() {
  const merchantId = useShopId();
  const [search, change] = useFilters();
  const timeZone = useTimeZone();
  const { viewed: mode, isOther } = useMode();
  const may = usePermission();
  const query: QueryOf<'GET', '/payment/list'> = {
    ...Object.fromEntries(FILTERS.map((name) => [name, search[name]])),
    search: search['search'] === undefined ? undefined : plainAmount(search['search']),
    sort: search['sort'],
    timeZone,
    mode,
  };
  const list = useApi(
    '/payment/list',
    { ...query, merchantId, page: search['page'], limit: pageSize(search['limit']) },
    { refetchMs: 8_000 },
  );
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <>
      <PageTitle
        title={t('Payments')}
        actions={
          <>
            {may('wallet:read') && <ExportMovements />}
            <ExportCsv
              name="payments.csv"
              csv={(onProgress) => paymentsCsv({ ...query, merchantId }, may('customers:read'), onProgress)}
            />
            {!isOther && may('payments:write') && <CreatePayment />}
          </>
        }
      />
      <Card>
        <Filters search={search} timeZone={timeZone} onChange={change} />
        <Loaded of={list}>
          {({ payments, pagination }) => (
            <>
              {payments.length === 0 ? (
                <NoPayments isFiltered={isFiltered} />
              ) : (
                <Sorted payments={payments} />
              )}
              {isFiltered && payments.length > 0 && <Matches count={pagination.total} />}
              <Pager
                of={pagination}
                onPage={(page) => change({ page: String(page) })}
                onSize={(limit) => change({ limit })}
                isSorted={(search['sort'] ?? SORT) !== SORT}
              />
            </>
          )}
        </Loaded>
      </Card>
    </>
  );
}

/** The button and its form, which opens at once where the address has `create`, with the price named there. */
function CreatePayment() {
  const merchantId = useShopId();
  const [{ create, amount, currency }, change] = useFilters();
  const [isOpen, setOpen] = useState(create !== undefined);
  const close = (): void => {
    setOpen(false);
    if (create !== undefined) change({ create: undefined, amount: undefined, currency: undefined });
  };
  return (
    <>
      <Button look="primary" onClick={() => setOpen(true)}>
        {t('New payment')}
      </Button>
      <Dialog title={t('New payment')} open={isOpen} onClose={close}>
        <NewPayment merchantId={merchantId} amount={amount} currency={currency} />
      </Dialog>
    </>
  );
}

function NoPayments({ isFiltered }: { isFiltered: boolean }) {
  const [, change] = useFilters();
  const { isOther } = useMode();
  const clear = (): void => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])));
  if (isFiltered) {
    return (
      <Empty title={t('No payment matches')}>
        <Button onClick={clear}>{t('Clear the filters')}</Button>
      </Empty>
    );
  }
  return (
    <Empty title={t('No payment yet')}>
      {!isOther && t('Create one here, or let your shop create them with its public key.')}
    </Empty>
  );
}

function Sorted({ payments }: { payments: readonly Payment[] }) {
  const [{ sort = SORT }, change] = useFilters();
  const customers = useCustomers(useShopId(), payments);
  const onSort = (key: string): void => {
    const next = nextSort(key, sort);
    change({ sort: next === SORT ? undefined : next });
  };
  return (
    <PaymentTable
      payments={payments}
      {...(customers === undefined ? {} : { customers })}
      sorting={{ by: sort, onSort }}
    />
  );
}

function Matches({ count }: { count: number }) {
  return (
    <p role="status" className="mt-3 text-xs text-soft">
      {plural(count, 'One payment matches', '{count} payments match')}
    </p>
  );
}

interface FilterProps {
  readonly search: Readonly<Record<string, string | undefined>>;
  readonly onChange: (changes: Record<string, string | undefined>) => void;
}

/** A filter by one of the values of a field of payments, or by none. */
function Choice(
  props: FilterProps & {
    readonly name: 'status' | 'exception' | 'coin';
    readonly label: string;
    readonly options: readonly string[];
  },
) {
  const { name, search, onChange } = props;
  return (
    <Select
      label={props.label}
      value={search[name] ?? ''}
      onChange={(event) => onChange({ [name]: event.target.value })}
    >
      <option value="">{t('Any')}</option>
      {props.options.map((option) => (
        <option key={option} value={option}>
          {name === 'coin' ? option : words(option)}
        </option>
      ))}
    </Select>
  );
}

function Filters(props: FilterProps & { readonly timeZone: string }) {
  const { search, timeZone, onChange } = props;
  const isNarrow = useIsNarrow();
  const [isWanted, setWanted] = useState(false);
  const chosen = FILTERS.filter((name) => name !== 'search' && search[name] !== undefined).length;
  if (isNarrow && !isWanted && chosen === 0) {
    return (
      <div role="search" className="mb-4 grid gap-3">
        <SearchField
          label={t('Search')}
          placeholder={t('Order, email, amount, transaction or address')}
          value={search['search'] ?? ''}
          onSearch={(text) => onChange({ search: text })}
        />
        <Button isSmall className="justify-self-start" onClick={() => setWanted(true)}>
          {t('More filters')}
        </Button>
      </div>
    );
  }
  return (
    <div role="search" className="mb-4 grid grid-cols-2 gap-3 lg:grid-cols-5">
      <div className="col-span-2 lg:col-span-5">
        <SearchField
          label={t('Search')}
          placeholder={t('Order, email, amount, transaction or address')}
          value={search['search'] ?? ''}
          onSearch={(text) => onChange({ search: text })}
        />
      </div>
      <Choice name="status" label={t('Status')} options={STATUSES} {...props} />
      <Choice name="exception" label={t('Exception')} options={EXCEPTIONS} {...props} />
      <Choice name="coin" label={t('Coin')} options={COINS} {...props} />
      {(['startDate', 'endDate'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'startDate' ? t('From') : t('Until')}
          type="date"
          hint={t('In {timeZone}', { timeZone: timeZone.replaceAll('_', ' ') })}
          value={search[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      ))}
      {(['customerId', 'orderId'] as const).map((name) => {
        const value = search[name];
        if (value === undefined) return null;
        return (
          <Button
            key={name}
            className="col-span-2 justify-self-start"
            title={value}
            onClick={() => onChange({ [name]: undefined })}
          >
            {name === 'customerId' ? t('Customer') : t('Order')} {short(value)}
            <span className="sr-only">{t(': remove this filter')}</span>
            <span aria-hidden="true">✕</span>
          </Button>
        );
      })}
    </div>
  );
}
