/**
 * Messages to the site that shows the page in a frame: the payment's id and status, nothing else. The daemon
 * named that site in the page because the shop allows it; the browser delivers to that origin only.
 */
const { payment, embedder } = document.querySelector<HTMLElement>('[data-embedder]')?.dataset ?? {};

/** Not imported: the checkout's script is one file. */
const BASE_PATH = document.documentElement.dataset['base'] ?? '';

export const isEmbedded = embedder !== undefined && window.parent !== window;

/** @param type `ready` once, `status` for every change, `close` when the payer wants to leave */
export function tellEmbedder(type: 'ready' | 'status' | 'close', status?: string): void {
  if (!isEmbedded || embedder === undefined) return;
  window.parent.postMessage({ tilld: type, paymentId: payment ?? null, status: status ?? null }, embedder);
}

/**
 * Links of the shop leave the frame, on the payer's click and never automatically; those of the daemon stay
 * in it.
 */
export function aimLinks(root: HTMLElement): void {
  if (!isEmbedded) return;
  for (const link of root.querySelectorAll<HTMLAnchorElement>('a[href^="http"]')) link.target = '_top';
  // HTML rendered for all viewers names no frame.
  for (const link of root.querySelectorAll<HTMLAnchorElement>(`a[href^="${BASE_PATH}/checkout/"]`))
    link.href = framed(link.href);
  for (const form of root.querySelectorAll<HTMLFormElement>(`form[action^="${BASE_PATH}/checkout/"]`)) {
    form.action = framed(form.action);
  }
}

/** Adds the frame to an address of the daemon. */
function framed(address: string): string {
  const url = new URL(address);
  if (embedder !== undefined) url.searchParams.set('embed', embedder);
  return url.href;
}

/** Keys pressed within the frame do not reach the page around it. */
export function leaveByEscape(): void {
  if (!isEmbedded) return;
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') tellEmbedder('close');
  });
}
