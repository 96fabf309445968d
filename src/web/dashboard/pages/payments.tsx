import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { download, paymentsCsv } from '../api/csv.ts';
import { useAct, useApi, useShopId } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import { COINS, STATUSES, type Customer, type Pagination, type Payment } from '../api/types.ts';
import { Button, Card, Empty, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, fieldError, Form, Select } from '../ui/form.tsx';
import { words } from '../ui/format.ts';
import { PaymentTable } from '../ui/payment-table.tsx';
import { Pager } from '../ui/table.tsx';

const FILTERS = ['status', 'coin', 'orderId', 'customerId', 'startDate', 'endDate'] as const;

export function PaymentsPage() {
  const merchantId = useShopId();
  const [search, change] = useFilters();
  const [creating, setCreating] = useState(false);
  const query = Object.fromEntries(FILTERS.map((name) => [name, search[name]]));
  const list = useApi<{ payments: Payment[]; pagination: Pagination }>(
    '/payment/list',
    { ...query, merchantId, page: search['page'], limit: 20 },
    { refetchMs: 8_000 },
  );
  const isFiltered = FILTERS.some((name) => search[name] !== undefined);
  return (
    <>
      <PageTitle
        title="Payments"
        actions={
          <>
            <Export query={{ ...query, merchantId }} />
            <Button look="primary" onClick={() => setCreating(true)}>
              New payment
            </Button>
          </>
        }
      />
      <Card>
        <Filters search={search} onChange={change} />
        <Shown of={list}>
          {({ payments, pagination }) => (
            <>
              {payments.length === 0 ? (
                <Empty title={isFiltered ? 'No payment matches' : 'No payment yet'}>
                  {isFiltered ? (
                    <Button
                      onClick={() => change(Object.fromEntries(FILTERS.map((name) => [name, undefined])))}
                    >
                      Clear the filters
                    </Button>
                  ) : (
                    'Create one here, or let your shop create them with its public key.'
                  )}
                </Empty>
              ) : (
                <PaymentTable payments={payments} />
              )}
              <Pager of={pagination} onPage={(page) => change({ page: String(page) })} />
            </>
          )}
        </Shown>
      </Card>
      <Dialog title="New payment" open={creating} onClose={() => setCreating(false)}>
        <NewPayment merchantId={merchantId} />
      </Dialog>
    </>
  );
}

function Filters(props: {
  search: Readonly<Record<string, string | undefined>>;
  onChange: (changes: Record<string, string | undefined>) => void;
}) {
  const { search, onChange } = props;
  return (
    <form
      role="search"
      className="mb-4 grid grid-cols-2 gap-3 *:first:col-span-2 lg:grid-cols-5 lg:*:first:col-span-1"
      onSubmit={(event) => {
        event.preventDefault();
        const orderId = new FormData(event.currentTarget).get('orderId');
        onChange({ orderId: typeof orderId === 'string' ? orderId : undefined });
      }}
    >
      <Field
        key={search['orderId'] ?? ''}
        label="Order id"
        name="orderId"
        type="search"
        placeholder="Exact, then Enter"
        defaultValue={search['orderId'] ?? ''}
      />
      <Select
        label="Status"
        value={search['status'] ?? ''}
        onChange={(event) => onChange({ status: event.target.value })}
      >
        <option value="">Any</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {words(status)}
          </option>
        ))}
      </Select>
      <Select
        label="Coin"
        value={search['coin'] ?? ''}
        onChange={(event) => onChange({ coin: event.target.value })}
      >
        <option value="">Any</option>
        {COINS.map((coin) => (
          <option key={coin}>{coin}</option>
        ))}
      </Select>
      {(['startDate', 'endDate'] as const).map((name) => (
        <Field
          key={name}
          label={name === 'startDate' ? 'From' : 'Until'}
          type="date"
          value={search[name] ?? ''}
          onChange={(event) => onChange({ [name]: event.target.value })}
        />
      ))}
    </form>
  );
}

function Export({ query }: { query: Readonly<Record<string, string | undefined>> }) {
  const [progress, setProgress] = useState('');
  const run = useAct(async () => {
    const csv = await paymentsCsv(query, (done, total) => setProgress(`${done} of ${total}`));
    download('payments.csv', csv);
  });
  return (
    <>
      {run.error !== null && <Problem error={run.error} />}
      <Button busy={run.isPending} onClick={() => run.mutate()}>
        {run.isPending ? `Exporting ${progress}` : 'Export CSV'}
      </Button>
    </>
  );
}

function NewPayment({ merchantId }: { merchantId: string }) {
  const navigate = useNavigate();
  const create = useAct(
    async ({ email = '', ...fields }: Record<string, string>) => {
      const customerId = await customerOf(email);
      return api<{ id: string }>('POST', '/payment/create', { body: { ...fields, customerId, merchantId } });
    },
    ({ id }) =>
      void navigate({
        to: '/shop/$shopId/payments/$paymentId',
        params: { shopId: merchantId, paymentId: id },
      }),
  );
  const { error } = create;
  return (
    <Form
      submit="Create payment"
      busy={create.isPending}
      error={error}
      onSubmit={(values) => create.mutate(values)}
    >
      <div className="grid grid-cols-2 gap-3">
        <Field
          label="Amount"
          name="amount"
          inputMode="decimal"
          placeholder="49.90"
          required
          {...fieldError(error, 'amount')}
        />
        <Field
          label="Currency"
          name="currency"
          defaultValue="USD"
          maxLength={3}
          required
          {...fieldError(error, 'currency')}
        />
      </div>
      <Field label="Order id" name="orderId" maxLength={255} required {...fieldError(error, 'orderId')} />
      <Field label="Customer email" name="email" type="email" required {...fieldError(error, 'email')} />
    </Form>
  );
}

/** The customer with this address, made when there is none. */
async function customerOf(email: string): Promise<string> {
  const { customers } = await api<{ customers: Customer[] }>('GET', '/merchant/customer/list', {
    query: { search: email, limit: 100 },
  });
  const known = customers.find((customer) => customer.email.toLowerCase() === email.toLowerCase());
  if (known !== undefined) return known.id;
  return (await api<Customer>('POST', '/merchant/customer/create', { body: { email } })).id;
}
