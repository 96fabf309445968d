import type { Language } from '../../i18n/languages.ts';
import type { ClaimOption, ClaimPreview, PayerLink } from '../../usecases/refunds/index.ts';
import type { Translate } from '../checkout/negotiate-language.ts';

/** The data of a refund page. */
export interface RefundPageModel {
  readonly link: PayerLink;
  readonly language: Language;
  readonly say: Translate;
  /** The payer's input, and its errors. */
  readonly entered?: { readonly coin: string; readonly destination: string } | undefined;
  readonly mistake?: { readonly field: 'coin' | 'destination'; readonly text: string } | undefined;
  /** Shown at the top. */
  readonly notice?: string | undefined;
  /** Set where the payer of an overpaid order requests the refund on the checkout page. */
  readonly request?: ExcessRequestPage | undefined;
  /** A validated claim to be confirmed. */
  readonly confirm?: { readonly option: ClaimOption; readonly preview: ClaimPreview } | undefined;
}

/** The place of a request for the excess. */
export interface ExcessRequestPage {
  /** Language and frame, for the addresses of the page. */
  readonly query: string;
  /** The page of the payment. */
  readonly checkout: string;
  /** The site that shows the page in a frame. */
  readonly embedder: string | null;
}

/** The query of the page's own forms and links. */
export function pageQuery({ language, request }: Pick<RefundPageModel, 'language' | 'request'>): string {
  return request?.query ?? `lang=${language}`;
}
