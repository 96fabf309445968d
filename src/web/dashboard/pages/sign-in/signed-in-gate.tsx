import { useLocation, useNavigate } from '@tanstack/react-router';
import { useEffect, useState, type ReactNode } from 'react';
import { useAct } from '../../api/hooks.ts';
import { useSession } from '../../api/session.ts';
import { signOut } from '../../api/sign-out.ts';
import { t } from '../../i18n/t.ts';
import { LINK, Problem } from '../../ui/basics.tsx';
import { Gate } from './sign-in.tsx';

/**
 * The frame of a page outside of the shops that requires a user: shows the signed-in user, and lets another user
 * sign in and return to it.
 */
export function SignedInGate(props: { title: string; children: ReactNode }) {
  const session = useSession();
  const out = useAct(signOut);
  const navigate = useNavigate();
  const { href } = useLocation();
  // Read once: during navigation to the sign-in page the address changes while this page is still mounted.
  const [next] = useState(href);
  const isOut = session === null;
  useEffect(() => {
    if (isOut) void navigate({ to: '/login', search: { next }, replace: true });
  }, [isOut, navigate, next]);
  if (session === null) return null;
  return (
    <Gate
      title={props.title}
      foot={
        <>
          {t('Signed in as {email}.', { email: session.user.email })}{' '}
          <button type="button" className={LINK} onClick={() => out.mutate()}>
            {t('Use another account')}
          </button>
          {out.error !== null && <Problem error={out.error} />}
        </>
      }
    >
      {props.children}
    </Gate>
  );
}
