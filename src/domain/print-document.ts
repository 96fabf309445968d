/** A document to print: formatted texts only, so that any renderer produces the same contents. */
export interface PrintDocument {
  readonly title: string;
  /** BCP 47. */
  readonly language: string;
  /** Written into the file as its creation time, so that the same contents are the same bytes. */
  readonly createdAtMs: number;
  readonly blocks: readonly PrintBlock[];
  /** At the bottom of each page, with the placeholders `{page}` and `{pages}`. */
  readonly footer: string;
}

export type PrintBlock =
  | { readonly kind: 'title' | 'heading' | 'text' | 'note'; readonly text: string }
  | {
      readonly kind: 'table';
      readonly columns: readonly PrintColumn[];
      readonly rows: readonly (readonly string[])[];
    };

export interface PrintColumn {
  readonly title: string;
  readonly align: 'left' | 'right';
  /** Share of the width of the page, relative to the other columns. */
  readonly share: number;
}

/** Renders a document as a PDF file. */
export type RenderPdf = (document: PrintDocument) => Promise<Uint8Array>;
