import type { CreatedBy } from '../contract/types.ts';
import { t } from '../i18n/t.ts';

/** Who made something; null where that is not known, or not for the reader to know. */
export function madeBy(creator: CreatedBy): string | null {
  if (creator === null) return null;
  if (creator.kind === 'secret') return t('Made by the secret key');
  return creator.name === null ? null : t('Made by {name}', { name: creator.name });
}
