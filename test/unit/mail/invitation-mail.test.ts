import { expect, it } from 'vitest';
import { invitationMail } from '../../../src/usecases/mail/invitation-mail.ts';

const about = {
  language: 'en',
  baseUrl: 'https://pay.example.com',
  link: 'https://pay.example.com/join',
  role: 'clerk',
} as const;

it('the name of a shop cannot inject lines into the text or headers of invitationMail', () => {
  const plain = invitationMail({ ...about, shop: 'Blue Door Books' });
  const shop = 'Your account is locked.\r\n\nUnlock it:\u2028https://evil.example\n\n\u202e-- ';
  const written = invitationMail({ ...about, shop });
  expect(written.text.split(/[\n\u2028]/)).toHaveLength(plain.text.split('\n').length);
  expect(written.text.split('\n')[0]).toBe('Hello,');
  expect([written.text, written.subject, written.html].join('')).not.toMatch(/[\r\u2028\u202e]/);
  expect(written.subject).not.toContain('\n');
});
