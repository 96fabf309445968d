import { useState } from 'react';
import { requestPrivate } from '../../api/client.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import type { CreatedByPerson, Person } from '../../api/people.ts';
import { plural, t } from '../../i18n/t.ts';
import { Confirm } from '../../ui/dialog.tsx';
import { Check } from '../../ui/form.tsx';
import { telling } from '../../ui/toast.ts';

/** Maximum number of names to list; beyond that only the number is shown. */
const NAMED_MAX = 5;

type Kind = keyof CreatedByPerson;

/** Asks for confirmation before a member is removed, and which of their keys, links and endpoints are revoked. */
export function RemovePerson(props: { person: Person; open: boolean; onClose: () => void }) {
  const { person, open, onClose } = props;
  const { userId, email, made } = person;
  const merchantId = useShopId();
  const [end, setEnd] = useState<Record<Kind, boolean>>({ endpoints: true, keys: true, links: false });
  const remove = useAct(
    () => requestPrivate('DELETE /merchant/people/remove', { merchantId, userId, revokeCreated: end }),
    telling(t('{email} was removed', { email }), onClose),
  );
  const choice = (kind: Kind) => ({
    checked: end[kind],
    onChange: (checked: boolean) => setEnd({ ...end, [kind]: checked }),
  });
  const { endpoints, keys, links } = made;
  return (
    <Confirm
      title={t('Remove {email}?', { email })}
      open={open}
      onClose={onClose}
      action={t('Yes, remove')}
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate()}
    >
      <p>{t('From this moment on they reach nothing of this shop. Payments that they made stay.')}</p>
      <Choice
        label={plural(
          endpoints.length,
          'Delete the webhook endpoint that they made',
          'Delete the {count} webhook endpoints that they made',
        )}
        names={endpoints.map(({ url }) => url)}
        {...choice('endpoints')}
      />
      <Choice
        label={plural(
          keys.length,
          'Delete the restricted key that they made',
          'Delete the {count} restricted keys that they made',
        )}
        names={keys.map(({ name }) => name)}
        {...choice('keys')}
      />
      <Choice
        label={plural(
          links.length,
          'Delete the payment link that they made',
          'Delete the {count} payment links that they made',
        )}
        names={links.map(({ name }) => name)}
        {...choice('links')}
      />
      {((endpoints.length > 0 && !end.endpoints) || (keys.length > 0 && !end.keys)) && (
        <p role="status" className="font-medium text-warn">
          {t('With an endpoint or a key that stays, they can still follow the payments of this shop.')}
        </p>
      )}
    </Confirm>
  );
}

function Choice(props: {
  readonly label: string;
  readonly names: readonly string[];
  readonly checked: boolean;
  readonly onChange: (checked: boolean) => void;
}) {
  const { label, names, checked, onChange } = props;
  if (names.length === 0) return null;
  return (
    <div>
      <Check label={label} checked={checked} onChange={(event) => onChange(event.target.checked)} />
      <ul className="ms-8 grid gap-1 text-soft">
        {names.slice(0, NAMED_MAX).map((name, at) => (
          <li key={at} className="break-all">
            {name}
          </li>
        ))}
        {names.length > NAMED_MAX && (
          <li>{plural(names.length - NAMED_MAX, 'and one more', 'and {count} more')}</li>
        )}
      </ul>
    </div>
  );
}
