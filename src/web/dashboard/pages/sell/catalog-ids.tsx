import type { Price, Product } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Copy } from '../../ui/basics.tsx';
import { fiat } from '../../format/format.ts';

/** The API ids of a product and its prices, collapsed. */
export function CatalogIds({ product, prices }: { product: Product; prices: readonly Price[] }) {
  const ids = [
    { name: t('Product'), id: product.id },
    ...prices.map(({ id, amount, currency }) => ({ name: fiat(amount, currency), id })),
  ];
  return (
    <details className="mb-4 text-sm">
      <summary className="text-soft">{t('Ids for the API')}</summary>
      <ul aria-label={t('Ids for the API')} className="mt-2 grid gap-2">
        {ids.map(({ name, id }) => (
          <li key={id} className="flex items-center gap-2">
            <span className="min-w-0 flex-1">
              <span className="block text-xs text-soft">{name}</span>
              <code className="text-xs break-all">{id}</code>
            </span>
            <Copy isSmall text={id} label={t('Copy the id of {name}', { name })} />
          </li>
        ))}
      </ul>
    </details>
  );
}
