import { texts } from './texts.ts';
import { toast } from './voice.ts';

/** Sends the sandbox form without leaving the page: what it does comes back as the payment's new state. */
export function playPayer(): void {
  const form = document.querySelector<HTMLFormElement>('#simulate');
  form?.addEventListener('submit', (event) => {
    event.preventDefault();
    void send(form, event.submitter);
  });
}

/** Nobody can pay once it is over; money taken back may open it again. */
export function offerToPlay(isOffered: boolean): void {
  const form = document.querySelector<HTMLFormElement>('#simulate');
  if (form !== null) form.hidden = !isOffered;
}

async function send(form: HTMLFormElement, submitter: HTMLElement | null): Promise<void> {
  const body = new URLSearchParams();
  // FormData also takes the coin's radio buttons, which stand elsewhere and belong to this form.
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
