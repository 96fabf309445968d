import { useState } from 'react';
import { AddressLines, ListForm } from './watch-list.tsx';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { usePermission } from '../../api/permissions.ts';
import { useFilters } from '../../api/search.ts';
import type { Data } from '../../contract/contract.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Time } from '../../ui/time.tsx';
import { Form } from '../../ui/whole-form.tsx';

type Account = Data<'GET', '/merchant/wallet/watch'>['accounts'][number];

const WATCHED_COINS = ['BTC', 'LTC', 'ETH', 'SOL'] as const;
type WatchedCoin = (typeof WATCHED_COINS)[number];

/** Accounts of other wallets that new orders are paid to, for the owner. */
export function WatchButton() {
  const merchantId = useShopId();
  const may = usePermission();
  // Offered where a shop is created.
  const [search] = useFilters();
  const [isOpen, setIsOpen] = useState(search['open'] === 'watch');
  const [coin, setCoin] = useState<WatchedCoin>('BTC');
  const accounts = useApi('/merchant/wallet/watch', { merchantId }).data?.accounts;
  if (!may('owner') || accounts === undefined) return null;
  const shown = accounts.filter((one) => one.coin === coin);
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>{t('Watch-only')}</Button>
      <Dialog title={t('Watch-only account')} open={isOpen} onClose={() => setIsOpen(false)}>
        <div className="grid gap-4">
          <p className="text-sm text-soft">
            {coin === 'ETH' || coin === 'SOL'
              ? t(
                  'Each new order gets the next address of a list of your own wallet. Its keys never reach this server, so its money is sent with that wallet. When no address is left, orders cannot be paid in {coin}.',
                  { coin },
                )
              : t(
                  'New orders are paid directly to fresh addresses of your own wallet. Its keys never reach this server, so its money is sent with that wallet.',
                )}
          </p>
          <Select
            label={t('Coin')}
            value={coin}
            onChange={({ target }) => setCoin(WATCHED_COINS.find((one) => one === target.value) ?? 'BTC')}
          >
            {WATCHED_COINS.map((one) => (
              <option key={one} value={one}>
                {one}
              </option>
            ))}
          </Select>
          {shown.map((account) => (
            <AccountCard key={account.id} account={account} />
          ))}
          {coin === 'ETH' || coin === 'SOL' ? (
            <ListForm key={coin} coin={coin} />
          ) : (
            <ImportForm key={coin} coin={coin} />
          )}
        </div>
      </Dialog>
    </>
  );
}

const TITLES: Readonly<Record<Account['state'], () => string>> = {
  proposed: () => t('Compare these addresses with those of your wallet'),
  pending: () => t('New orders are paid to it from'),
  active: () => t('New orders are paid to it'),
  ended: () => t('No longer used for new orders'),
};

function AccountCard({ account }: { account: Account }) {
  const merchantId = useShopId();
  const { coin, state, addresses, takesEffectAt, id, list } = account;
  const body = { merchantId, coin };
  const confirm = useAct(() => api('POST', '/merchant/wallet/watch/confirm', { body: { merchantId, id } }));
  const drop = useAct(() => api('DELETE', '/merchant/wallet/watch/pending', { body }));
  const end = useAct(() => api('DELETE', '/merchant/wallet/watch', { body }));
  const error = confirm.error ?? drop.error ?? end.error;
  return (
    <div className="grid gap-2 rounded-xl border border-line p-4 text-sm">
      <p className="font-semibold">
        {TITLES[state]()} {takesEffectAt !== null && <Time at={takesEffectAt} exact="minute" />}
      </p>
      <AddressLines first={addresses} last={list?.last} />
      {list !== null && (
        <p>
          {t('Confirmed balance: {amount} {coin}. Unused addresses: {remaining} of {size}.', {
            amount: account.balance,
            coin,
            remaining: String(list.remaining),
            size: String(list.size),
          })}
        </p>
      )}
      {list === null && state !== 'proposed' && (
        <p>
          {t('Confirmed balance: {amount} {coin}. Addresses without money at the end: {gap}.', {
            amount: account.balance,
            coin,
            gap: account.gap,
          })}{' '}
          {account.changeGap > 0 &&
            t('Change addresses without money at the end: {gap}.', { gap: account.changeGap })}
        </p>
      )}
      {error !== null && <Problem error={error} />}
      <div>
        {(state === 'proposed' || state === 'ended') && (
          <Button look="primary" busy={confirm.isPending} onClick={() => confirm.mutate()}>
            {list === null ? t('They match: use this account') : t('They match: use this list')}
          </Button>
        )}
        {state === 'pending' && (
          <Button busy={drop.isPending} onClick={() => drop.mutate()}>
            {t('Drop this change')}
          </Button>
        )}
        {state === 'active' && (
          <Button busy={end.isPending} onClick={() => end.mutate()}>
            {t('Use the wallet of this server again')}
          </Button>
        )}
      </div>
    </div>
  );
}

function ImportForm({ coin }: { coin: 'BTC' | 'LTC' }) {
  const merchantId = useShopId();
  const act = useAct(({ descriptor }: { descriptor: string }) =>
    api('POST', '/merchant/wallet/watch', { body: { merchantId, coin, descriptor } }),
  );
  return (
    <Form
      fields={['descriptor']}
      submit={t('Show its addresses')}
      busy={act.isPending}
      error={act.error}
      onSubmit={(typed) => act.mutate(typed)}
    >
      <Field
        label={t('Public key (xpub, ypub, zpub) or descriptor of an account')}
        name="descriptor"
        autoComplete="off"
        spellCheck={false}
        required
      />
    </Form>
  );
}
