import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { api } from '../../api/client.ts';
import { customerName, isErased } from '../../api/customers-by-id.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import type { Customer } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Button, Card, Empty, LINK, PageTitle, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, SearchField, TextArea } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { short } from '../../format/format.ts';
import { EmailText } from '../../ui/email-text.tsx';
import { ROW_LINK } from '../../ui/row-link.ts';
import { telling } from '../../ui/toast.ts';
import { Pager, pageSize, Table } from '../../ui/table.tsx';
import { Time } from '../../ui/time.tsx';
import { EraseCustomer } from './erase-customer.tsx';

export function CustomersPage() {
  const [search, change] = useFilters();
  const [editing, setEditing] = useState<Customer | 'new' | null>(null);
  const [erasing, setErasing] = useState<Customer | null>(null);
  const merchantId = useShopId();
  const may = usePermission();
  const list = useApi('/merchant/customer/list', {
    merchantId,
    search: search['search'],
    page: search['page'],
    limit: pageSize(search['limit']),
  });
  return (
    <>
      <PageTitle
        title={t('Customers')}
        lead={t('Shared by all your shops.')}
        actions={
          may('customers:write') && (
            <Button look="primary" onClick={() => setEditing('new')}>
              {t('New customer')}
            </Button>
          )
        }
      />
      <Card>
        <div className="mb-4 max-w-sm">
          <SearchField
            label={t('Search by email')}
            value={search['search'] ?? ''}
            onSearch={(text) => change({ search: text })}
          />
        </div>
        <Loaded of={list}>
          {({ customers, pagination }) => (
            <>
              {customers.length === 0 ? (
                <None isSearched={search['search'] !== undefined} />
              ) : (
                <List customers={customers} onEdit={setEditing} />
              )}
              <Pager
                of={pagination}
                onPage={(page) => change({ page: String(page) })}
                onSize={(limit) => change({ limit })}
              />
            </>
          )}
        </Loaded>
      </Card>
      <Dialog
        title={editing === 'new' ? t('New customer') : t('Edit customer')}
        open={editing !== null}
        onClose={() => setEditing(null)}
      >
        {editing !== null && (
          <Edit
            customer={editing === 'new' ? null : editing}
            onDone={() => setEditing(null)}
            onErase={(customer) => {
              setEditing(null);
              setErasing(customer);
            }}
          />
        )}
      </Dialog>
      <EraseCustomer customer={erasing} onClose={() => setErasing(null)} />
    </>
  );
}

function None({ isSearched }: { isSearched: boolean }) {
  if (isSearched)
    return <Empty title={t('No customer matches')}>{t('Any part of an email address finds it.')}</Empty>;
  return (
    <Empty title={t('No customer yet')}>
      {t('Every payment names one: your shop makes them as people buy, or you make one here.')}
    </Empty>
  );
}

function List(props: { customers: readonly Customer[]; onEdit: (customer: Customer) => void }) {
  const shopId = useShopId();
  const may = usePermission();
  const { onEdit } = props;
  return (
    <Table
      label={t('Customers')}
      rows={props.customers}
      keyOf={({ id }) => id}
      columns={[
        {
          title: t('Customer'),
          cell: (customer) => (
            <>
              <Name of={customer} />
              <small className="block text-soft md:hidden">
                <Time at={customer.createdAt} />
              </small>
            </>
          ),
        },
        { title: t('Id'), wide: true, cell: ({ id }) => <code title={id}>{short(id)}</code> },
        { title: t('Since'), wide: true, cell: ({ createdAt }) => <Time at={createdAt} /> },
        {
          title: t('Actions'),
          end: true,
          cell: (customer) => (
            <span className="inline-flex items-center justify-end gap-3 whitespace-nowrap">
              <Link
                to="/shop/$shopId/payments"
                params={{ shopId }}
                search={{ customerId: customer.id }}
                {...ROW_LINK}
                className={LINK}
              >
                {t('Payments')}
              </Link>
              {may('customers:write') && !isErased(customer) && (
                <Button
                  isSmall
                  onClick={() => onEdit(customer)}
                  aria-label={t('Edit {email}', { email: customer.email })}
                >
                  {t('Edit')}
                </Button>
              )}
            </span>
          ),
        },
      ]}
    />
  );
}

/** The customer: by name if the shop knows one. */
function Name({ of: customer }: { of: Customer }) {
  const name = customerName(customer);
  if (isErased(customer)) return <span className="text-soft">{name}</span>;
  return (
    <>
      {name !== null && <b className="block font-semibold wrap-anywhere">{name}</b>}
      <span className={name === null ? 'font-semibold' : 'text-sm text-soft'}>
        <EmailText of={customer.email} />
      </span>
    </>
  );
}

/** A JSON object, or null if the text is not one. */
function readObject(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text.trim() === '' ? '{}' : text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : null;
  } catch {
    return null;
  }
}

interface EditProps {
  readonly customer: Customer | null;
  readonly onDone: () => void;
  readonly onErase: (customer: Customer) => void;
}

function Edit({ customer, onDone, onErase }: EditProps) {
  const merchantId = useShopId();
  const save = useAct(
    (fields: { email: string; metadata: Record<string, unknown> }) =>
      customer === null
        ? api('POST', '/merchant/customer/create', { query: { merchantId }, body: fields })
        : api('PATCH', '/merchant/customer/edit', {
            query: { merchantId },
            body: { ...fields, customerId: customer.id },
          }),
    telling(customer === null ? t('Customer created') : t('Customer saved'), onDone),
  );
  // The name has its own field; a name that is not a text stays in the metadata.
  const { name: known, ...others } = customer?.metadata ?? {};
  const kept = known === undefined || typeof known === 'string' ? others : { ...others, name: known };
  return (
    <Form
      fields={['email', 'name', 'metadata']}
      submit={t('Save')}
      busy={save.isPending}
      error={save.error}
      check={({ metadata }) =>
        readObject(metadata) === null ? { metadata: t('Please enter a JSON object.') } : {}
      }
      onSubmit={({ email, name, metadata }) => {
        const called = name.trim() === '' ? {} : { name: name.trim() };
        save.mutate({ email, metadata: { ...readObject(metadata), ...called } });
      }}
      extra={
        customer !== null && (
          <Button look="quiet" onClick={() => onErase(customer)}>
            {t('Erase personal data')}
          </Button>
        )
      }
    >
      <Field label={t('Email')} name="email" type="email" defaultValue={customer?.email ?? ''} required />
      <Field
        label={t('Name (optional)')}
        name="name"
        maxLength={200}
        autoComplete="off"
        defaultValue={typeof known === 'string' ? known : ''}
      />
      <TextArea
        label={t('Metadata (optional)')}
        name="metadata"
        spellCheck={false}
        hint={t('Your own facts as a JSON object, such as {"plan": "gold"}')}
        defaultValue={Object.keys(kept).length === 0 ? '' : JSON.stringify(kept, null, 2)}
      />
    </Form>
  );
}
