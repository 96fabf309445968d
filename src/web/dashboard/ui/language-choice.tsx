import { tellLanguage } from '../api/client.ts';
import { session } from '../api/session.ts';
import { DASHBOARD_LANGUAGES, LANGUAGE_NAMES, type DashboardLanguage } from '../../../i18n/languages.ts';
import { setLanguage, language } from '../i18n/language.ts';
import { t } from '../i18n/t.ts';

/** Also sets the language of emails to the signed-in user. */
async function choose(chosen: DashboardLanguage): Promise<void> {
  if (session() !== null) await tellLanguage(chosen);
  setLanguage(chosen);
}

/** The language of the pages, stored in this browser. */
export function LanguageChoice() {
  return (
    <select
      aria-label={t('Language')}
      value={language}
      onChange={({ target }) => {
        const chosen = DASHBOARD_LANGUAGES.find((code) => code === target.value);
        if (chosen !== undefined) void choose(chosen);
      }}
      className="min-h-9 rounded-xl border border-edge bg-well px-2 text-sm"
    >
      {DASHBOARD_LANGUAGES.map((code) => (
        <option key={code} value={code} lang={code}>
          {LANGUAGE_NAMES[code]}
        </option>
      ))}
    </select>
  );
}
