/** Words that a language does not use, because its texts use another one throughout. */
import { describe, expect, it } from 'vitest';
import { listLocales, readLocale } from '../../_helpers/locales.ts';

/** Formal address, terms of other trades such as shipping, and second terms for one thing: wallet, exchange rate. */
const UNUSED: Readonly<Record<string, RegExp>> = {
  ar: /إرسالات|مدفوعات|(رمز|رموز|رمزا) (ال)?استرداد|[“”‘’,;?]|اً|(?<![بل])ـ|«[^»]*$/,
  it: /\b(inserisca|imposti|configuri|lei|scelga|riprovi|attenda|portafogli|portafoglio|pannello|operatore|tasso(?! di cambio)|accesso a due fattori)\b|[«»]/i,
  nl: /\b(u|uw|portemonnee|limiet per dag|aanmelden in twee stappen)\b|[‘«»]/i,
  pl: /[Ww]ysyłk|[Ww]ysyłek|[Pp]rzelew|(?<!\{)\b[Ss]andbox\b|\b(twój|twoj\w*|ciebie|wasz\w*|pan|pani)\b|[“‘«»]|„[^”]*$/,
};

describe.each(Object.entries(UNUSED))('the texts in %s', (language, unused) => {
  it.each(Object.keys(listLocales()))('use one form of address and one term for one thing in %s', (area) => {
    const texts = Object.values(readLocale(area, language));
    expect(texts.filter((text) => unused.test(text))).toEqual([]);
  });
});
