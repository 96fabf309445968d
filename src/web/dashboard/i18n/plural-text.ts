/**
 * The translation of a plural. Languages with more forms than two, such as Polish and Arabic, have the others under the
 * English plural and the category, such as `{count} payments|few`; the plural without one is the form of all other numbers.
 */
export function pluralText(
  translations: Readonly<Record<string, string>>,
  category: Intl.LDMLPluralRule,
  { one, many }: { readonly one: string; readonly many: string },
): string {
  const text = category === 'one' ? one : many;
  return translations[`${many}|${category}`] ?? translations[text] ?? text;
}
