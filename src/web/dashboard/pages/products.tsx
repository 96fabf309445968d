import { useState } from 'react';
import { api } from '../api/client.ts';
import { useAct, useApi } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import type { Pagination, Price, Product } from '../api/types.ts';
import { Badge, Button, Card, Empty, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field, fieldError, Form, Select } from '../ui/form.tsx';
import { fiat } from '../ui/format.ts';
import { Pager } from '../ui/table.tsx';

type Editing = { kind: 'product'; product: Product | null } | { kind: 'price'; product: Product };

export function ProductsPage() {
  const [search, change] = useFilters();
  const [editing, setEditing] = useState<Editing | null>(null);
  const list = useApi<{ products: Product[]; pagination: Pagination }>('/merchant/product/list', {
    page: search['page'],
    limit: 12,
  });
  const close = (): void => setEditing(null);
  return (
    <>
      <PageTitle
        title="Products"
        lead="What you sell, and for how much. Shared by all your shops."
        actions={
          <Button look="primary" onClick={() => setEditing({ kind: 'product', product: null })}>
            New product
          </Button>
        }
      />
      <Shown of={list}>
        {({ products, pagination }) => (
          <>
            {products.length === 0 ? (
              <Card>
                <Empty title="No product yet">
                  Products and prices are optional: payments can also name an amount.
                </Empty>
              </Card>
            ) : (
              <ul className="grid gap-4 md:grid-cols-2">
                {products.map((product) => (
                  <li key={product.id}>
                    <ProductCard product={product} onEdit={setEditing} />
                  </li>
                ))}
              </ul>
            )}
            <Pager of={pagination} onPage={(page) => change({ page: String(page) })} />
          </>
        )}
      </Shown>
      <Dialog
        title={
          editing?.kind === 'price' ? 'New price' : editing?.product === null ? 'New product' : 'Edit product'
        }
        open={editing !== null}
        onClose={close}
      >
        {editing?.kind === 'product' && <EditProduct product={editing.product} onDone={close} />}
        {editing?.kind === 'price' && <NewPrice product={editing.product} onDone={close} />}
      </Dialog>
    </>
  );
}

function ProductCard({ product, onEdit }: { product: Product; onEdit: (editing: Editing) => void }) {
  const prices = useApi<{ prices: Price[] }>('/merchant/price/list', { productId: product.id, limit: 100 });
  const act = useAct((input: { method: string; path: string; body: Record<string, unknown> }) =>
    api(input.method, input.path, { body: input.body }),
  );
  const productId = product.id;
  return (
    <Card className="h-full">
      <div className="mb-3 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold break-words">{product.name}</h2>
          <p className="text-sm text-soft">{product.description ?? ''}</p>
        </div>
        <span className="flex flex-wrap justify-end gap-1">
          {product.recurringInterval !== null && <Badge tone="busy">{product.recurringInterval}</Badge>}
          <Badge tone={product.active ? 'good' : 'idle'}>{product.active ? 'Active' : 'Inactive'}</Badge>
        </span>
      </div>
      <Shown of={prices} rows={1}>
        {(data) => (
          <ul className="mb-4 divide-y divide-line">
            {data.prices.map((price) => (
              <li key={price.id} className="flex items-center justify-between gap-3 py-1.5">
                <b className="money">{fiat(price.amount, price.currency)}</b>
                <Button
                  look="quiet"
                  aria-label={`Delete price ${fiat(price.amount, price.currency)}`}
                  onClick={() =>
                    act.mutate({
                      method: 'DELETE',
                      path: '/merchant/price/delete',
                      body: { priceId: price.id },
                    })
                  }
                >
                  Delete
                </Button>
              </li>
            ))}
            {data.prices.length === 0 && <li className="py-1.5 text-sm text-soft">No price yet</li>}
          </ul>
        )}
      </Shown>
      {act.error !== null && <Problem error={act.error} />}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => onEdit({ kind: 'price', product })}>Add price</Button>
        <Button look="quiet" onClick={() => onEdit({ kind: 'product', product })}>
          Edit
        </Button>
        <Button
          look="quiet"
          busy={act.isPending}
          onClick={() =>
            act.mutate({
              method: 'PATCH',
              path: '/merchant/product/edit',
              body: { productId, active: !product.active },
            })
          }
        >
          {product.active ? 'Deactivate' : 'Activate'}
        </Button>
      </div>
    </Card>
  );
}

function EditProduct({ product, onDone }: { product: Product | null; onDone: () => void }) {
  const save = useAct(({ interval = '', ...fields }: Record<string, string>) => {
    if (product !== null) {
      return api('PATCH', '/merchant/product/edit', { body: { ...fields, productId: product.id } });
    }
    const recurring = interval === '' ? {} : { recurring: true, recurringInterval: interval };
    return api('POST', '/merchant/product/create', { body: { ...fields, ...recurring } });
  }, onDone);
  return (
    <Form submit="Save" busy={save.isPending} error={save.error} onSubmit={(values) => save.mutate(values)}>
      <Field
        label="Name"
        name="name"
        defaultValue={product?.name ?? ''}
        required
        {...fieldError(save.error, 'name')}
      />
      <Field label="Description" name="description" defaultValue={product?.description ?? ''} />
      {product === null && (
        <Select label="Sold" name="interval">
          <option value="">Once</option>
          {['daily', 'weekly', 'monthly', 'yearly'].map((interval) => (
            <option key={interval}>{interval}</option>
          ))}
        </Select>
      )}
    </Form>
  );
}

function NewPrice({ product, onDone }: { product: Product; onDone: () => void }) {
  const save = useAct(
    (fields: Record<string, string>) =>
      api('POST', '/merchant/price/create', { body: { ...fields, productId: product.id } }),
    onDone,
  );
  return (
    <Form
      submit="Add price"
      busy={save.isPending}
      error={save.error}
      onSubmit={(values) => save.mutate(values)}
    >
      <p className="text-sm text-soft">For {product.name}</p>
      <Field
        label="Amount"
        name="amount"
        inputMode="decimal"
        required
        {...fieldError(save.error, 'amount')}
      />
      <Field
        label="Currency"
        name="currency"
        defaultValue="USD"
        maxLength={3}
        required
        {...fieldError(save.error, 'currency')}
      />
    </Form>
  );
}
