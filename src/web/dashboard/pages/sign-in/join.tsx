import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import type { Invited } from '../../api/people.ts';
import { useAct } from '../../api/hooks.ts';
import { useFilters } from '../../api/search.ts';
import { useSession } from '../../api/session.ts';
import { t } from '../../i18n/t.ts';
import { Button, LINK, Problem, Loaded } from '../../ui/basics.tsx';
import { roleName } from '../../ui/roles.ts';
import { SignedInGate } from './signed-in-gate.tsx';

/** The target of an invitation link, once the user is signed in. */
export function JoinPage() {
  const session = useSession();
  const [{ token = '' }] = useFilters();
  const invited = useQuery<Invited, ApiError>({
    queryKey: ['/merchant/people/invitation', token],
    queryFn: () => requestPrivate('POST /merchant/people/invitation', { token }),
    retry: false,
  });
  const isTheirs =
    invited.data !== undefined && invited.data.email.toLowerCase() === session?.user.email.toLowerCase();
  return (
    <SignedInGate title={t('Work for a shop')}>
      {invited.error === null ? (
        <Loaded of={invited} rows={2}>
          {(data) => <Offer of={data} token={token} isTheirs={isTheirs} />}
        </Loaded>
      ) : (
        <div className="grid gap-3">
          <p role="alert">
            {t('This invitation is not valid, or no longer: ask the owner of the shop for another one.')}
          </p>
          <Link to="/" className={LINK}>
            {t('Go to your shops')}
          </Link>
        </div>
      )}
    </SignedInGate>
  );
}

function Offer({ of, token, isTheirs }: { of: Invited; token: string; isTheirs: boolean }) {
  const navigate = useNavigate();
  const client = useQueryClient();
  const accept = useAct(
    async () => {
      const accepted = await requestPrivate('POST /merchant/people/accept', { token });
      // The pages of the shop read its existence and the user's role from this list.
      await client.refetchQueries({ queryKey: ['/merchant/list'], type: 'all' });
      return accepted;
    },
    ({ shop }) => void navigate({ to: '/shop/$shopId', params: { shopId: shop.id }, replace: true }),
  );
  if (!isTheirs) {
    return (
      <p role="alert">
        {t('This invitation is for {email}: sign in with that address, or make an account with it.', {
          email: of.email,
        })}
      </p>
    );
  }
  return (
    <div className="grid gap-4">
      <p>
        {t('{shop} invites you to work for the shop. Your role: {role}.', {
          shop: of.shop.name,
          role: roleName(of.role),
        })}
      </p>
      {accept.error !== null && <Problem error={accept.error} />}
      <Button look="primary" busy={accept.isPending} onClick={() => accept.mutate()}>
        {t('Accept')}
      </Button>
    </div>
  );
}
