import { Link } from '@tanstack/react-router';
import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { PaymentLink, Price, Product } from '../../contract/types.ts';
import { parts, t } from '../../i18n/t.ts';
import { Button, LINK, Loaded } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { fiat } from '../../format/format.ts';
import { ShareLink } from './link-share.tsx';

const LINK_NAME_MAX = 120;

/** The newest open link of a price; creates one if there is none. */
async function findOrCreateLink(merchantId: string, product: Product, price: Price): Promise<PaymentLink> {
  const query = { merchantId, priceId: price.id, active: 'true' as const, limit: 1 };
  const { links } = await api('GET', '/merchant/link/list', { query });
  if (links[0] !== undefined) return links[0];
  // Does not cut a surrogate pair in half.
  const name = product.name.slice(0, LINK_NAME_MAX).replace(/\p{Surrogate}$/u, '');
  const body = { name, description: product.description, priceId: price.id };
  return api('POST', '/merchant/link/create', { query: { merchantId }, body });
}

/** Sells a price of the catalog in this shop by a payment link, which is created on the first use. */
export function SellPrice({ product, price }: { product: Product; price: Price }) {
  const shopId = useShopId();
  const sell = useAct(async () => findOrCreateLink(shopId, product, price));
  const text = fiat(price.amount, price.currency);
  const shown = { data: sell.data, error: sell.error, refetch: () => sell.mutate() };
  return (
    <>
      <Button isSmall aria-label={t('Sell for {text}', { text })} onClick={() => sell.mutate()}>
        {t('Sell')}
      </Button>
      <Dialog title={product.name} open={!sell.isIdle} onClose={() => sell.reset()}>
        <Loaded of={shown} rows={3}>
          {(link) => (
            <div className="grid gap-4">
              <ShareLink link={link} price={text} />
              <p className="text-sm text-soft">
                {parts('Anyone can pay with it, as often as they like. Change or close it under {links}.', {
                  links: (
                    <Link to="/shop/$shopId/links" params={{ shopId }} className={LINK}>
                      {t('Payment links')}
                    </Link>
                  ),
                })}
              </p>
            </div>
          )}
        </Loaded>
      </Dialog>
    </>
  );
}
