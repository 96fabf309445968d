import { html, type Html } from '../pages/html.ts';

/** Groups of four are easier to compare by eye; the spaces between are style only and are not copied. */
export function addressGroups(address: string): Html[] {
  const parts = address.match(/.{1,4}/gu) ?? [];
  const edge = (index: number): boolean => index < 2 || index >= parts.length - 2;
  return parts.map((part, index) => (edge(index) ? html`<b>${part}</b>` : html`<span>${part}</span>`));
}
