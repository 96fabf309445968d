import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../api/client.ts';
import { useAct, useApi, useShopId } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import type { Customer, Pagination } from '../api/types.ts';
import { Button, Card, Empty, PageTitle, Shown } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, fieldError, Form } from '../ui/form.tsx';
import { short, when } from '../ui/format.ts';
import { Pager, Table } from '../ui/table.tsx';

export function CustomersPage() {
  const [search, change] = useFilters();
  const [editing, setEditing] = useState<Customer | 'new' | null>(null);
  const list = useApi<{ customers: Customer[]; pagination: Pagination }>('/merchant/customer/list', {
    search: search['search'],
    page: search['page'],
    limit: 20,
  });
  return (
    <>
      <PageTitle
        title="Customers"
        lead="Shared by all your shops."
        actions={
          <Button look="primary" onClick={() => setEditing('new')}>
            New customer
          </Button>
        }
      />
      <Card>
        <div className="mb-4 max-w-sm">
          <Field
            label="Search by email"
            type="search"
            defaultValue={search['search'] ?? ''}
            onChange={(event) => change({ search: event.target.value })}
          />
        </div>
        <Shown of={list}>
          {({ customers, pagination }) => (
            <>
              {customers.length === 0 ? (
                <Empty title={search['search'] === undefined ? 'No customer yet' : 'No customer matches'} />
              ) : (
                <List customers={customers} onEdit={setEditing} />
              )}
              <Pager of={pagination} onPage={(page) => change({ page: String(page) })} />
            </>
          )}
        </Shown>
      </Card>
      <Dialog
        title={editing === 'new' ? 'New customer' : 'Edit customer'}
        open={editing !== null}
        onClose={() => setEditing(null)}
      >
        {editing !== null && (
          <Edit customer={editing === 'new' ? null : editing} onDone={() => setEditing(null)} />
        )}
      </Dialog>
    </>
  );
}

function List(props: { customers: readonly Customer[]; onEdit: (customer: Customer) => void }) {
  const shopId = useShopId();
  const { onEdit } = props;
  return (
    <Table
      label="Customers"
      rows={props.customers}
      keyOf={({ id }) => id}
      columns={[
        {
          title: 'Email',
          cell: ({ email }) => <b className="font-semibold break-all">{email}</b>,
        },
        { title: 'Id', wide: true, cell: ({ id }) => <code title={id}>{short(id)}</code> },
        { title: 'Since', wide: true, cell: ({ createdAt }) => when(createdAt) },
        {
          title: 'Actions',
          end: true,
          cell: (customer) => (
            <span className="inline-flex flex-wrap items-center justify-end gap-3">
              <Link
                to="/shop/$shopId/payments"
                params={{ shopId }}
                search={{ customerId: customer.id }}
                className="text-accent underline underline-offset-2"
              >
                Payments
              </Link>
              <Button onClick={() => onEdit(customer)} aria-label={`Edit ${customer.email}`}>
                Edit
              </Button>
            </span>
          ),
        },
      ]}
    />
  );
}

function Edit({ customer, onDone }: { customer: Customer | null; onDone: () => void }) {
  const save = useAct(
    (fields: Record<string, string>) =>
      customer === null
        ? api('POST', '/merchant/customer/create', { body: fields })
        : api('PATCH', '/merchant/customer/edit', { body: { ...fields, customerId: customer.id } }),
    onDone,
  );
  return (
    <Form submit="Save" busy={save.isPending} error={save.error} onSubmit={(values) => save.mutate(values)}>
      <Field
        label="Email"
        name="email"
        type="email"
        defaultValue={customer?.email ?? ''}
        required
        {...fieldError(save.error, 'email')}
      />
    </Form>
  );
}
