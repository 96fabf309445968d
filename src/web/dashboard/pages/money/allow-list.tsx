import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { COINS } from '../../format/coins.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { type Allowed, isSame, type Limits, nextList } from './pending-limits.tsx';

/** The addresses that may be paid without an approval. */
export function AllowList({ limits }: { limits: Limits }) {
  const shown = limits.allowList;
  const list = nextList(limits) ?? [];
  return (
    <section className="grid gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">{t('Allowed addresses')}</h3>
      <p className="text-sm text-soft">
        {shown === null
          ? t('Every address may be paid. Once you add one here, sends to all others wait for approval.')
          : t(
              'Sends to other addresses wait for approval. A removed address stops counting at once, an added one counts only after a delay.',
            )}
      </p>
      {shown !== null && <Addresses shown={shown} list={list} />}
      <AddAddress list={list} />
    </section>
  );
}

function useChange() {
  const merchantId = useShopId();
  return async (allowList: Allowed[] | null) =>
    api('PATCH', '/merchant/wallet/limits', { body: { merchantId, allowList } });
}

/** @param list with the addresses that wait */
function Addresses({ shown, list }: { shown: readonly Allowed[]; list: readonly Allowed[] }) {
  const remove = useAct(useChange());
  return (
    <>
      <ul className="grid gap-2">
        {shown.map((one) => (
          <li
            key={`${one.coin} ${one.destination}`}
            className="flex flex-wrap items-center justify-between gap-2 text-sm"
          >
            <span className="min-w-0 wrap-anywhere">
              <b className="font-semibold">{`${one.coin} ${one.label}`}</b>{' '}
              <span className="font-mono text-xs">{one.destination}</span>
            </span>
            <Button
              isSmall
              busy={remove.isPending}
              aria-label={t('Remove {address}', { address: one.destination })}
              onClick={() => remove.mutate(list.filter((other) => !isSame(other, one)))}
            >
              {t('Remove')}
            </Button>
          </li>
        ))}
      </ul>
      <div>
        <Button isSmall busy={remove.isPending} onClick={() => remove.mutate(null)}>
          {t('Allow every address')}
        </Button>
      </div>
      {remove.error !== null && <Problem error={remove.error} />}
    </>
  );
}

function AddAddress({ list }: { list: readonly Allowed[] }) {
  const [added, setAdded] = useState(0);
  const change = useChange();
  const add = useAct(
    (one: Allowed) => change([...list, one]),
    () => setAdded(added + 1),
  );
  return (
    <Form
      // Empty again after each address.
      key={added}
      fields={['coin', 'allowList', 'label']}
      submit={t('Add address')}
      busy={add.isPending}
      error={add.error}
      check={({ allowList }) => (allowList.trim() === '' ? { allowList: t('Enter an address.') } : {})}
      onSubmit={({ coin, allowList, label }) =>
        add.mutate({
          coin: COINS.find((one) => one === coin) ?? 'BTC',
          destination: allowList.trim(),
          label: label.trim(),
        })
      }
    >
      <Select label={t('Coin')} name="coin">
        {COINS.map((one) => (
          <option key={one}>{one}</option>
        ))}
      </Select>
      <Field label={t('Address')} name="allowList" autoComplete="off" spellCheck={false} />
      <Field label={t('Label')} name="label" maxLength={100} autoComplete="off" />
    </Form>
  );
}
