import type { Coin } from '../../domain/coins.ts';
import { html, type Html } from '../pages/html.ts';

const SIGNS: Readonly<Record<Coin, { readonly colour: string; readonly glyph: Html }>> = {
  BTC: {
    colour: '#e8820c',
    glyph: html`<path
      d="M9 6.5h4.2c1.6 0 2.8 1 2.8 2.6s-1.2 2.6-2.8 2.6H9zm0 5.2h4.8c1.7 0 3 1.2 3 2.9s-1.3 2.9-3 2.9H9zM7.4 6.5H9m-1.6 11H9M11 4.5v2m2.6-2v2M11 17.5v2m2.6-2v2"
      fill="none"
      stroke="#fff"
      stroke-width="1.6"
    />`,
  },
  ETH: {
    colour: '#5b6ee1',
    glyph: html`<path d="m12 4 4.9 8.2L12 15.1l-4.9-2.9z" fill="#fff" /><path
        d="m7.1 13.3 4.9 2.9 4.9-2.9L12 20z"
        fill="#fff"
        opacity=".75"
      />`,
  },
  LTC: {
    colour: '#345d9d',
    glyph: html`<path
      d="M11.6 5.5 9.2 16.8h7M7.6 13.6l6.6-2.6"
      fill="none"
      stroke="#fff"
      stroke-width="2.1"
      stroke-linecap="round"
      stroke-linejoin="round"
    />`,
  },
  SOL: {
    colour: '#7a3ff2',
    glyph: html`<path
      d="M8.4 6.6h8.8l-1.9 2.1H6.5zm-1.9 4.4h8.8l1.9 2.1H8.4zm1.9 4.4h8.8l-1.9 2.1H6.5z"
      fill="#fff"
    />`,
  },
};

/** The round icon of a coin; decoration only. */
export function coinIcon(coin: Coin): Html {
  const { colour, glyph } = SIGNS[coin];
  return html`<svg class="coin" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="12" fill="${colour}" />
    ${glyph}
  </svg>`;
}

const STATE_PATHS = {
  done: 'm7 12.5 3.4 3.4L17 9',
  wait: 'M12 7v5.2l3.2 2',
  stop: 'm8.5 8.5 7 7m0-7-7 7',
  back: 'M9 8 5.5 11.5 9 15m-3.2-3.5H15a3.5 3.5 0 0 1 0 7h-2',
  alert: 'M12 7v6.2m0 3.3v.1',
} as const;
export type StateIcon = keyof typeof STATE_PATHS;

/** The icon of a payment's outcome; decoration only. */
export function stateIcon(name: StateIcon): Html {
  return html`<svg class="state state-${name}" viewBox="0 0 24 24" aria-hidden="true">
    <circle cx="12" cy="12" r="11" />
    <path d="${STATE_PATHS[name]}" />
  </svg>`;
}

export const copyIcon = html`<svg class="icon" viewBox="0 0 20 20" aria-hidden="true">
  <path d="M7 7V4.5A1.5 1.5 0 0 1 8.500 3h7A1.500 1.500 0 0 1 17 4.500v7a1.500 1.500 0 0 1-1.500 1.500H13" />
  <rect x="3" y="7" width="10" height="10" rx="1.5" />
</svg>`;
