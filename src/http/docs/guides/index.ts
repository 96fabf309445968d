import { html, type Html } from '../html.ts';
import type { Guide } from './guide.ts';
import { IDEMPOTENCY } from './idempotency.ts';
import { LIVE } from './live.ts';
import { REFUNDS } from './refunds.ts';
import { SANDBOX } from './sandbox.ts';
import { SHOP } from './shop.ts';
import { WEBHOOKS } from './webhooks.ts';

/** In the order in which readers need them. */
export const GUIDES: readonly Guide[] = [SHOP, WEBHOOKS, IDEMPOTENCY, REFUNDS, SANDBOX, LIVE];

export function guideSection({ id, title, lead, body }: Guide, baseUrl: string): Html {
  return html`<section class="guide" id="${id}">
    <h2>${title}</h2>
    <p class="lead">${lead}</p>
    ${body(baseUrl)}
  </section>`;
}
