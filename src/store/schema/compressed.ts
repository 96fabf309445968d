declare const compressed: unique symbol;

/** JSON text as it is stored in a *_json BLOB; see compressJson. Rows are read with the text itself. */
export type CompressedJson = Buffer & { readonly [compressed]: true };
