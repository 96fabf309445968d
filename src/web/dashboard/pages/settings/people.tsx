import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import type { MemberRole, People, Person } from '../../api/people.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, Empty, PageTitle, Problem, Loaded } from '../../ui/basics.tsx';
import { EmailText } from '../../ui/email-text.tsx';
import { when } from '../../format/format.ts';
import { Small } from '../../ui/form.tsx';
import { MEMBER_ROLES, roleName, ROLES } from '../../ui/roles.ts';
import { telling } from '../../ui/toast.ts';
import { Invite } from './invite.tsx';
import { RemovePerson } from './remove-person.tsx';

const LIVE_MS = 5_000;

export function PeoplePage() {
  const merchantId = useShopId();
  const [isInviting, setInviting] = useState(false);
  const people = useQuery<People, ApiError>({
    queryKey: ['/merchant/people', merchantId],
    queryFn: () => requestPrivate('GET /merchant/people', undefined, { merchantId }),
    // The invitation may be accepted while the page is open.
    refetchInterval: LIVE_MS,
  });
  return (
    <>
      <PageTitle
        title={t('Team')}
        lead={t('Who works for this shop, and what they can do.')}
        actions={
          <Button look="primary" onClick={() => setInviting(true)}>
            {t('Invite a member')}
          </Button>
        }
      />
      <Loaded of={people}>
        {(data) => (
          <div className="grid grid-cols-1 gap-6">
            <Members people={data} />
            {data.invitations.length > 0 && <Invitations of={data.invitations} />}
          </div>
        )}
      </Loaded>
      <Invite open={isInviting} onClose={() => setInviting(false)} />
    </>
  );
}

function Members({ people }: { people: People }) {
  return (
    <Card title={t('Members')}>
      <ul className="divide-y divide-line">
        <li className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0">
          <b className="min-w-0 font-semibold">
            <EmailText of={people.owner.email} />
          </b>
          <Badge tone="good">{t('Owner')}</Badge>
        </li>
        {people.members.map((person) => (
          <Member key={person.userId} person={person} />
        ))}
      </ul>
      {people.members.length === 0 && people.invitations.length === 0 && (
        <Empty title={t('No other members')}>
          {t('Invite a clerk for the counter, or your bookkeeper, without sharing your password.')}
        </Empty>
      )}
    </Card>
  );
}

function Member({ person }: { person: Person }) {
  const merchantId = useShopId();
  const { userId, email, role } = person;
  const [isRemoving, setRemoving] = useState(false);
  const change = useAct(
    (to: MemberRole) => requestPrivate('PATCH /merchant/people/edit', { merchantId, userId, role: to }),
    ({ ended }) => telling(roleChanged(ended.endpoints + ended.keys))(),
  );
  return (
    <li className="flex flex-wrap items-center justify-between gap-3 py-3 last:pb-0">
      <div className="min-w-0 text-sm">
        <b className="font-semibold">
          <EmailText of={email} />
        </b>
        <p className="text-soft">{t('Since {time}', { time: when(person.createdAt) })}</p>
        {change.error !== null && <Problem error={change.error} />}
      </div>
      <div className="flex items-center gap-2">
        <Small
          label={t('Role of {email}', { email })}
          value={role}
          options={MEMBER_ROLES.map((one) => [one, ROLES[one].name])}
          onChange={(value) => change.mutate(MEMBER_ROLES.find((one) => one === value) ?? role)}
        />
        <Button isSmall onClick={() => setRemoving(true)} aria-label={t('Remove {email}', { email })}>
          {t('Remove')}
        </Button>
      </div>
      {isRemoving && <RemovePerson person={person} open onClose={() => setRemoving(false)} />}
    </li>
  );
}

function roleChanged(endedCount: number): string {
  if (endedCount === 0) return t('Role changed');
  return t('Role changed. The webhook endpoints and keys that they made were deleted.');
}

function Invitations({ of }: { of: People['invitations'] }) {
  const merchantId = useShopId();
  const withdraw = useAct(
    (invitationId: string) =>
      requestPrivate('DELETE /merchant/people/invitation', { merchantId, invitationId }),
    telling(t('Invitation withdrawn')),
  );
  return (
    <Card title={t('Invited')}>
      {withdraw.error !== null && <Problem error={withdraw.error} />}
      <ul className="divide-y divide-line">
        {of.map(({ id, email, role, expiresAt }) => (
          <li
            key={id}
            className="flex flex-wrap items-center justify-between gap-3 py-3 first:pt-0 last:pb-0"
          >
            <div className="min-w-0 text-sm">
              <b className="font-semibold">
                <EmailText of={email} />
              </b>
              <p className="text-soft">
                {t('{role}, until {time}', { role: roleName(role), time: when(expiresAt) })}
              </p>
            </div>
            <Button
              isSmall
              busy={withdraw.isPending && withdraw.variables === id}
              onClick={() => withdraw.mutate(id)}
              aria-label={t('Withdraw the invitation of {email}', { email })}
            >
              {t('Withdraw')}
            </Button>
          </li>
        ))}
      </ul>
    </Card>
  );
}
