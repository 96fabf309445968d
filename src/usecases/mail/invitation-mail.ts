import type { MemberRole } from '../../domain/roles.ts';
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import { nameForBody, nameForSubject } from './sanitize-name.ts';
import { hostName } from './html-mail.ts';
import { accountTexts, buildLinkMail, type MailText } from './mail-texts.ts';

/** Invites a person to a shop. @param about.language of the inviter, because that of the person is unknown */
export function invitationMail(about: {
  readonly language: Language;
  readonly baseUrl: string;
  readonly link: string;
  readonly shop: string;
  readonly role: MemberRole;
}): MailText {
  const { language, link, role } = about;
  const { invitation } = accountTexts(language);
  const host = hostName(about.baseUrl);
  return buildLinkMail(language, {
    subject: interpolate(invitation.subject, { shop: nameForSubject(about.shop, invitation.shop), host }),
    body: interpolate(invitation.body, { shop: nameForBody(about.shop), host, role }),
    link,
    action: invitation.action,
    after: invitation.after,
  });
}
