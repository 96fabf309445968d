import './style.css';
import { aimLinks, isEmbedded, leaveByEscape, tellEmbedder } from './embed.ts';
import { correctClock, enhance, offerToPrint, setClock, tick } from './enhance.ts';
import { follow } from './live-updates.ts';
import { offerKeypad } from './keypad.ts';
import { offerToPlay, playPayer } from './simulate.ts';
import { texts } from './texts.ts';
import { say, toast } from './announce.ts';

/** Keeps the rendered page current. Without it the page still shows amount and address. */
const main = document.querySelector<HTMLElement>('#checkout');

/** The coin that the payer chose manually; it takes precedence over the coin already paid in. */
let picked: string | undefined;

if (main !== null) {
  setClock(main);
  main.addEventListener('change', ({ target }) => {
    if (!(target instanceof HTMLInputElement)) return;
    picked = target.id;
    if (target.name === 'coin') keepCoin(target.value);
  });
  enhance(main);
  aimLinks(main);
  setInterval(() => tick(main), 1_000);
  playPayer();
  let status = main.dataset['status'];
  tellEmbedder('ready', status);
  follow(main, {
    onTime: correctClock,
    onChange: (state) => {
      document.title = state.title;
      showSummary(state.summary);
      show(main, state.html);
      offerToPlay(!state.final);
      say(state.announcement);
      // A payer who returns after the end, for example to see a refund, is not redirected.
      if (state.status !== status) {
        tellEmbedder('status', state.status);
        // A shop that shows the page in a frame gets a message and decides itself.
        if (state.redirect !== null && !isEmbedded) leaveFor(state.redirect, state.announcement);
      }
      status = state.status;
    },
  });
}

const receipt = document.querySelector<HTMLElement>('#receipt');
if (receipt !== null) {
  enhance(receipt);
  offerToPrint(receipt);
}
leaveByEscape();
offerKeypad();
// The page of a payment link has no payment yet.
if (main === null) tellEmbedder('ready');

/** In the address, so that a page that the phone loads again still shows the coin. */
function keepCoin(coin: string): void {
  const url = new URL(window.location.href);
  url.searchParams.set('coin', coin);
  window.history.replaceState(window.history.state, '', url);
}

const LEAVE_AFTER_MS = 3_500;

/** Gives the payer time to read what happened before the redirect. */
function leaveFor(url: string, announcement: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  toast(texts.redirecting);
  say(`${announcement}. ${texts.redirecting}`);
  setTimeout(() => window.location.assign(url), LEAVE_AFTER_MS);
}

/** The shop may change an unpaid order. Details that the payer opened stay open. */
function showSummary(html: string): void {
  const summary = document.querySelector('#summary');
  if (summary === null) return;
  const isOpen = summary.querySelector('details')?.open === true;
  summary.innerHTML = html;
  const details = summary.querySelector('details');
  if (details !== null) details.open = isOpen;
}

/** Inserts the new state and keeps the payer's choice and the keyboard focus. */
function show(main: HTMLElement, html: string): void {
  const active = document.activeElement;
  const within = active !== null && main.contains(active);
  const focused = within ? (active.id === '' ? active.getAttribute('data-copy') : active.id) : null;
  // The daemon escapes all of it, and the content security policy runs nothing inline.
  main.innerHTML = html;
  const input = picked === undefined ? null : document.getElementById(picked);
  if (input instanceof HTMLInputElement) input.checked = true;
  enhance(main);
  aimLinks(main);
  if (!within) return;
  const again = [...main.querySelectorAll<HTMLElement>('input, button, a')].find(
    (element) => element.id === focused || element.dataset['copy'] === focused,
  );
  if (again !== undefined) again.focus();
  else {
    main.tabIndex = -1;
    main.focus({ preventScroll: true });
  }
}
