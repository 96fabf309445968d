import { useQuery } from '@tanstack/react-query';
import { requestPrivate, type ApiError } from '../../api/client.ts';
import { useAct } from '../../api/hooks.ts';
import type { PasskeyOptions } from '../../api/passkey-answers.ts';
import { signInByPasskey, stepUpByPasskey, whyNoPasskeys } from '../../api/passkeys.ts';
import { startSession, type Session } from '../../api/session.ts';
import { t } from '../../i18n/t.ts';
import { Button, Problem } from '../../ui/basics.tsx';

type Asking = 'GET /auth/passkeys/sign-in' | 'GET /auth/passkeys/step-up';

/** Signs in without address and password; not rendered if passkeys do not work here. */
export function PasskeySignIn({ onDone }: { onDone: (session: Session) => void }) {
  const signIn = useAct(signInByPasskey, (session) => {
    startSession(session);
    onDone(session);
  });
  return (
    <PasskeyButton
      asking="GET /auth/passkeys/sign-in"
      label={t('Sign in with a passkey')}
      busy={signIn.isPending}
      error={signIn.error}
      onClick={() => signIn.mutate()}
    />
  );
}

/** Step-up by passkey; only for users who have a passkey that works here. */
export function PasskeyStepUp({ onDone }: { onDone: () => void }) {
  const prove = useAct(stepUpByPasskey, onDone);
  return (
    <PasskeyButton
      asking="GET /auth/passkeys/step-up"
      label={t('Use a passkey')}
      busy={prove.isPending}
      error={prove.error}
      onClick={() => prove.mutate()}
    />
  );
}

function PasskeyButton(props: {
  asking: Asking;
  label: string;
  busy: boolean;
  error: ApiError | null;
  onClick: () => void;
}) {
  const { asking, label, busy, error, onClick } = props;
  const question = useQuery<PasskeyOptions, ApiError>({
    queryKey: [asking],
    queryFn: () => requestPrivate(asking),
    staleTime: 0,
  });
  const { data } = question;
  if (data === undefined || data.options === null || whyNoPasskeys(data) !== null) return null;
  return (
    <div className="mt-4 grid gap-4 border-t border-line pt-4">
      {error !== null && <Problem error={error} />}
      <Button busy={busy} onClick={onClick}>
        {label}
      </Button>
    </div>
  );
}
