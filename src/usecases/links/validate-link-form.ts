import { parsePrice } from '../catalog/index.ts';
import { isPlausibleEmail } from '../../domain/email.ts';
import { AppError } from '../../domain/errors.ts';
import type { LinkField } from '../../domain/payment-link.ts';
import type { LinkView } from './read-link.ts';

/** The payer's input; empty strings where left blank. */
export interface Answers extends Readonly<Record<LinkField, string>> {
  /** Decimal string; null when the input is not an amount. Unused where the link's amount is fixed. */
  readonly amount: string | null;
}

export type LinkFormProblem = 'required' | 'invalid' | 'tooLow' | 'tooSmall' | 'tooHigh' | 'tooLong';
export type LinkFormProblems = Readonly<Partial<Record<LinkField | 'amount', LinkFormProblem>>>;

const LONGEST: Readonly<Record<LinkField, number>> = { email: 254, name: 120, note: 500 };
const INTEGER_DIGITS = 12;

/** The problem of each answer; none where it is valid. Answers that the link does not ask for are ignored. */
export function validateLinkForm(link: LinkView, answers: Answers): LinkFormProblems {
  const fields = link.fields.map(({ name, required }) => [name, fieldProblem(name, required, answers[name])]);
  const amount = link.fixed === null ? amountProblem(link, answers.amount) : null;
  return Object.fromEntries(
    [...fields, ['amount', amount]].filter(([, problem]) => problem !== null),
  ) as LinkFormProblems;
}

function fieldProblem(name: LinkField, required: boolean, value: string): LinkFormProblem | null {
  if (value === '') return required ? 'required' : null;
  if (value.length > LONGEST[name]) return 'tooLong';
  if (value.includes('\0') || !value.isWellFormed()) return 'invalid';
  return name === 'email' && !isPlausibleEmail(value) ? 'invalid' : null;
}

/** The problem of an amount chosen by the payer; null: none. */
export function amountProblem(
  { currency, open }: Pick<LinkView, 'currency' | 'open'>,
  amount: string | null,
): LinkFormProblem | null {
  if (amount === null) return 'invalid';
  if ((amount.split('.')[0] ?? '').length > INTEGER_DIGITS) return 'tooHigh';
  const toMinor = (text: string): bigint => parsePrice({ amount: text, currency }).minor;
  let minor: bigint;
  try {
    minor = toMinor(amount);
  } catch (error) {
    if (error instanceof AppError) return 'invalid';
    throw error;
  }
  if (open?.min !== undefined && minor < toMinor(open.min)) return 'tooLow';
  return open?.max !== undefined && minor > toMinor(open.max) ? 'tooHigh' : null;
}
