import type { Language } from '../../i18n/languages.ts';
import type { ClaimOption, ClaimPreview, PayerLink } from '../../usecases/refunds/index.ts';
import type { Say } from '../checkout/language.ts';

/** The data of a refund page. */
export interface RefundPageModel {
  readonly link: PayerLink;
  readonly language: Language;
  readonly say: Say;
  /** The payer's input, and its errors. */
  readonly entered?: { readonly coin: string; readonly destination: string } | undefined;
  readonly mistake?: { readonly field: 'coin' | 'destination'; readonly text: string } | undefined;
  /** Shown at the top. */
  readonly notice?: string | undefined;
  /** A validated claim to be confirmed. */
  readonly confirm?: { readonly option: ClaimOption; readonly preview: ClaimPreview } | undefined;
}
