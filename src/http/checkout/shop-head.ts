import type { ShopProfile } from '../../usecases/shops/index.ts';
import { logoPath } from '../brand/paths.ts';
import { html, type Html } from '../pages/html.ts';
import type { Translate } from './negotiate-language.ts';

/** The shop's name and domain, at the top of every page for payers. */
export function shopHead(shop: ShopProfile, say: Translate): Html {
  const initial = String.fromCodePoint(shop.name.codePointAt(0) ?? 0x2022).toUpperCase();
  return html`<p class="shop">
    ${
      shop.logoHash === null
        ? html`<span class="avatar" aria-hidden="true">${initial}</span>`
        : html`<img class="logo" src="${logoPath(shop.logoHash)}" alt="" />`
    }
    <span>
      <b><bdi>${shop.name}</bdi></b>
      <span class="domain"
        ><bdi>${shop.domain}</bdi>
        ${shop.isVerified && html`<span class="badge">${say('verified')}</span>`}</span
      >
    </span>
  </p>`;
}

/** The support contact, if the shop has set one. */
export function supportLine({ supportContact }: ShopProfile, say: Translate): Html | null {
  if (supportContact === null) return null;
  const isUrl = /^https:/i.test(supportContact);
  const href = contactHref(supportContact);
  const shown = isUrl ? new URL(supportContact).host : supportContact;
  return html`<p class="support">
    ${say('support')} <a href="${href}"><bdi>${shown}</bdi></a>
  </p>`;
}

/** Target of the link to a support contact. */
export function contactHref(contact: string): string {
  return /^https:/i.test(contact) ? contact : mailto(contact);
}

/** Encodes the address, so that its content cannot add to the mail. */
function mailto(address: string): string {
  return `mailto:${address.split('@').map(encodeURIComponent).join('@')}`;
}
