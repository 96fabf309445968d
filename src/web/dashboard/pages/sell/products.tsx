import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import type { Price, Product } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { Badge, Button, Card, Empty, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Small } from '../../ui/form.tsx';
import { fiat } from '../../format/format.ts';
import { Pager } from '../../ui/table.tsx';
import { telling } from '../../ui/toast.ts';
import { CatalogIds } from './catalog-ids.tsx';
import { EditPrice, EditProduct } from './product-forms.tsx';
import { SellPrice } from './sell-price.tsx';

type Editing =
  | { kind: 'product'; product: Product | null }
  | { kind: 'price'; product: Product; price: Price | null }
  | { kind: 'delete'; product: Product }
  | { kind: 'delete price'; product: Product; price: Price };

function formTitle(editing: Editing | null): string {
  if (editing?.kind === 'price') return editing.price === null ? t('New price') : t('Edit price');
  return editing?.kind === 'product' && editing.product !== null ? t('Edit product') : t('New product');
}

export function ProductsPage() {
  const [search, change] = useFilters();
  const [editing, setEditing] = useState<Editing | null>(null);
  const { active, page } = search;
  const merchantId = useShopId();
  const may = usePermission();
  const list = useApi('/merchant/product/list', { merchantId, active, page, limit: 12 });
  const close = (): void => setEditing(null);
  return (
    <>
      <PageTitle
        title={t('Products')}
        lead={t('What you sell, and for how much. Shared by all your shops.')}
        actions={
          <>
            <Small
              label={t('Which products')}
              value={active ?? ''}
              options={[
                ['', t('All')],
                ['true', t('Active')],
                ['false', t('Inactive')],
              ]}
              onChange={(value) => change({ active: value })}
            />
            {may('catalog:write') && (
              <Button look="primary" onClick={() => setEditing({ kind: 'product', product: null })}>
                {t('New product')}
              </Button>
            )}
          </>
        }
      />
      <Loaded of={list}>
        {({ products, pagination }) => (
          <>
            {products.length === 0 ? (
              <Card>
                <Empty title={active === undefined ? t('No product yet') : t('No product matches')}>
                  {t('Products and prices are optional: payments can also name an amount.')}
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
      </Loaded>
      <Dialog
        title={formTitle(editing)}
        open={editing?.kind === 'product' || editing?.kind === 'price'}
        onClose={close}
      >
        {editing?.kind === 'product' && <EditProduct product={editing.product} onDone={close} />}
        {editing?.kind === 'price' && (
          <EditPrice product={editing.product} price={editing.price} onDone={close} />
        )}
      </Dialog>
      <DeleteProduct product={editing?.kind === 'delete' ? editing.product : null} onClose={close} />
      <DeletePrice of={editing?.kind === 'delete price' ? editing : null} onClose={close} />
    </>
  );
}

function DeleteProduct({ product, onClose }: { product: Product | null; onClose: () => void }) {
  const merchantId = useShopId();
  const remove = useAct(
    (productId: string) =>
      api('DELETE', '/merchant/product/delete', { query: { merchantId }, body: { productId } }),
    telling(t('Product deleted'), onClose),
  );
  return (
    <Confirm
      title={t('Delete product')}
      open={product !== null}
      onClose={onClose}
      action={t('Delete')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => product !== null && remove.mutate(product.id)}
    >
      <p>
        {parts('{name} and its prices can no longer be paid for. Payments made keep what they cost.', {
          name: <b>{product?.name}</b>,
        })}
      </p>
    </Confirm>
  );
}

interface DeletePriceProps {
  readonly of: { readonly product: Product; readonly price: Price } | null;
  readonly onClose: () => void;
}

function DeletePrice({ of, onClose }: DeletePriceProps) {
  const merchantId = useShopId();
  const remove = useAct(
    (priceId: string) =>
      api('DELETE', '/merchant/price/delete', { query: { merchantId }, body: { priceId } }),
    telling(t('Price deleted'), onClose),
  );
  return (
    <Confirm
      title={t('Delete price')}
      open={of !== null}
      onClose={onClose}
      action={t('Delete')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => of !== null && remove.mutate(of.price.id)}
    >
      <p>
        {parts('{name} can no longer be paid for at {amount}. Payments made keep what they cost.', {
          name: <b>{of?.product.name}</b>,
          amount: <b className="money">{of === null ? '' : fiat(of.price.amount, of.price.currency)}</b>,
        })}
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
  const merchantId = useShopId();
  const may = usePermission();
  const flip = useAct(() =>
    api('PATCH', '/merchant/product/edit', { query: { merchantId }, body: { productId, active: !active } }),
  );
  return (
    <Card className="h-full">
      <div className="mb-3 flex items-start justify-between gap-3">
        <div className="min-w-0">
          <h2 className="font-semibold break-words">{product.name}</h2>
          <p className="text-sm break-words text-soft">{product.description ?? ''}</p>
        </div>
        <Badge tone={active ? 'good' : 'idle'}>{active ? t('Active') : t('Inactive')}</Badge>
      </div>
      <Prices product={product} onEdit={onEdit} />
      {flip.error !== null && <Problem error={flip.error} />}
      {may('catalog:write') && !product.mayChange && (
        <p className="text-sm text-soft">{t('Other shops sell this, too: only their owner changes it.')}</p>
      )}
      {may('catalog:write') && product.mayChange && (
        <div className="flex flex-wrap gap-x-1 gap-y-2">
          <Button isSmall className="me-1" onClick={() => onEdit({ kind: 'price', product, price: null })}>
            {t('Add price')}
          </Button>
          <Button look="quiet" isSmall onClick={() => onEdit({ kind: 'product', product })}>
            {t('Edit')}
          </Button>
          <Button look="quiet" isSmall busy={flip.isPending} onClick={() => flip.mutate()}>
            {active ? t('Deactivate') : t('Activate')}
          </Button>
          <Button look="quiet" isSmall onClick={() => onEdit({ kind: 'delete', product })}>
            {t('Delete')}
          </Button>
        </div>
      )}
    </Card>
  );
}

function Prices({ product, onEdit }: CardProps) {
  const merchantId = useShopId();
  const may = usePermission();
  const prices = useApi('/merchant/price/list', { merchantId, productId: product.id, limit: 100 });
  return (
    <Loaded of={prices} rows={1}>
      {(data) => (
        <>
          <ul className="mb-4 divide-y divide-line border-y border-line">
            {data.prices.map((price) => {
              const text = fiat(price.amount, price.currency);
              return (
                <li key={price.id} className="flex items-center gap-1 py-1">
                  <b className="money me-auto">{text}</b>
                  {!price.active && <Badge tone="idle">{t('Inactive')}</Badge>}
                  {product.active && price.active && may('payments:write') && (
                    <SellPrice product={product} price={price} />
                  )}
                  {may('catalog:write') && product.mayChange && (
                    <>
                      <Button
                        look="quiet"
                        isSmall
                        aria-label={t('Edit price {text}', { text })}
                        onClick={() => onEdit({ kind: 'price', product, price })}
                      >
                        {t('Edit')}
                      </Button>
                      <Button
                        look="quiet"
                        isSmall
                        aria-label={t('Delete price {text}', { text })}
                        onClick={() => onEdit({ kind: 'delete price', product, price })}
                      >
                        {t('Delete')}
                      </Button>
                    </>
                  )}
                </li>
              );
            })}
            {data.prices.length === 0 && <li className="py-3 text-sm text-soft">{t('No price yet')}</li>}
          </ul>
          <CatalogIds product={product} prices={data.prices} />
        </>
      )}
    </Loaded>
  );
}
