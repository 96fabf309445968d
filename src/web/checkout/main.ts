import './style.css';
import { aimLinks, isEmbedded, leaveByEscape, tellEmbedder } from './embed.ts';
import { enhance, offerToPrint, setClock, tick } from './enhance.ts';
import { follow } from './follow.ts';
import { offerKeypad } from './keypad.ts';
import { offerToPlay, playPayer } from './simulate.ts';
import { texts } from './texts.ts';
import { say, toast } from './voice.ts';

/** Keeps the page that the daemon drew current. Without it the page still says what to pay and where. */
const main = document.querySelector<HTMLElement>('#checkout');

/** The coin the payer picked by hand: it stays, where else the page shows the one already paid in. */
let picked: string | undefined;

if (main !== null) {
  setClock(main);
  main.addEventListener('change', ({ target }) => {
    if (target instanceof HTMLInputElement) picked = target.id;
  });
  enhance(main);
  aimLinks(main);
  setInterval(() => tick(main), 1_000);
  playPayer();
  let status = main.dataset['status'];
  tellEmbedder('ready', status);
  follow(main, {
    onChange: (state) => {
      document.title = state.title;
      showSummary(state.summary);
      show(main, state.html);
      offerToPlay(!state.final);
      say(state.announcement);
      // Whoever came back after the end, to see what became of a refund, stays.
      if (state.status !== status) {
        tellEmbedder('status', state.status);
        // A shop that shows the page in a frame hears of it and decides itself.
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

const LEAVE_AFTER_MS = 3_500;

/** Gives the reader the time to see, or hear, what happened before the page goes. */
function leaveFor(url: string, announcement: string): void {
  if (!/^https?:\/\//i.test(url)) return;
  toast(texts.redirecting);
  say(`${announcement}. ${texts.redirecting}`);
  setTimeout(() => window.location.assign(url), LEAVE_AFTER_MS);
}

/** The shop may change an order that nobody has paid. What the payer opened stays open. */
function showSummary(html: string): void {
  const summary = document.querySelector('#summary');
  if (summary === null) return;
  const isOpen = summary.querySelector('details')?.open === true;
  summary.innerHTML = html;
  const details = summary.querySelector('details');
  if (details !== null) details.open = isOpen;
}

/** Puts the new state in place and keeps what the payer had chosen and where the keyboard was. */
function show(main: HTMLElement, html: string): void {
  const active = document.activeElement;
  const within = active !== null && main.contains(active);
  const focused = within ? (active.id === '' ? active.getAttribute('data-copy') : active.id) : null;
  // The daemon escapes everything in it, and the content security policy runs nothing inline.
  main.innerHTML = html;
  const radio = picked === undefined ? null : document.getElementById(picked);
  if (radio instanceof HTMLInputElement) radio.checked = true;
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
