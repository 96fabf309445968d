/**
 * The keys of a counter type into the amount, which stays a plain field, so that a real keyboard works as
 * well.
 */
export function offerKeypad(): void {
  const keypad = document.querySelector<HTMLElement>('#keypad');
  const amount = document.querySelector<HTMLInputElement>('#amount');
  if (keypad === null || amount === null) return;
  keypad.hidden = false;
  // The system's own keyboard would cover the keys.
  amount.inputMode = 'none';
  const { digits = '0', decimal = '.' } = keypad.dataset;
  keypad.addEventListener('click', ({ target }) => {
    const key = target instanceof Element ? target.closest('button')?.value : undefined;
    if (key !== undefined) amount.value = typed(amount.value, key, { digits: Number(digits), decimal });
  });
}

const INTEGER_DIGITS = 12;

function typed(text: string, key: string, of: { readonly digits: number; readonly decimal: string }): string {
  if (key === 'clear') return '';
  if (key === 'erase') return text.slice(0, -1);
  const [whole = '', fraction] = text.split(of.decimal);
  if (key === of.decimal) return fraction === undefined ? `${whole === '' ? '0' : whole}${key}` : text;
  if (fraction !== undefined) return fraction.length < of.digits ? text + key : text;
  if (whole.length >= INTEGER_DIGITS) return text;
  return whole === '0' ? key : text + key;
}
