import { invalidField } from '../../domain/errors.ts';
import { type Fiat, parseFiat } from '../../domain/fiat.ts';
import { AmountError } from '../../domain/money.ts';

/** A limit in a currency; zero lets nothing leave without an approval. @throws {AppError} VALIDATION_INVALID */
export function readLimit(
  field: string,
  text: string | null | undefined,
  currency: string,
): Fiat | null | undefined {
  if (text === undefined || text === null) return text;
  try {
    return parseFiat(text, currency);
  } catch (error) {
    if (error instanceof AmountError) throw invalidField(field, error.message);
    throw error;
  }
}
