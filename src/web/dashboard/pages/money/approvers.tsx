import { api } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';
import { EmailText } from '../../ui/email-text.tsx';
import { Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import type { Limits } from './pending-limits.tsx';
import { useNames } from './shop-people.ts';

/** The people who approve what exceeds a limit. */
export function Approvers({ limits: { approvers, pending } }: { limits: Limits }) {
  const merchantId = useShopId();
  const names = useNames();
  const change = async (next: string[]) =>
    api('PATCH', '/merchant/wallet/limits', { body: { merchantId, approvers: next } });
  const add = useAct(change);
  const remove = useAct(change);
  const next = pending.find(({ part }) => part === 'approvers')?.approvers ?? approvers;
  const others = [...names].filter(([id]) => !next.includes(id));
  return (
    <section className="grid gap-3 border-t border-line pt-4">
      <h3 className="font-semibold">{t('Approvers')}</h3>
      <p className="text-sm text-soft">
        {approvers.length === 0
          ? t('You approve what exceeds a limit yourself, with your authenticator app.')
          : t(
              'What exceeds a limit waits for one of these people who did not order it, with an authenticator app. Changes take effect after a delay.',
            )}
      </p>
      <ul className="grid gap-2">
        {approvers.map((id) => {
          const email = names.get(id) ?? id;
          return (
            <li key={id} className="flex flex-wrap items-center justify-between gap-2 text-sm">
              <EmailText of={email} />
              <Button
                isSmall
                busy={remove.isPending}
                aria-label={t('Remove {email}', { email })}
                onClick={() => remove.mutate(next.filter((one) => one !== id))}
              >
                {t('Remove')}
              </Button>
            </li>
          );
        })}
      </ul>
      {remove.error !== null && <Problem error={remove.error} />}
      {others.length > 0 && (
        <Form
          key={next.join(' ')}
          fields={['approvers']}
          submit={t('Add approver')}
          busy={add.isPending}
          error={add.error}
          onSubmit={({ approvers: id }) => add.mutate([...next, id])}
        >
          <Select
            label={t('Person')}
            name="approvers"
            hint={t('The person needs an authenticator app, and a role that may read the wallet.')}
          >
            {others.map(([id, email]) => (
              <option key={id} value={id}>
                {email}
              </option>
            ))}
          </Select>
        </Form>
      )}
    </section>
  );
}
