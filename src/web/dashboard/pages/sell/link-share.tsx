import { useShop } from '../../api/hooks.ts';
import type { PaymentLink } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Copy, CopyLine, LINK_BUTTON, LINK_PRIMARY } from '../../ui/basics.tsx';
import { fiat } from '../../format/format.ts';
import { Qr } from '../../ui/qr.tsx';
import { BASE_PATH } from '../../../base-path.ts';

interface ShareProps {
  readonly link: PaymentLink;
  /** The amount of a catalog price, which the link does not contain. */
  readonly price?: string;
}

/** Ways to share a payment link with payers: QR code, address, email, a button on a site. */
export function ShareLink({ link, price }: ShareProps) {
  const fixed = link.amount === null || link.currency === null ? null : fiat(link.amount, link.currency);
  const amount = price ?? fixed;
  const mail = useMailTo(link, amount);
  const isCounter = link.kind === 'pos';
  return (
    <div className="grid gap-4">
      {amount !== null && <p className="money text-center text-2xl font-bold">{amount}</p>}
      <Qr text={link.url} label={t('QR code of {url}', { url: link.url })} />
      <CopyLine text={link.url} label={t('address')} />
      <div className="flex flex-wrap gap-2">
        <a href={link.url} target="_blank" rel="noreferrer" className={LINK_PRIMARY}>
          {t('Open the page')}
        </a>
        {!isCounter && (
          <a href={mail} className={LINK_BUTTON}>
            {t('Email it')}
          </a>
        )}
      </div>
      {!isCounter && <SiteButton link={link} />}
    </div>
  );
}

/** Markup of a button for the shop's own page; without script it is a link. */
function SiteButton({ link }: { link: PaymentLink }) {
  const html = [
    `<script src="${new URL(`${BASE_PATH}/pay.js`, link.url).href}" async></script>`,
    `<a data-tilld href="${escaped(link.url)}">${escaped(link.name)}</a>`,
  ].join('\n');
  return (
    <details className="text-sm">
      <summary className="font-semibold">{t('Button for your site')}</summary>
      <div className="mt-3 grid gap-3">
        <p className="text-soft">
          {t(
            'Opens the page over yours on your verified domain and the sites that the settings allow; anywhere else it leads there.',
          )}
        </p>
        <div className="grid justify-items-start gap-2 rounded-xl border border-line bg-well p-3">
          <code className="text-xs break-all whitespace-pre-wrap">{html}</code>
          <Copy isSmall text={html} label={t('Copy the HTML')}>
            {t('Copy the HTML')}
          </Copy>
        </div>
      </div>
    </details>
  );
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

function escaped(text: string): string {
  return text.replace(/[&<>"]/g, (sign) => ENTITIES[sign] ?? sign);
}

/** Opens a draft in the merchant's own mail program. */
function useMailTo({ name, description, url }: PaymentLink, amount: string | null): string {
  const shop = useShop()?.name ?? '';
  const invitation = amount === null ? t('Please pay here:') : t('Please pay {amount} here:', { amount });
  const lines = [name, ...(description === null ? [] : [description]), invitation, url, shop];
  const subject = t('{shop}: {name}', { shop, name });
  const text = lines.join('\r\n\r\n');
  return `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(text)}`;
}
