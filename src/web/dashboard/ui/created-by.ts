import type { CreatedBy } from '../contract/types.ts';
import { t } from '../i18n/t.ts';

/** The creator of something; null if unknown, or if the reader may not know. */
export function createdByText(creator: CreatedBy): string | null {
  if (creator === null) return null;
  if (creator.kind === 'secret') return t('Created by the secret key');
  return creator.name === null ? null : t('Created by {name}', { name: creator.name });
}
