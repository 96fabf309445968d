import type { MailMessage } from '../../domain/mail.ts';
import { escapeHtml, hostName, htmlMail } from './html-mail.ts';

/** A mail without its recipient. */
export type MailText = Omit<MailMessage, 'id' | 'to'>;

interface LinkMail {
  readonly subject: string;
  readonly before: string;
  readonly action: string;
  readonly after: string;
}

const LINK_MAILS = {
  'verify-email': {
    subject: 'Confirm your email address',
    before: 'an account was registered with this email address. If it is yours, confirm the address:',
    action: 'Confirm the address',
    after:
      'The link works for 48 hours and asks for the password of the account. If you did not register, ignore this mail.',
  },
  'reset-password': {
    subject: 'Set a new password',
    before: 'a new password was requested for your account, probably by you. Set one here:',
    action: 'Set a new password',
    after: 'The link works once, for one hour. If you did not request it, ignore this mail: nothing changes.',
  },
} as const satisfies Record<string, LinkMail>;

interface Notice {
  readonly subject: string;
  readonly body: string;
  /** Further instructions where a new password alone does not help. */
  readonly advice?: string;
}

const RESET = 'If this was not you, reset your password at once.';

const NOTICES = {
  'password-changed': {
    subject: 'Your password was changed',
    body: 'the password of your account was just changed, and all sessions have been signed out.',
  },
  'address-proven': {
    subject: 'Your address was confirmed, and earlier access has ended',
    body:
      'a new password was set by a link to this address, which had not been confirmed before. Because another person may ' +
      'have registered it, everything that gave access to the account has ended.',
  },
  'second-factor-enabled': {
    subject: 'Two-factor sign-in was switched on',
    body: 'signing in to your account now also requires a code from your authenticator app.',
  },
  'second-factor-disabled': {
    subject: 'Two-factor sign-in was switched off',
    body: 'signing in to your account now requires only the password.',
  },
  'new-place': {
    subject: 'A sign-in from a new place',
    body: 'there was just a sign-in to your account from a new network.',
  },
  'recovery-code-used': {
    subject: 'A recovery code was used',
    body: 'one of the recovery codes of your account was just used. Each works only once.',
  },
  'passkey-added': {
    subject: 'A passkey was added',
    body: 'a passkey was just added to your account. It signs in without your password.',
    advice:
      'If this was not you, remove it on the account page of the dashboard, and change your password, at once.',
  },
  'passkey-removed': {
    subject: 'A passkey was removed',
    body: 'a passkey was just removed from your account, and all other sessions have been signed out.',
  },
  'passkey-copied': {
    subject: 'A passkey was rejected',
    body:
      'a passkey of your account was just rejected, because its counter went back: there may be a copy of the device ' +
      'or key that holds it.',
    advice: 'Sign in with your password and remove that passkey on the account page of the dashboard.',
  },
} as const satisfies Record<string, Notice>;

export type NoticeKind = keyof typeof NOTICES;

/** A mail with a link to open. */
export function linkMail(
  kind: keyof typeof LINK_MAILS,
  options: { readonly baseUrl: string; readonly link: string; readonly more?: string },
): MailText {
  const { subject, before, action } = LINK_MAILS[kind];
  const after = [LINK_MAILS[kind].after, ...(options.more === undefined ? [] : [options.more])].join(' ');
  const { link } = options;
  const host = hostName(options.baseUrl);
  return {
    subject: `${subject} (${host})`,
    text: `Hello,\n\nat ${host} ${before}\n\n${link}\n\n${after}\n`,
    html: htmlMail('en', [
      `Hello,`,
      `at ${escapeHtml(host)} ${before}`,
      `<a href="${escapeHtml(link)}">${action}</a>`,
      escapeHtml(link),
      after,
    ]),
    link,
    unsubscribe: null,
  };
}

/** A notice of a change that must not go unnoticed. */
export function noticeMail(
  kind: NoticeKind,
  options: { readonly baseUrl: string; readonly more: readonly string[] },
): MailText {
  const { subject, body, advice = RESET }: Notice = NOTICES[kind];
  const { more } = options;
  const host = hostName(options.baseUrl);
  return {
    subject: `${subject} (${host})`,
    text: [`Hello,`, `at ${host} ${body}`, ...more, `${advice}\n`].join('\n\n'),
    html: htmlMail('en', [`Hello,`, `at ${escapeHtml(host)} ${body}`, ...more.map(escapeHtml), advice]),
    link: null,
    unsubscribe: null,
  };
}

/** The HTML of a mail with a link in it; every text is escaped. */
export function mailPage(mail: {
  readonly paragraphs: readonly string[];
  readonly link: string;
  readonly action: string;
  readonly after: string;
}): string {
  const { paragraphs, link, action, after } = mail;
  const anchor = `<a href="${escapeHtml(link)}">${escapeHtml(action)}</a>`;
  return htmlMail('en', [...paragraphs.map(escapeHtml), anchor, escapeHtml(link), escapeHtml(after)]);
}
