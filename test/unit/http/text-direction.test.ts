/** The direction of the pages and mails for payers and readers. */
import { describe, expect, it } from 'vitest';
import { problemPage } from '../../../src/http/checkout/document.ts';
import { closedPage } from '../../../src/http/links/page.ts';
import { unsubscribeProblemPage } from '../../../src/http/notices-page/document.ts';
import { refundProblemPage } from '../../../src/http/refund-page/document.ts';
import { LANGUAGES, type Language } from '../../../src/i18n/languages.ts';
import type { MerchantRow } from '../../../src/store/schema/merchants.ts';
import { htmlMail } from '../../../src/usecases/mail/index.ts';

const merchant = { name: 'Shop', domain: 'shop.example', supportContact: null } as MerchantRow;

describe('pages and mails', () => {
  it.each([
    ['the checkout', (language: Language) => problemPage('notFound', language, null)],
    ['the refund page', (language: Language) => refundProblemPage('notFound', language, null)],
    ['the page of a payment link', (language: Language) => closedPage(merchant, language, null)],
    ['the page of notices', (language: Language) => unsubscribeProblemPage(language, null)],
    ['a mail', (language: Language) => htmlMail(language, ['text'])],
  ])('%s names its language and direction', (_name, render) => {
    for (const language of LANGUAGES) {
      const dir = language === 'ar' ? 'rtl' : 'ltr';
      expect(render(language)).toContain(`<html lang="${language}" dir="${dir}">`);
    }
  });

  it('a mail has its direction on the body too, which mail programs keep', () => {
    expect(htmlMail('ar', ['text'])).toContain('<body dir="rtl">');
  });
});
