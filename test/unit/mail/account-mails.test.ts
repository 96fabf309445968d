import { describe, expect, it } from 'vitest';
import { LANGUAGES } from '../../../src/i18n/languages.ts';
import {
  accountTexts,
  linkMail,
  type NoticeKind,
  noticeMail,
} from '../../../src/usecases/mail/mail-texts.ts';

const baseUrl = 'https://pay.example.com';

describe.each(LANGUAGES)('mails about an account in %s', (language) => {
  const texts = accountTexts(language);

  it.each(Object.keys(texts.notices) as NoticeKind[])('notify of %s with all values filled in', (kind) => {
    const mail = noticeMail(kind, { language, baseUrl, more: ['<more>'] });
    expect(mail.subject).toContain('pay.example.com');
    expect(mail.text.split('\n\n')).toHaveLength(4);
    expect(mail.html).toContain('&lt;more&gt;');
    expect(mail.html).toContain(`<html lang="${language}" dir="${language === 'ar' ? 'rtl' : 'ltr'}">`);
    expect(mail.subject + mail.text + mail.html).not.toMatch(/[{}]/);
  });

  it.each(['verify-email', 'reset-password'] as const)('contain the link of %s', (kind) => {
    const link = `${baseUrl}/dashboard/${kind}?token=T`;
    const mail = linkMail(kind, { language, baseUrl, link, isFirstProof: true });
    expect(mail.text).toContain(`\n\n${link}\n\n`);
    expect(mail.text).toContain(texts.firstProof);
    expect(mail.subject + mail.text + mail.html).not.toMatch(/[{}]/);
  });
});
