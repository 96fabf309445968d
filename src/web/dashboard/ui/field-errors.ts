import type { ApiError } from '../api/client.ts';
import { plainAmount } from '../format/decimal.ts';
import { fieldWords, OWN_WORDS, type FieldWords } from './field-words.ts';

/** Errors of form fields, by field name. */
export type FieldErrors = Readonly<Record<string, FieldWords>>;

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

const NO_TEXT = new Set(['checkbox', 'radio', 'hidden', 'submit', 'button']);

/** The fields of a form that can show an error. */
function listControls(form: HTMLFormElement): Control[] {
  return [...form.elements].filter((element): element is Control => {
    if (element instanceof HTMLInputElement) return !NO_TEXT.has(element.type);
    return element instanceof HTMLSelectElement || element instanceof HTMLTextAreaElement;
  });
}

/** Errors that prevent a form from being sent. */
export function ownFaults(form: HTMLFormElement): FieldErrors {
  const found: Record<string, FieldWords> = {};
  for (const control of listControls(form)) {
    const text = findFault(control);
    if (text !== null && control.name !== '') found[control.name] = { text, isRaw: false };
  }
  return found;
}

function findFault(control: Control): string | null {
  const { value, validity } = control;
  const isBlank = control.type !== 'password' && value.trim() === '' && !validity.badInput;
  if (control.required && (isBlank || value === ''))
    return control instanceof HTMLSelectElement ? OWN_WORDS.choose() : OWN_WORDS.fill();
  if (isBlank || control instanceof HTMLSelectElement) return null;
  // The browser checks the length only of text that the user typed, not of text set by a script.
  if (control.minLength > 0 && value.length < control.minLength)
    return OWN_WORDS.charactersAtLeast(String(control.minLength));
  return control instanceof HTMLInputElement ? inputFault(control) : null;
}

function inputFault({ type, value, validity, min, max, inputMode }: HTMLInputElement): string | null {
  if (validity.badInput) return OWN_WORDS.number();
  if (validity.typeMismatch) return type === 'email' ? OWN_WORDS.email() : OWN_WORDS.webAddress();
  if (validity.rangeUnderflow) return OWN_WORDS.atLeast(min);
  if (validity.rangeOverflow) return OWN_WORDS.atMost(max);
  if (validity.stepMismatch) return OWN_WORDS.whole();
  if (inputMode === 'decimal' && !isAmount(value)) return OWN_WORDS.amount();
  return validity.patternMismatch ? OWN_WORDS.check() : null;
}

/** "max" means the whole balance, in forms that send money. */
function isAmount(text: string): boolean {
  const value = text.trim();
  return value === 'max' || /^\d+(\.\d*)?$/.test(plainAmount(value));
}

/**
 * Distributes the API's validation errors over the fields of a form.
 * @returns the errors to show at the fields, and whether these are all errors
 */
export function refusedFaults(
  form: HTMLFormElement,
  error: ApiError,
): { faults: FieldErrors; isAll: boolean } {
  const names = new Set(listControls(form).map(({ name }) => name));
  const faults: Record<string, FieldWords> = {};
  let isAll = Object.keys(error.fields).length > 0;
  for (const [path, message] of Object.entries(error.fields)) {
    const steps = path.split(/[.[\]]+/).filter((step) => step !== '');
    const name = [path, steps.at(-1) ?? '', steps[0] ?? ''].find((one) => names.has(one));
    if (name === undefined) isAll = false;
    else faults[name] ??= fieldWords(message);
  }
  return { faults, isAll };
}
