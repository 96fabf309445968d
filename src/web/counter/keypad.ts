import { el } from './dom.ts';
import { say } from './texts.ts';

const KEYS = ['1', '2', '3', '4', '5', '6', '7', '8', '9', '00', '0'];

/** Keys within reach of a thumb. Digits are typed from the smallest unit on, so that no key for a decimal sign is needed. */
export function keypad(onKey: (key: string) => void): HTMLElement {
  const key = (sign: string): HTMLElement =>
    el('button', { type: 'button', onclick: () => onKey(sign) }, sign);
  return el(
    'div',
    { class: 'keypad', role: 'group', 'aria-label': say('keypad'), dir: 'ltr' },
    ...KEYS.map(key),
    el('button', { type: 'button', 'aria-label': say('erase'), onclick: () => onKey('erase') }, '⌫'),
  );
}

/** The key that a real keyboard sends; null: none of the keypad's. */
export function pressedKey({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | null {
  if (ctrlKey || metaKey || altKey) return null;
  if (/^\d$/.test(key)) return key;
  return key === 'Backspace' ? 'erase' : key === 'Delete' ? 'clear' : null;
}
