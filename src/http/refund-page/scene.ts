import type { Language } from '../../i18n/languages.ts';
import type { ClaimOption, ClaimPreview, PayerLink } from '../../usecases/refunds/index.ts';
import type { Say } from '../checkout/language.ts';

/** What a page about a refund is drawn from. */
export interface RefundScene {
  readonly link: PayerLink;
  readonly language: Language;
  readonly say: Say;
  /** What the payer entered, and what is wrong with it. */
  readonly entered?: { readonly coin: string; readonly destination: string } | undefined;
  readonly mistake?: { readonly field: 'coin' | 'destination'; readonly text: string } | undefined;
  /** Said above everything else. */
  readonly notice?: string | undefined;
  /** A checked claim that is to be confirmed. */
  readonly confirm?: { readonly option: ClaimOption; readonly preview: ClaimPreview } | undefined;
}
