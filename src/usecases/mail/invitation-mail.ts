import type { MemberRole } from '../../domain/roles.ts';
import { mailPage, type MailText } from './mail-texts.ts';
import { bodyName, subjectName } from './foreign-name.ts';

/** Invites a person to a shop. */
export function invitationMail(about: {
  readonly baseUrl: string;
  readonly link: string;
  readonly shop: string;
  readonly role: MemberRole;
}): MailText {
  const { link, role } = about;
  const { host } = new URL(about.baseUrl);
  const before = `the shop “${bodyName(about.shop)}” at ${host} invites you to join it as ${role}. Accept here:`;
  const after =
    'The link works for 7 days, and only for the account of this address. If you do not know the shop, ignore this mail.';
  return {
    subject: `${subjectName(about.shop, 'A shop')} invites you (${host})`,
    text: `Hello,\n\n${before}\n\n${link}\n\n${after}\n`,
    html: mailPage({ paragraphs: ['Hello,', before], link, action: 'Accept the invitation', after }),
    link,
    unsubscribe: null,
  };
}
