import { z } from 'zod';
import { directs } from './security-marks.ts';
import { email, visibleText } from './text.ts';

const NAME_MAX = 120;
const LINES_MAX = 5;
const LINE_MAX = 100;
const TAX_NUMBER_MAX = 40;
const PREFIX = '^([A-Za-z0-9/._-]{0,15}[A-Za-z/._-])?$';

const regions = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** A country of ISO 3166-1, two letters, in upper case. */
function country() {
  return z
    .string()
    .trim()
    .toUpperCase()
    .refine((value) => /^[A-Z]{2}$/.test(value) && regions.of(value) !== undefined, {
      error: 'must be an ISO 3166-1 country code such as DE',
      params: { code: 'invalid_format' },
    })
    .meta({ override: { type: 'string', pattern: '^[A-Za-z]{2}$', examples: ['DE'] } });
}

const EXAMPLE = {
  legalName: 'Kaffee Blau GmbH',
  addressLines: ['Hauptstraße 1', '10115 Berlin'],
  country: 'DE',
  taxNumber: 'DE123456789',
  email: 'office@shop.example',
};

const NOTE = 'The seller on receipts; null: only the name of the shop is printed';

/** The seller and the numbers of receipts, for a request. Omitted fields stay unchanged. */
export function receiptSettings() {
  return {
    business: directs(
      z.object({
        legalName: visibleText({ max: NAME_MAX }).meta({ example: EXAMPLE.legalName }),
        addressLines: z
          .array(visibleText({ max: LINE_MAX }))
          .min(1)
          .max(LINES_MAX)
          .meta({ example: EXAMPLE.addressLines }),
        country: country(),
        taxNumber: visibleText({ max: TAX_NUMBER_MAX })
          .nullable()
          .default(null)
          .meta({ example: EXAMPLE.taxNumber }),
        email: email().nullable().default(null).meta({ example: EXAMPLE.email }),
      }),
    )
      .nullable()
      .optional()
      .meta({ description: `${NOTE}. Receipts that were issued keep the seller of their time` }),
    receiptPrefix: z
      .string()
      .refine((value) => new RegExp(PREFIX).test(value), {
        error: 'must be at most 16 letters, digits or / . _ - and must not end in a digit',
        params: { code: 'invalid_format' },
      })
      .optional()
      .meta({
        description: 'Before the number of a receipt, such as `R-` for `R-1024`. Issued receipts keep theirs',
        override: { type: 'string', pattern: PREFIX, examples: ['R-'] },
      }),
  };
}

/** The same for a response. */
export const shownReceiptSettings = {
  business: z
    .object({
      legalName: z.string().meta({ example: EXAMPLE.legalName }),
      addressLines: z.array(z.string()).meta({ example: EXAMPLE.addressLines }),
      country: z.string().meta({ description: 'ISO 3166-1', example: EXAMPLE.country }),
      taxNumber: z.string().nullable().meta({ example: EXAMPLE.taxNumber }),
      email: z.string().nullable().meta({ example: EXAMPLE.email }),
    })
    .nullable()
    .meta({ description: NOTE }),
  receiptPrefix: z.string().meta({ description: 'Before the number of a receipt', example: 'R-' }),
};
