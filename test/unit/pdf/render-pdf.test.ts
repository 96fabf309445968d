import { describe, expect, it } from 'vitest';
import type { PrintDocument } from '../../../src/domain/print-document.ts';
import { monthDocument } from '../../../src/http/books/month-document.ts';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import { createPdfRenderer } from '../../../src/pdf/render-pdf.ts';
import type { MonthReport } from '../../../src/usecases/accounting/index.ts';

const render = createPdfRenderer();
const SHOP = { name: 'Kawiarnia „Żółć”, Łódź', domain: 'kawiarnia.example' };

const report: MonthReport = {
  month: '2026-10',
  mode: 'sandbox',
  timeZone: 'Europe/Warsaw',
  fromMs: Date.UTC(2026, 8, 30, 22),
  beforeMs: Date.UTC(2026, 9, 31, 23),
  isFinal: false,
  totals: [
    {
      kind: 'payment',
      coin: 'ETH',
      currency: 'PLN',
      count: 1200,
      amount: 1_234_567_890_123_456_789n,
      minor: 1_234_567n,
      unpriced: 5n,
    },
    { kind: 'fee', coin: 'BTC', currency: 'PLN', count: 3, amount: -1500n, minor: -600n, unpriced: 0n },
  ],
  balances: [
    { coin: 'BTC', opening: 3000n, incoming: 0n, outgoing: 0n, fees: 1500n, closing: 1500n },
    {
      coin: 'ETH',
      opening: 0n,
      incoming: 1_234_567_890_123_456_789n,
      outgoing: 0n,
      fees: 0n,
      closing: 1_234_567_890_123_456_789n,
    },
  ],
  rates: [{ coin: 'ETH', currency: 'PLN', lowest: '9999.5', highest: '10000', sources: ['kraken'] }],
  receipts: {
    bounds: { first: 'R-1', last: 'R-1200' },
    sums: [{ currency: 'PLN', count: 1200, minor: 1_234_567n, tipMinor: 12_300n }],
  },
};

function tableOf(rows: number): PrintDocument {
  return {
    title: 'Rows',
    language: 'en',
    createdAtMs: 0,
    footer: '{page}/{pages}',
    blocks: [
      { kind: 'heading', text: 'Rows' },
      {
        kind: 'table',
        columns: [{ title: 'Number', align: 'right', share: 1 }],
        rows: Array.from({ length: rows }, (_, index) => [String(index)]),
      },
    ],
  };
}

const pages = (pdf: Uint8Array): number =>
  Buffer.from(pdf)
    .toString('latin1')
    .match(/\/Type \/Page\b/g)?.length ?? 0;

describe('createPdfRenderer', () => {
  it('renders the same document as the same bytes, and another one as other bytes', async () => {
    const document = monthDocument(report, SHOP, 'en');
    const [first, second, other] = await Promise.all([
      render(document),
      render(document),
      render({ ...document, createdAtMs: document.createdAtMs + 1000 }),
    ]);
    expect(Buffer.from(first).equals(second)).toBe(true);
    expect(Buffer.from(first).equals(other)).toBe(false);
    expect(Buffer.from(first).subarray(0, 5).toString()).toBe('%PDF-');
  });

  it('breaks a long table into pages', async () => {
    expect([pages(await render(tableOf(5))), pages(await render(tableOf(100)))]).toEqual([1, 3]);
  });

  it('rejects a document that the thread cannot render, and renders the next one', async () => {
    const broken = { ...tableOf(1), createdAtMs: Number.NaN };
    await expect(render(broken)).rejects.toThrow(/./);
    expect(pages(await render(tableOf(1)))).toBe(1);
  });
});

describe('monthDocument', () => {
  it.each(LANGUAGES)('shows every figure exactly, in the notation of %s', (language) => {
    const { blocks, footer } = monthDocument(report, SHOP, language);
    // The fonts of the PDF have no Arabic letters: it is in English.
    const decimal = ['en', 'ar'].includes(language) ? '.' : ',';
    const cells = blocks.flatMap((block) => (block.kind === 'table' ? block.rows.flat() : [block.text]));
    expect(cells).toContain(`1${decimal}234567890123456789`);
    expect(cells).toContain(`-0${decimal}000015`);
    expect(cells.join(' ')).toContain('0000000005');
    expect(cells.join(' ').replaceAll(/\s/g, '')).toMatch(/12[.,]?345[.,]67/);
    expect(cells).toContain('kraken');
    expect(footer).toMatch(/\{page\}.*\{pages\}/);
  });

  it('says that a month has not ended, and that coins are simulated', () => {
    const texts = monthDocument(report, SHOP, 'en').blocks.flatMap((block) =>
      block.kind === 'table' ? [] : [block.text],
    );
    expect(texts).toContain('This month has not ended: the figures can still change.');
    expect(texts).toContain('Sandbox: these are simulated coins, not money.');
  });
});
