import type { ShopFace } from '../../usecases/merchants/shop-face.ts';
import { html, type Html } from '../pages/html.ts';
import type { Say } from './language.ts';

/** The shop's name and domain, with which every page for payers begins. */
export function shopHead(shop: ShopFace, say: Say): Html {
  const initial = String.fromCodePoint(shop.name.codePointAt(0) ?? 0x2022).toUpperCase();
  return html`<p class="shop">
    <span class="avatar" aria-hidden="true">${initial}</span>
    <span>
      <b>${shop.name}</b>
      <span class="domain"
        >${shop.domain} ${shop.isVerified && html`<span class="badge">${say('verified')}</span>`}</span
      >
    </span>
  </p>`;
}
