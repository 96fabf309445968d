const SHOWN_MS = 3_200;
let hiding: number | undefined;

/** Announces a text to screen readers. */
export function say(text: string): void {
  const status = document.querySelector('#status');
  if (status !== null && status.textContent !== text) status.textContent = text;
}

/** Shows and announces, above the page, that the daemon cannot be reached; hides it again. */
export function showConnection(isLost: boolean, text: string): void {
  const box = document.querySelector<HTMLElement>('#offline');
  if (box === null || box.hidden !== isLost) return;
  box.hidden = !isLost;
  say(isLost ? text : '');
}

/** Shows and announces a text for a moment. */
export function toast(text: string): void {
  say(text);
  const box = document.querySelector<HTMLElement>('#toast');
  if (box === null) return;
  box.textContent = text;
  box.hidden = false;
  window.clearTimeout(hiding);
  hiding = window.setTimeout(() => (box.hidden = true), SHOWN_MS);
}
