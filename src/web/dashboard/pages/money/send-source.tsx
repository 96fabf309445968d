import { useApi, useShopId } from '../../api/hooks.ts';
import type { Data } from '../../contract/contract.ts';
import type { Coin } from '../../contract/types.ts';
import { t } from '../../i18n/t.ts';
import { Select } from '../../ui/form.tsx';

export type WatchedAccount = Data<'GET', '/merchant/wallet/watch'>['accounts'][number];

/** `from` of a send from the wallet of the server. */
export const OWN_WALLET = 'own';

const NAMED_KEYS = 3;

/** The watched accounts that a coin can be sent from. The sandbox has none: nothing can be signed there. */
export function useWatchedSources(coin: Coin): readonly WatchedAccount[] {
  const merchantId = useShopId();
  const { data } = useApi('/merchant/wallet/watch', { merchantId });
  return (data?.accounts ?? []).filter(
    (one) =>
      one.coin === coin &&
      one.list === null &&
      !one.sandbox &&
      one.state !== 'proposed' &&
      (one.active || one.balance !== '0'),
  );
}

/** Keys by their fingerprints, which their wallets show too, or by the end of a key without one. */
function listKeys(descriptor: string): string[] {
  const keys = [...descriptor.matchAll(/(?:\[([0-9a-f]{8})[^\]]*\])?([A-Za-z]pub[0-9A-Za-z]+)/gu)];
  return keys.map(([, fingerprint, key = '']) => fingerprint ?? `${key.slice(0, 4)}…${key.slice(-6)}`);
}

function accountName(descriptor: string): string {
  const names = listKeys(descriptor);
  const shown = names.length > NAMED_KEYS ? [...names.slice(0, NAMED_KEYS), '…'] : names;
  return t('Watch-only account {keys}', { keys: shown.join(', ') });
}

/** The same for an option, which does not wrap: "73c5da0a +2" on a phone. */
function shortAccountName(descriptor: string): string {
  const [first = '', ...others] = listKeys(descriptor);
  const keys = others.length === 0 ? first : `${first} +${others.length}`;
  return t('Watch-only account {keys}', { keys });
}

/** The choice where a send takes its money from, and who signs it. */
export function SourceChoice(props: {
  readonly accounts: readonly WatchedAccount[];
  readonly from: string;
  readonly onChoose: (from: string) => void;
}) {
  const { accounts, from, onChoose } = props;
  const sources = [
    { id: OWN_WALLET, name: t('Wallet of this server') },
    // A list of addresses has no descriptor: the till makes no transaction for it.
    ...accounts.flatMap(({ id, descriptor }) =>
      descriptor === null ? [] : [{ id, name: shortAccountName(descriptor) }],
    ),
  ];
  const hint =
    from === OWN_WALLET
      ? t('This server signs the transaction and sends it.')
      : t(
          'You get a transaction (PSBT) to sign with the wallet that has the keys. It is sent once you enter the signed copy.',
        );
  return (
    <Select label={t('Pay from')} hint={hint} value={from} onChange={({ target }) => onChoose(target.value)}>
      {sources.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
    </Select>
  );
}

/** Where a send takes its money from; nothing where the shop has only the wallet of the server. */
export function SendSource({ from, coin }: { from: string; coin: Coin }) {
  const merchantId = useShopId();
  const { data } = useApi('/merchant/wallet/watch', { merchantId });
  const accounts =
    data?.accounts.filter((one) => one.coin === coin && one.list === null && one.state !== 'proposed') ?? [];
  const account = accounts.find(({ id }) => id === from);
  if (from === OWN_WALLET && accounts.length === 0) return null;
  const name =
    from === OWN_WALLET
      ? t('Wallet of this server')
      : account === undefined
        ? from
        : accountName(account.descriptor ?? '');
  return <p className="text-sm wrap-anywhere">{t('Paid from: {name}', { name })}</p>;
}
