import { z } from 'zod';
import { detectLogoType } from '../../domain/branding.ts';
import type { Logo } from '../../usecases/shops/index.ts';
import { email, httpUrl } from './text.ts';

/** The largest logo that fits into the default body limit. */
const LOGO_MAX_BYTES = 65_536;
const BASE64_MAX = Math.ceil(LOGO_MAX_BYTES / 3) * 4;
const COLOR = '^#[0-9a-fA-F]{6}$';

function refused(context: z.RefinementCtx, message: string, code = 'invalid_format'): never {
  context.addIssue({ code: 'custom', message, params: { code } });
  return z.NEVER;
}

/** A PNG, JPEG or WebP image in base64, detected by its content. */
export function logo() {
  return z
    .string()
    .transform((value, context): Logo => {
      if (value.length > BASE64_MAX) return refused(context, 'must be an image of at most 64 KiB', 'too_big');
      const bytes = Buffer.from(value, 'base64');
      if (value === '' || bytes.toString('base64') !== value) return refused(context, 'must be base64');
      const type = detectLogoType(bytes);
      return type === null ? refused(context, 'must be a PNG, JPEG or WebP image') : { type, bytes };
    })
    .meta({ override: { type: 'string', contentEncoding: 'base64', maxLength: BASE64_MAX } });
}

/** A colour such as `#0b6e4f`, in lower case. */
export function accentColor() {
  return z
    .string()
    .trim()
    .refine((value) => new RegExp(COLOR).test(value), {
      error: 'must be a colour such as #0b6e4f',
      params: { code: 'invalid_format' },
    })
    .transform((value) => value.toLowerCase())
    .meta({ override: { type: 'string', pattern: COLOR, examples: ['#0b6e4f'] } });
}

/** An e-mail address or an https URL; an empty text means none. */
export function supportContact() {
  return z
    .string()
    .trim()
    .superRefine((value, context) => {
      const isUrl = httpUrl().safeParse(value).success && /^https:/i.test(value);
      if (value !== '' && !isUrl && !email().safeParse(value).success) {
        refused(context, 'must be an e-mail address or an https URL');
      }
    })
    .meta({ maxLength: 2048, examples: ['help@shop.example'] });
}
