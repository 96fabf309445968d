import { useState } from 'react';
import { api } from '../api/client.ts';
import { useAct, useApi } from '../api/hooks.ts';
import { useFilters } from '../api/search.ts';
import type { Price, Product } from '../api/types.ts';
import { Badge, Button, Card, Empty, PageTitle, Problem, Shown } from '../ui/basics.tsx';
import { Confirm, Dialog } from '../ui/dialog.tsx';
import { Small } from '../ui/form.tsx';
import { fiat } from '../ui/format.ts';
import { Pager } from '../ui/table.tsx';
import { EditPrice, EditProduct } from './product-forms.tsx';

type Editing =
  | { kind: 'product'; product: Product | null }
  | { kind: 'price'; product: Product; price: Price | null }
  | { kind: 'delete'; product: Product };

function titleOf(editing: Editing | null): string {
  if (editing?.kind === 'price') return editing.price === null ? 'New price' : 'Edit price';
  return editing?.kind === 'product' && editing.product !== null ? 'Edit product' : 'New product';
}

export function ProductsPage() {
  const [search, change] = useFilters();
  const [editing, setEditing] = useState<Editing | null>(null);
  const { active, page } = search;
  const list = useApi('/merchant/product/list', { active, page, limit: 12 });
  const close = (): void => setEditing(null);
  return (
    <>
      <PageTitle
        title="Products"
        lead="What you sell, and for how much. Shared by all your shops."
        actions={
          <>
            <Small
              label="Which products"
              value={active ?? ''}
              options={[
                ['', 'All'],
                ['true', 'Active'],
                ['false', 'Inactive'],
              ]}
              onChange={(value) => change({ active: value })}
            />
            <Button look="primary" onClick={() => setEditing({ kind: 'product', product: null })}>
              New product
            </Button>
          </>
        }
      />
      <Shown of={list}>
        {({ products, pagination }) => (
          <>
            {products.length === 0 ? (
              <Card>
                <Empty title={active === undefined ? 'No product yet' : 'No product matches'}>
                  Products and prices are optional: payments can also name an amount.
                </Empty>
              </Card>
            ) : (
              <ul className="grid grid-cols-1 gap-4 md:grid-cols-2">
                {products.map((product) => (
                  <li key={product.id} className="min-w-0">
                    <ProductCard product={product} onEdit={setEditing} />
                  </li>
                ))}
              </ul>
            )}
            <Pager of={pagination} onPage={(next) => change({ page: String(next) })} />
          </>
        )}
      </Shown>
      <Dialog title={titleOf(editing)} open={editing !== null && editing.kind !== 'delete'} onClose={close}>
        {editing?.kind === 'product' && <EditProduct product={editing.product} onDone={close} />}
        {editing?.kind === 'price' && (
          <EditPrice product={editing.product} price={editing.price} onDone={close} />
        )}
      </Dialog>
      <DeleteProduct product={editing?.kind === 'delete' ? editing.product : null} onClose={close} />
    </>
  );
}

function DeleteProduct({ product, onClose }: { product: Product | null; onClose: () => void }) {
  const remove = useAct(
    (productId: string) => api('DELETE', '/merchant/product/delete', { body: { productId } }),
    onClose,
  );
  return (
    <Confirm
      title="Delete product"
      open={product !== null}
      onClose={onClose}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => product !== null && remove.mutate(product.id)}
    >
      <p>
        <b>{product?.name}</b> and its prices can no longer be paid for. Payments made keep what they cost.
      </p>
    </Confirm>
  );
}

interface CardProps {
  readonly product: Product;
  readonly onEdit: (editing: Editing) => void;
}

function ProductCard({ product, onEdit }: CardProps) {
  const { id: productId, active } = product;
  const flip = useAct(() => api('PATCH', '/merchant/product/edit', { body: { productId, active: !active } }));
  return (
    <Card className="h-full">
      <div className="mb-3 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold break-words">{product.name}</h2>
          <p className="text-sm break-words text-soft">{product.description ?? ''}</p>
        </div>
        <span className="flex flex-wrap justify-end gap-1">
          {product.recurringInterval !== null && <Badge tone="busy">{product.recurringInterval}</Badge>}
          <Badge tone={active ? 'good' : 'idle'}>{active ? 'Active' : 'Inactive'}</Badge>
        </span>
      </div>
      <Prices product={product} onEdit={onEdit} />
      {flip.error !== null && <Problem error={flip.error} />}
      <div className="flex flex-wrap gap-x-1 gap-y-2">
        <Button isSmall className="mr-1" onClick={() => onEdit({ kind: 'price', product, price: null })}>
          Add price
        </Button>
        <Button look="quiet" isSmall onClick={() => onEdit({ kind: 'product', product })}>
          Edit
        </Button>
        <Button look="quiet" isSmall busy={flip.isPending} onClick={() => flip.mutate()}>
          {active ? 'Deactivate' : 'Activate'}
        </Button>
        <Button look="quiet" isSmall onClick={() => onEdit({ kind: 'delete', product })}>
          Delete
        </Button>
      </div>
    </Card>
  );
}

function Prices({ product, onEdit }: CardProps) {
  const prices = useApi('/merchant/price/list', { productId: product.id, limit: 100 });
  const remove = useAct((priceId: string) => api('DELETE', '/merchant/price/delete', { body: { priceId } }));
  return (
    <Shown of={prices} rows={1}>
      {(data) => (
        <ul className="mb-4 divide-y divide-line border-y border-line">
          {data.prices.map((price) => {
            const text = fiat(price.amount, price.currency);
            return (
              <li key={price.id} className="flex items-center gap-1 py-1">
                <b className="money mr-auto">{text}</b>
                {!price.active && <Badge tone="idle">Inactive</Badge>}
                <Button
                  look="quiet"
                  isSmall
                  aria-label={`Edit price ${text}`}
                  onClick={() => onEdit({ kind: 'price', product, price })}
                >
                  Edit
                </Button>
                <Button
                  look="quiet"
                  isSmall
                  aria-label={`Delete price ${text}`}
                  busy={remove.isPending && remove.variables === price.id}
                  onClick={() => remove.mutate(price.id)}
                >
                  Delete
                </Button>
              </li>
            );
          })}
          {data.prices.length === 0 && <li className="py-3 text-sm text-soft">No price yet</li>}
          {remove.error !== null && <Problem error={remove.error} />}
        </ul>
      )}
    </Shown>
  );
}
