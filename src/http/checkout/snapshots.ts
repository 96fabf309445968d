import { createHash } from 'node:crypto';
import type { Language } from '../../i18n/languages.ts';
import type { PaymentChangeBus } from '../../usecases/payments/index.ts';
import {
  type CheckoutView,
  readCheckout,
  type ReadCheckoutDeps,
  readStamps,
} from '../../usecases/checkout/index.ts';
import { readBasePath, prefixLinks } from '../server/base-path.ts';
import { createTranslator } from './negotiate-language.ts';
import type { Snapshot, SnapshotSource } from './payment-channel.ts';
import { isFinal, redirectsAutomatically, returnUrl, type PageModel } from './page-model.ts';
import { announcement, describeState, pageTitle } from './states.ts';
import { summary } from './summary.ts';

/** Changes whenever anything that the page shows does. */
export function snapshotVersion(view: CheckoutView): string {
  return createHash('sha256').update(JSON.stringify(view)).digest('base64url').slice(0, 16);
}

/** HTML that the page's script puts in place. */
export function stateJson(scene: PageModel, baseUrl: string): string {
  const basePath = readBasePath(baseUrl);
  const { view } = scene;
  return JSON.stringify({
    version: snapshotVersion(view),
    status: view.payment.status,
    final: isFinal(view),
    title: pageTitle(scene),
    summary: prefixLinks(summary(scene).toString(), basePath),
    html: prefixLinks(describeState(scene).toString(), basePath),
    announcement: announcement(scene),
    redirect: redirectsAutomatically(view) ? returnUrl(view) : null,
  });
}

/** Renders payments for the streams: each change once per language, independent of the number of viewers. */
export function createSnapshots(
  deps: ReadCheckoutDeps & { readonly news: PaymentChangeBus },
): SnapshotSource {
  return {
    readSnapshot: async (paymentId) => renderFrame(await readCheckout(deps, paymentId), deps.baseUrl),
    stamps: async (paymentIds) => readStamps(deps.db, paymentIds),
    follow: (paymentId, listener) => deps.news.subscribe(paymentId, listener),
  };
}

function renderFrame(view: CheckoutView, baseUrl: string): Snapshot {
  const drawn = new Map<Language, string>();
  return {
    version: snapshotVersion(view),
    final: isFinal(view),
    stamp: view.stamp,
    data: (language) => {
      const known = drawn.get(language);
      if (known !== undefined) return known;
      const scene = { view, language, say: createTranslator(language), coin: null, embedder: null };
      const data = stateJson(scene, baseUrl);
      drawn.set(language, data);
      return data;
    },
  };
}
