/** The thread of createPdfRenderer: renders the document that it is started with. */
import { fileURLToPath } from 'node:url';
import { parentPort, workerData } from 'node:worker_threads';
import Pdf from 'pdfkit';
import type { PrintBlock, PrintColumn, PrintDocument } from '../domain/print-document.ts';

/** Points: A4 is 595 x 842. */
const MARGIN = 48;
const BOTTOM = 64;
const CELL_GAP = 8;
const ROW_GAP = 4;
const SHORT_ROWS = 8;
const INK = '#1a1a1a';
const SOFT = '#595959';
const LINE = '#bfbfbf';

const STYLES = {
  title: { font: 'bold', size: 18, colour: INK, before: 0, after: 4 },
  heading: { font: 'bold', size: 12, colour: INK, before: 18, after: 6 },
  text: { font: 'regular', size: 9.5, colour: INK, before: 0, after: 3 },
  note: { font: 'regular', size: 8, colour: SOFT, before: 4, after: 3 },
  head: { font: 'bold', size: 8, colour: SOFT, before: 0, after: 0 },
  cell: { font: 'regular', size: 8.5, colour: INK, before: 0, after: 0 },
} as const;
type Style = keyof typeof STYLES;
type Table = Pick<Extract<PrintBlock, { kind: 'table' }>, 'columns' | 'rows'>;

/** One open font covers the letters of Europe; a subset of it is embedded. */
function fontFile(name: string): string {
  return fileURLToPath(import.meta.resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`));
}

class Printer {
  readonly #pdf: Pdf;
  readonly #width: number;
  readonly #lowest: number;
  readonly #heights = new Map<string, number>();

  constructor({ title, language, createdAtMs }: PrintDocument) {
    this.#pdf = new Pdf({
      size: 'A4',
      margins: { top: MARGIN, bottom: BOTTOM, left: MARGIN, right: MARGIN },
      lang: language,
      displayTitle: true,
      bufferPages: true,
      font: fontFile('DejaVuSans'),
      info: { Title: title, Producer: 'tilld', Creator: 'tilld', CreationDate: new Date(createdAtMs) },
    });
    this.#pdf.registerFont('regular', fontFile('DejaVuSans'));
    this.#pdf.registerFont('bold', fontFile('DejaVuSans-Bold'));
    this.#width = this.#pdf.page.width - 2 * MARGIN;
    this.#lowest = this.#pdf.page.height - BOTTOM;
  }

  async print({ blocks, footer }: PrintDocument): Promise<Buffer> {
    const chunks: Buffer[] = [];
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#pdf.on('data', (chunk) => chunks.push(chunk)).on('end', resolve);
    for (const [index, block] of blocks.entries()) this.#block(block, blocks[index + 1]);
    this.#footers(footer);
    this.#pdf.end();
    await promise;
    return Buffer.concat(chunks);
  }

  #block(block: PrintBlock, next: PrintBlock | undefined): void {
    if (block.kind === 'table') return this.#table(block);
    const style = STYLES[block.kind];
    const height = this.#height(block.text, block.kind, this.#width);
    // A heading stays with the table that it is about.
    const following = next?.kind === 'table' && block.kind === 'heading' ? this.#togetherHeight(next) : 0;
    this.#ensure(style.before + height + style.after + following);
    if (this.#pdf.y > MARGIN) this.#pdf.y += style.before;
    this.#text(block.text, block.kind, { x: MARGIN, y: this.#pdf.y, width: this.#width, align: 'left' });
    this.#pdf.y += height + style.after;
  }

  #table({ columns, rows }: Table): void {
    const widths = this.#widths(columns);
    const head = columns.map(({ title }) => title);
    this.#ensure(this.#togetherHeight({ columns, rows }));
    this.#row(head, 'head', { columns, widths });
    for (const row of rows) {
      if (this.#ensure(this.#rowHeight(row, 'cell', widths))) this.#row(head, 'head', { columns, widths });
      this.#row(row, 'cell', { columns, widths });
    }
    this.#pdf.y += ROW_GAP;
  }

  #widths(columns: readonly PrintColumn[]): number[] {
    const shares = columns.reduce((sum, { share }) => sum + share, 0);
    return columns.map(({ share }) => (this.#width * share) / shares);
  }

  /** The height of what is on one page: all rows of a short table, the first ones of a longer one. */
  #togetherHeight({ columns, rows }: Table): number {
    const widths = this.#widths(columns);
    const head = columns.map(({ title }) => title);
    return rows
      .slice(0, rows.length > SHORT_ROWS ? 2 : SHORT_ROWS)
      .reduce(
        (sum, row) => sum + this.#rowHeight(row, 'cell', widths),
        this.#rowHeight(head, 'head', widths),
      );
  }

  #row(
    cells: readonly string[],
    style: Style,
    { columns, widths }: { readonly columns: readonly PrintColumn[]; readonly widths: readonly number[] },
  ): void {
    const { y } = this.#pdf;
    const height = this.#rowHeight(cells, style, widths);
    let x = MARGIN;
    for (const [index, width] of widths.entries()) {
      const { align = 'left' } = columns[index] ?? {};
      this.#text(cells[index] ?? '', style, { x, y: y + ROW_GAP, width: width - CELL_GAP, align });
      x += width;
    }
    const end = y + height;
    this.#pdf
      .strokeColor(LINE)
      .lineWidth(style === 'head' ? 0.8 : 0.3)
      .moveTo(MARGIN, end)
      .lineTo(MARGIN + this.#width, end)
      .stroke();
    this.#pdf.y = end;
  }

  #rowHeight(cells: readonly string[], style: Style, widths: readonly number[]): number {
    const heights = widths.map((width, index) => this.#height(cells[index] ?? '', style, width - CELL_GAP));
    return Math.max(...heights) + 2 * ROW_GAP;
  }

  #height(text: string, style: Style, width: number): number {
    const key = `${style} ${width} ${text}`;
    const known = this.#heights.get(key);
    if (known !== undefined) return known;
    const { font, size } = STYLES[style];
    const height = this.#pdf.font(font).fontSize(size).heightOfString(text, { width });
    this.#heights.set(key, height);
    return height;
  }

  #text(
    text: string,
    style: Style,
    at: {
      readonly x: number;
      readonly y: number;
      readonly width: number;
      readonly align: 'left' | 'right' | 'center';
    },
  ): void {
    const { font, size, colour } = STYLES[style];
    const { x, y, width, align } = at;
    this.#pdf.font(font).fontSize(size).fillColor(colour).text(text, x, y, { width, align });
    this.#pdf.y = y;
  }

  /** Begins a new page where the rest of this one is lower than `height`. @returns whether it did */
  #ensure(height: number): boolean {
    if (this.#pdf.y + height <= this.#lowest || this.#pdf.y <= MARGIN) return false;
    this.#pdf.addPage();
    this.#pdf.y = MARGIN;
    return true;
  }

  #footers(footer: string): void {
    const { start, count } = this.#pdf.bufferedPageRange();
    for (let page = 0; page < count; page += 1) {
      this.#pdf.switchToPage(start + page);
      // Text below the margin would begin a page.
      this.#pdf.page.margins.bottom = 0;
      const text = footer.replace('{page}', String(page + 1)).replace('{pages}', String(count));
      const y = this.#pdf.page.height - BOTTOM / 2 - 8;
      this.#text(text, 'note', { x: MARGIN, y, width: this.#width, align: 'center' });
    }
  }
}

const document = workerData as PrintDocument;
const bytes = await new Printer(document).print(document);
parentPort?.postMessage(new Uint8Array(bytes));
