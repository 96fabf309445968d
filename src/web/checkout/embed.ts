/**
 * What the page tells the site that shows it in a frame: the payment's id and status, nothing else. The daemon named
 * that site in the page because the shop allows it; the browser delivers to that origin only.
 */
const { payment, embedder } = document.querySelector<HTMLElement>('[data-embedder]')?.dataset ?? {};

export const isEmbedded = embedder !== undefined && window.parent !== window;

/** @param type `ready` once, `status` for every change, `close` when the payer wants to leave */
export function tellEmbedder(type: 'ready' | 'status' | 'close', status?: string): void {
  if (!isEmbedded || embedder === undefined) return;
  window.parent.postMessage({ tilld: type, paymentId: payment ?? null, status: status ?? null }, embedder);
}

/** Links of the shop leave the frame, by the payer's click and never by themselves; those of the daemon stay in it. */
export function aimLinks(root: HTMLElement): void {
  if (!isEmbedded) return;
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href^="http"]')) link.target = '_top';
  // What the daemon draws anew for everybody who looks names no frame.
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href^="/checkout/"]'))
    link.href = framed(link.href);
  for (const form of root.querySelectorAll<HTMLFormElement>('form[action^="/checkout/"]')) {
    form.action = framed(form.action);
  }
}

/** An address of the daemon, for the same frame. */
function framed(address: string): string {
  const url = new URL(address);
  if (embedder !== undefined) url.searchParams.set('embed', embedder);
  return url.href;
}

/** Keys pressed within the frame are not heard outside it. */
export function leaveByEscape(): void {
  if (!isEmbedded) return;
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') tellEmbedder('close');
  });
}
