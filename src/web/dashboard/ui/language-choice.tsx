import { chooseLanguage, language, LANGUAGES, type Language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';

const NAMES = Object.entries(LANGUAGES) as [Language, string][];

/** The language of the pages, kept in this browser. */
export function LanguageChoice() {
  return (
    <select
      aria-label={t('Language')}
      value={language}
      onChange={({ target }) => {
        const chosen = NAMES.find(([code]) => code === target.value)?.[0];
        if (chosen !== undefined) chooseLanguage(chosen);
      }}
      className="min-h-9 rounded-xl border border-edge bg-well px-2 text-sm"
    >
      {NAMES.map(([code, name]) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </select>
  );
}
