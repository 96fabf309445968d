import { copyText } from '../copy-text.ts';
import { texts } from './texts.ts';
import { toast } from './announce.ts';

const COPIED_MS = 1_800;
const HURRY_SECONDS = 300;

/** Adds the functions to new HTML that need a script: copying and the countdown. */
export function enhance(root: HTMLElement): void {
  for (const button of root.querySelectorAll<HTMLButtonElement>('button[data-copy]')) {
    button.hidden = false;
    button.addEventListener('click', () => void copy(button));
  }
  for (const element of root.querySelectorAll<HTMLElement>('.deadline [hidden]')) element.hidden = false;
  for (const label of root.querySelectorAll<HTMLElement>('.deadline [data-label]')) {
    label.textContent = label.dataset['label'] ?? '';
  }
  tick(root);
}

/** Shows the print button, which needs a script. */
export function offerToPrint(root: HTMLElement): void {
  const button = root.querySelector<HTMLButtonElement>('button[data-print]');
  if (button === null) return;
  button.hidden = false;
  button.addEventListener('click', () => window.print());
}

async function copy(button: HTMLButtonElement): Promise<void> {
  if (!(await copyText(button.dataset['copy'] ?? ''))) {
    toast(texts.copyFailed);
    return;
  }
  toast(texts.copied);
  button.classList.add('copied');
  setTimeout(() => button.classList.remove('copied'), COPIED_MS);
}

/** Time of the daemon when this page's own timer was 0, ms. The device's clock is not used: it may be wrong, or be set. */
let startedAtMs = Date.now() - performance.now();
/** The timer stops while some devices sleep; the Date header of an answer has whole seconds. */
const TOLERATED_MS = 2_000;

/** Sets the countdown by the daemon's clock; the page was rendered just now. */
export function setClock(root: HTMLElement): void {
  const now = Number(root.dataset['now']);
  if (now > 0) startedAtMs = now - performance.now();
}

/** Corrects the countdown by the time of an answer of the daemon, ms; NaN changes nothing. */
export function correctClock(now: number): void {
  const startedMs = now - performance.now();
  if (Math.abs(startedMs - startedAtMs) > TOLERATED_MS) startedAtMs = startedMs;
}

/** Updates the countdown. Only the daemon decides when the deadline has passed. */
export function tick(root: HTMLElement): void {
  const box = root.querySelector<HTMLElement>('.deadline');
  const time = box?.querySelector('time');
  if (box === null || time === null || time === undefined) return;
  const from = Date.parse(box.dataset['from'] ?? '');
  const until = Date.parse(box.dataset['until'] ?? '');
  const left = Math.max(0, Math.floor((until - startedAtMs - performance.now()) / 1000));
  time.textContent = clock(left);
  box.classList.toggle('hurry', left < HURRY_SECONDS);
  const fill = box.querySelector<HTMLElement>('.fill');
  const share = Math.min(1, (left * 1000) / Math.max(1, until - from));
  if (fill !== null) fill.style.transform = `scaleX(${share})`;
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}

function clock(seconds: number): string {
  const hours = Math.floor(seconds / 3600);
  const rest = `${two(Math.floor((seconds % 3600) / 60))}:${two(seconds % 60)}`;
  return hours === 0 ? rest : `${hours}:${rest}`;
}
