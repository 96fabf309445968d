import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { Data } from '../../contract/contract.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { Time } from '../../ui/time.tsx';
import { type NamesById, useNames } from './shop-people.ts';

export type Limits = Data<'GET', '/merchant/wallet/limits'>;
type Change = Limits['pending'][number];
export type Allowed = NonNullable<Limits['allowList']>[number];

/** The list as it will be, with the addresses that wait; null: every address is allowed. */
export function nextList({ allowList, pending }: Limits): Allowed[] | null {
  if (allowList === null) return null;
  return [...allowList, ...pending.flatMap(({ destination }) => destination ?? [])];
}

export function isSame(one: Allowed, other: Allowed): boolean {
  return one.coin === other.coin && one.destination === other.destination;
}

/** Changes that take effect later; the owner undoes those of a thief. */
export function PendingLimits({ limits }: { limits: Limits }) {
  const merchantId = useShopId();
  const names = useNames();
  const undo = useAct(async (change: Change) => {
    const list = change.part === 'allowList' ? nextList(limits) : null;
    if (list === null)
      return api('DELETE', '/merchant/wallet/limits/pending', { body: { merchantId, part: change.part } });
    const { destination } = change;
    const allowList = destination === null ? list : list.filter((one) => !isSame(one, destination));
    return api('PATCH', '/merchant/wallet/limits', { body: { merchantId, allowList } });
  });
  if (limits.pending.length === 0) return null;
  return (
    <section className="grid gap-2 rounded-xl bg-warn-soft p-4 text-sm text-warn">
      <h3 className="font-semibold">{t('Changes that take effect later')}</h3>
      <ul className="grid gap-2">
        {limits.pending.map((change) => {
          const what = describe(change, names);
          return (
            <li key={what} className="flex flex-wrap items-center justify-between gap-2">
              <span className="min-w-0 wrap-anywhere">
                {what} <Time at={change.takesEffectAt} exact="minute" />
              </span>
              <Button
                isSmall
                busy={undo.isPending}
                aria-label={t('Undo: {change}', { change: what })}
                onClick={() => undo.mutate(change)}
              >
                {t('Undo')}
              </Button>
            </li>
          );
        })}
      </ul>
      {undo.error !== null && <Problem error={undo.error} />}
    </section>
  );
}

function describe({ part, amount, destination, approvers }: Change, names: NamesById): string {
  const value = amount === null ? t('no limit') : `${amount.amount} ${amount.currency}`;
  if (part === 'perSend') return t('Limit per send: {value}', { value });
  if (part === 'perDay') return t('Limit per day: {value}', { value });
  if (part === 'confirmation') return t('Confirmation of the limits');
  if (part === 'approvers') {
    const people = (approvers ?? []).map((id) => names.get(id) ?? id).join(', ');
    return people === '' ? t('No approvers but you') : t('Approvers: {people}', { people });
  }
  if (destination === null) return t('Every address is allowed');
  return t('Allowed address: {destination}', { destination: destination.destination });
}
