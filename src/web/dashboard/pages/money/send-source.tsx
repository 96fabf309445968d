import { useApi, useShopId } from '../../api/hooks.ts';
import type { Data } from '../../contract/contract.ts';
import type { Coin } from '../../contract/types.ts';
import { formatCoins } from '../../format/format.ts';
import { t } from '../../i18n/t.ts';
import { Select } from '../../ui/form.tsx';

export type WatchedAccount = Data<'GET', '/merchant/wallet/watch'>['accounts'][number];

/** `from` of a send from the wallet of the server. */
export const OWN_WALLET = 'own';

// An option cannot contain elements: these marks keep the amount together in text from right to left.
const ISOLATE = '\u2068';
const END_ISOLATE = '\u2069';
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

/** An account by the fingerprints of its keys, which its wallet shows too, or by the end of a key without one. */
function accountName(descriptor: string): string {
  const keys = [...descriptor.matchAll(/(?:\[([0-9a-f]{8})[^\]]*\])?([A-Za-z]pub[0-9A-Za-z]+)/gu)];
  const names = keys.map(([, fingerprint, key = '']) => fingerprint ?? `${key.slice(0, 4)}…${key.slice(-6)}`);
  const shown = names.length > NAMED_KEYS ? [...names.slice(0, NAMED_KEYS), '…'] : names;
  return t('Watch-only account {keys}', { keys: shown.join(', ') });
}

/** The choice where a send takes its money from, and who signs it. */
export function SourceChoice(props: {
  readonly coin: Coin;
  /** Of the wallet of the server. */
  readonly balance: string;
  readonly accounts: readonly WatchedAccount[];
  readonly from: string;
  readonly onChoose: (from: string) => void;
}) {
  const { coin, balance, accounts, from, onChoose } = props;
  const sources = [
    { id: OWN_WALLET, name: t('Wallet of this server'), balance },
    ...accounts.flatMap(({ id, descriptor, balance: held }) =>
      // A list of addresses: the till makes no transaction for it.
      descriptor === null ? [] : [{ id, name: accountName(descriptor), balance: held }],
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
      {sources.map(({ id, name, balance: available }) => (
        <option key={id} value={id}>
          {`${name}: ${ISOLATE}${formatCoins(available)} ${coin}${END_ISOLATE}`}
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
