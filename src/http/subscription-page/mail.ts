import ar from '../../../locales/subscription-mails/ar.json' with { type: 'json' };
import de from '../../../locales/subscription-mails/de.json' with { type: 'json' };
import en from '../../../locales/subscription-mails/en.json' with { type: 'json' };
import es from '../../../locales/subscription-mails/es.json' with { type: 'json' };
import fr from '../../../locales/subscription-mails/fr.json' with { type: 'json' };
import it from '../../../locales/subscription-mails/it.json' with { type: 'json' };
import nl from '../../../locales/subscription-mails/nl.json' with { type: 'json' };
import pl from '../../../locales/subscription-mails/pl.json' with { type: 'json' };
import pt from '../../../locales/subscription-mails/pt.json' with { type: 'json' };
import { interpolate } from '../../i18n/interpolate.ts';
import type { Language } from '../../i18n/languages.ts';
import {
  escapeHtml,
  hostName,
  htmlMail,
  type MailText,
  nameForBody,
  nameForSubject,
} from '../../usecases/mail/index.ts';
import type { MailedKind, SubscriptionMailFacts } from '../../usecases/subscription-mails/index.ts';
import { fiat } from '../checkout/format.ts';
import { createTranslator } from '../checkout/negotiate-language.ts';
import { dayIn } from './scene.ts';
import { pricePerInterval } from './texts.ts';

const TEXTS: Readonly<Record<Language, typeof en>> = { en, de, es, fr, it, nl, pl, pt, ar };

/** A mail to the payer of a subscription. Its only foreign words are the names of shop and product. */
export function subscriptionMail(facts: SubscriptionMailFacts, baseUrl: string): MailText {
  const { kinds, view, language } = facts;
  const [texts, common] = [TEXTS[language], createTranslator(language)];
  const values = mailValues(facts);
  const main = subjectKey(facts, kinds.at(-1) ?? 'paid');
  const subject = interpolate(texts.subjects[main], {
    ...values,
    shop: nameForSubject(view.shop.name, hostName(baseUrl)),
  });
  const blocks = [
    ...(view.sandbox ? [common('sandbox')] : []),
    ...kinds.map((kind) => interpolate(texts.bodies[bodyKey(facts, kind)], values)),
  ];
  const isAsking = kinds.some((kind) => kind === 'invoice' || kind === 'reminder' || kind === 'past_due');
  const link = `${facts.page}?lang=${language}`;
  const label = isAsking ? interpolate(texts.pay, values) : texts.page;
  const { supportContact } = view.shop;
  const footer = [
    ...(supportContact === null ? [] : [`${common('support')} ${supportContact}`]),
    interpolate(texts.why, values),
  ].join('\n');
  return {
    subject: view.sandbox ? `Sandbox: ${subject}` : subject,
    text: `${blocks.join('\n\n')}\n\n${label}:\n${link}\n\n-- \n${footer}\n`,
    html: htmlMail(language, [
      ...blocks.map(escapeHtml),
      `<a href="${escapeHtml(link)}">${escapeHtml(label)}</a>`,
      escapeHtml(footer).replace(/\n/g, '<br>'),
    ]),
    // No log may show it, also not that of a server without a mail server.
    link: null,
    unsubscribe: null,
  };
}

function mailValues({ view, language }: SubscriptionMailFacts): Record<string, string> {
  const { shop, product, interval, price, currency, activeUntil, trialEndsAt, startsAt, due } = view;
  const day = (at: number): string => dayIn({ view, language }, at);
  const invoice = due && view.invoices.find(({ n }) => n === due.n);
  return {
    shop: nameForBody(shop.name),
    name: interpolate(TEXTS[language].name, { product: nameForBody(product ?? shop.name) }),
    price: pricePerInterval(language, interval, fiat(price, currency, language)),
    until: day(activeUntil ?? trialEndsAt ?? startsAt),
    trialEnd: day(trialEndsAt ?? startsAt),
    amount: due === null ? '' : fiat(due.amount, currency, language),
    from: invoice ? day(invoice.periodStart) : '',
    to: invoice ? day(invoice.periodEnd) : '',
    email: view.email ?? '',
    payBy: due === null ? '' : day(due.payBy),
  };
}

type SubjectKey = keyof (typeof en)['subjects'];
type BodyKey = keyof (typeof en)['bodies'];

/** An invoice is asked for in the words of the present state. */
function subjectKey({ view, isNeverPaid }: SubscriptionMailFacts, kind: MailedKind): SubjectKey {
  if (kind !== 'invoice' && kind !== 'reminder' && kind !== 'past_due') return kind;
  if (isNeverPaid) return 'first';
  return view.status === 'past_due' ? 'past_due' : kind;
}

function bodyKey(facts: SubscriptionMailFacts, kind: MailedKind): BodyKey {
  const { status, activeUntil } = facts.view;
  const key = subjectKey(facts, kind);
  if (key === 'cancelled') return status === 'ended' ? 'cancelled_now' : key;
  if (key !== 'past_due') return key;
  return activeUntil !== null && activeUntil > facts.now ? key : 'past_due_stopped';
}
