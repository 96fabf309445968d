import { CallFailed, connectDevice } from './api.ts';
import { el } from './dom.ts';
import { canInstall, install, isIphone } from './install.ts';
import { say } from './texts.ts';

/** Where a device without a token is connected by a code, from the link or typed. @param problem why it is shown */
export function connectView(problem: string | null, onConnected: (token: string) => void): HTMLElement {
  const note = el(
    'p',
    { class: 'problem', role: 'alert', ...(problem === null ? { hidden: true } : {}) },
    problem,
  );
  const code = el('input', {
    id: 'code',
    name: 'code',
    type: 'text',
    dir: 'ltr',
    autocomplete: 'off',
    autocapitalize: 'characters',
    spellcheck: 'false',
    maxlength: '40',
    required: true,
    value: window.location.hash.slice(1),
  });
  const button = el('button', { class: 'primary' }, say('connect'));
  const connect = async (): Promise<void> => {
    button.disabled = true;
    try {
      const token = await connectDevice(code.value.trim());
      // It has been used, and must not stay in the history.
      window.history.replaceState(null, '', window.location.pathname);
      onConnected(token);
    } catch (error) {
      note.textContent = describeFailure(error);
      note.hidden = false;
    } finally {
      button.disabled = false;
    }
  };
  const form = el('form', {}, el('label', { for: 'code' }, say('code')), code, button);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    if (code.value.trim() !== '') void connect();
  });
  return el(
    'main',
    { class: 'connect' },
    el('h1', {}, say('connectTitle')),
    el('p', {}, say('connectText')),
    note,
    form,
    canInstall() &&
      el('button', { class: 'quiet', type: 'button', onclick: () => void install() }, say('install')),
    isIphone() && el('p', { class: 'hint' }, say('installHint')),
  );
}

function describeFailure(error: unknown): string {
  const code = error instanceof CallFailed ? error.code : '';
  if (code === 'INVALID_CODE' || code === 'VALIDATION_INVALID') return say('wrongCode');
  if (code === 'OFFLINE') return say('offlineCharge');
  return say(code === 'RATE_LIMITED' ? 'tooMany' : 'failed');
}
