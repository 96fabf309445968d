import type { MailAttachment } from '../../domain/mail.ts';
import type { RenderPdf } from '../../domain/print-document.ts';
import type { Language } from '../../i18n/languages.ts';
import type { MonthReport } from '../../usecases/accounting/index.ts';
import { csv } from '../server/csv.ts';
import { monthDocument } from './month-document.ts';
import { MONTH_COLUMNS, toMonthRows } from './month-views.ts';

/** The files of a month for a mail: the PDF and the CSV table. */
export async function monthAttachments(
  renderPdf: RenderPdf,
  report: MonthReport,
  shop: { readonly name: string; readonly domain: string },
  language: Language,
): Promise<MailAttachment[]> {
  const pdf = await renderPdf(monthDocument(report, shop, language));
  let table = '';
  for await (const part of csv(MONTH_COLUMNS, once(toMonthRows(report)))) table += part;
  const name = `tilld-${report.mode}-month-${report.month}`;
  return [
    { name: `${name}.pdf`, type: 'application/pdf', base64: Buffer.from(pdf).toString('base64') },
    { name: `${name}.csv`, type: 'text/csv', base64: Buffer.from(table).toString('base64') },
  ];
}

/** One value as a stream. */
export async function* once<T>(value: T): AsyncGenerator<T, void> {
  yield value;
}
