import { element } from './element.ts';
import { ask, type Answer } from './sandbox-api.ts';

/** The proof that a response asks for first; null if it asks for none. */
export function askedProof({ status, body }: Answer): 'password' | 'code' | null {
  if (status !== 403 || typeof body !== 'object' || body === null) return null;
  const { error } = body as { error: { code: string; details?: readonly { field: string }[] } | null };
  if (error?.code !== 'STEP_UP_REQUIRED') return null;
  return error.details?.some(({ field }) => field === 'code') === true ? 'code' : 'password';
}

/**
 * Asks for the step-up that the dashboard needs for the same operations. @param onProven sends the request
 * again
 */
export function stepUpForm(proof: 'password' | 'code', onProven: () => void): HTMLElement {
  const isCode = proof === 'code';
  const input = element('input', {
    name: proof,
    type: isCode ? 'text' : 'password',
    autocomplete: isCode ? 'one-time-code' : 'current-password',
    required: '',
  });
  const what = isCode ? 'Code of your authenticator app' : 'Your password';
  const button = element('button', { type: 'submit', class: 'send' }, 'Confirm and send');
  const problem = element('p', { class: 'note', role: 'alert' });
  const why =
    'This concerns money, keys, or where payers and notifications go: confirm that it is you. Nothing was done yet.';
  const form = element(
    'form',
    {},
    element('p', { class: 'note' }, why),
    element('label', {}, element('span', {}, what), input),
    button,
    problem,
  );
  const prove = async (): Promise<void> => {
    button.disabled = true;
    const refusal = await findRefusal({ [proof]: input.value });
    button.disabled = false;
    problem.textContent = refusal;
    if (refusal === null) onProven();
  };
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    void prove();
  });
  return form;
}

/** @returns null once the session may continue, else the reason why not. */
async function findRefusal(proof: Readonly<Record<string, string>>): Promise<string | null> {
  try {
    const { status, body } = await ask('POST', '/auth/step-up', proof);
    if (status === 200) return null;
    const { error } = body as { error: { message: string } | null };
    return error?.message ?? 'The server answered something else than the API.';
  } catch {
    return 'The server does not answer.';
  }
}
