import type { Coin } from '../../domain/coins.ts';
import { explorerTxUrl } from '../../domain/explorers.ts';
import type { CheckoutView } from '../../usecases/checkout/index.ts';
import { html, type Html } from '../pages/html.ts';

/** A transaction id, as a link to the block explorer if payers are shown one. */
export function transactionLink(
  { explorers }: Pick<CheckoutView, 'explorers'>,
  { coin, txid }: { readonly coin: Coin; readonly txid: string },
  shown: Html,
): Html {
  const url = explorerTxUrl(explorers, coin, txid);
  if (url === null) return shown;
  return html`<a
    class="onchain"
    href="${url}"
    target="_blank"
    rel="noopener noreferrer"
    referrerpolicy="no-referrer"
    >${shown}</a
  >`;
}
