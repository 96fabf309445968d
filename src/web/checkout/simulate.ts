import { texts } from './texts.ts';
import { toast } from './announce.ts';

/** Submits the sandbox form without leaving the page: the result arrives as the payment's new state. */
export function playPayer(): void {
  const form = document.querySelector<HTMLFormElement>('#simulate');
  form?.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, event.submitter);
  });
}

/** Paying is disabled once it is over; a reversal may enable it again. */
export function offerToPlay(isOffered: boolean): void {
  const form = document.querySelector<HTMLFormElement>('#simulate');
  if (form !== null) form.hidden = !isOffered;
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  // FormData also includes the coin's radio buttons, which are elsewhere in the page and belong to this form.
  for (const [name, value] of new FormData(form, submitter)) {
    if (typeof value === 'string') body.set(name, value);
  }
  const buttons = form.querySelectorAll('button');
  for (const button of buttons) button.disabled = true;
  try {
    const answer = await fetch(form.action, {
      method: 'POST',
      body,
      headers: { accept: 'application/json' },
    });
    if (!answer.ok) toast(texts.simulateRefused);
  } catch {
    toast(texts.offline);
  } finally {
    for (const button of buttons) button.disabled = false;
  }
}
