import { createHash } from 'node:crypto';
import type { PaymentNews } from '../../../usecases/payment/payment-news.ts';
import {
  readCheckout,
  readStamps,
  type CheckoutView,
  type ReadCheckoutDeps,
} from '../../../usecases/payment/read-checkout.ts';
import { speak, type Language } from './language.ts';
import type { Frame, FrameSource } from './room.ts';
import { isFinal, leavesByItself, wayBack, type Scene } from './scene.ts';
import { announcement, stateOf } from './states.ts';

/** Changes whenever anything the page shows does. */
export function versionOf(view: CheckoutView): string {
  return createHash('sha256').update(JSON.stringify(view)).digest('base64url').slice(0, 16);
}

/** What the page's script puts in place of what it shows. */
export function stateJson(scene: Scene): string {
  const { view } = scene;
  return JSON.stringify({
    version: versionOf(view),
    status: view.payment.status,
    final: isFinal(view),
    html: stateOf(scene).toString(),
    announcement: announcement(scene),
    redirect: leavesByItself(view) ? wayBack(view) : null,
  });
}

/** Draws payments for the streams: each change once per language, however many look. */
export function createFrames(deps: ReadCheckoutDeps & { readonly news: PaymentNews }): FrameSource {
  return {
    look: async (paymentId) => frameOf(await readCheckout(deps, paymentId)),
    stamps: async (paymentIds) => readStamps(deps.db, paymentIds),
    follow: (paymentId, listener) => deps.news.follow(paymentId, listener),
  };
}

function frameOf(view: CheckoutView): Frame {
  const drawn = new Map<Language, string>();
  return {
    version: versionOf(view),
    final: isFinal(view),
    stamp: view.stamp,
    data: (language) => {
      const known = drawn.get(language);
      if (known !== undefined) return known;
      const data = stateJson({ view, language, say: speak(language), coin: null });
      drawn.set(language, data);
      return data;
    },
  };
}
