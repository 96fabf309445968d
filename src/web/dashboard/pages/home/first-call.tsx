import type { Data } from '../../contract/contract.ts';
import { useShop } from '../../api/hooks.ts';
import { parts, t } from '../../i18n/t.ts';
import { Card, Copy, LINK } from '../../ui/basics.tsx';
import { BASE_PATH } from '../../../base-path.ts';

type Key = Data<'GET', '/merchant/keys'>['keys'][number];

/** A request that works as shown, with the public key of the shop. */
export function FirstCall({ keys }: { keys: readonly Key[] }) {
  const shop = useShop();
  const key = keys.find(({ kind, expiresAt }) => kind === 'public' && expiresAt === null)?.key;
  if (shop === undefined || key === undefined || key === null) return null;
  const command = commandFor(key, shop.currency);
  const docs = (
    <a key="docs" href={`${BASE_PATH}/docs`} className={LINK}>
      {t('the documentation')}
    </a>
  );
  return (
    <Card
      title={t('Your first call')}
      className="mt-6"
      actions={<Copy text={command} label={t('Copy the command')} />}
    >
      <p className="mb-3 text-sm text-soft">
        {shop.sandboxMode
          ? t('Makes a test payment. Open the checkoutUrl of the answer and play the payer.')
          : t('Makes a payment for real money. Its checkoutUrl is for the payer.')}{' '}
        {parts('All the rest is in {docs}.', { docs })}
      </p>
      <pre
        tabIndex={0}
        aria-label={t('Command')}
        className="overflow-x-auto rounded-xl border border-line bg-well p-3 text-sm"
      >
        <code>{command}</code>
      </pre>
    </Card>
  );
}

function commandFor(key: string, currency: string): string {
  const body = JSON.stringify({ amount: '10', currency, orderId: 'first-call', customer: {} });
  return [
    `curl ${location.origin}${BASE_PATH}/payment/create`,
    `-H 'Authorization: Bearer ${key}'`,
    `-H 'Content-Type: application/json'`,
    `-d '${body}'`,
  ].join(' \\\n  ');
}
