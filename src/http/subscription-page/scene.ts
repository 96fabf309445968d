import { formatLocale, type Language } from '../../i18n/languages.ts';
import type { PortalView } from '../../usecases/subscriptions/index.ts';
import type { speakPortal } from './texts.ts';

/** The data of a page of a subscription. */
export interface PortalModel {
  readonly view: PortalView;
  readonly token: string;
  readonly language: Language;
  /** The payer has to confirm the cancellation. */
  readonly isCancelling: boolean;
  /** An address that was refused. */
  readonly entered: string | null;
}

export type PortalScene = PortalModel & ReturnType<typeof speakPortal>;

/** A day in the zone of the subscription. */
export function dayIn({ view, language }: Pick<PortalScene, 'view' | 'language'>, at: number): string {
  return new Intl.DateTimeFormat(formatLocale(language), {
    dateStyle: 'long',
    timeZone: view.timeZone,
  }).format(at);
}
