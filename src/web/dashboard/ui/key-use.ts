import { t } from '../i18n/t.ts';
import { when } from '../format/format.ts';

/** When a key was created and last used. */
export function keyUse(key: { readonly createdAt: string; readonly lastUsedAt: string | null }): string {
  const createdAt = when(key.createdAt);
  return key.lastUsedAt === null
    ? t('Created {createdAt}, never used', { createdAt })
    : t('Created {createdAt}, last used {lastUsedAt}', { createdAt, lastUsedAt: when(key.lastUsedAt) });
}
