/** English text → the same in another language, with the same `{placeholders}`. */
export type Catalogue = Readonly<Record<string, string>>;
