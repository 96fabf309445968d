import { useState } from 'react';
import { requestPrivate } from '../../api/client.ts';
import type { MemberRole } from '../../api/people.ts';
import { useAct, useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';
import { Button, CopyLine } from '../../ui/basics.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field, Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { MEMBER_ROLES, ROLES } from '../../ui/roles.ts';

/** Invites an email address, then shows the link to pass on. */
export function Invite({ open, onClose }: { open: boolean; onClose: () => void }) {
  return (
    <Dialog title={t('Invite a member')} open={open} onClose={onClose}>
      <InviteForm onClose={onClose} />
    </Dialog>
  );
}

function InviteForm({ onClose }: { onClose: () => void }) {
  const merchantId = useShopId();
  const [role, setRole] = useState<MemberRole>('clerk');
  const invite = useAct(({ email }: { email: string }) =>
    requestPrivate('POST /merchant/people/invite', { merchantId, email, role }),
  );
  if (invite.data !== undefined) {
    const { link, invitation } = invite.data;
    return (
      <div className="grid gap-4">
        <p role="status">
          {t('{email} gets this link by mail. It works for seven days, for that address alone.', {
            email: invitation.email,
          })}
        </p>
        <p className="text-sm text-soft">
          {t('Where this server has no mail server, or no mail arrives: pass the link on yourself.')}
        </p>
        <CopyLine text={link} label={t('link')} />
        <div>
          <Button look="primary" onClick={onClose}>
            {t('Done')}
          </Button>
        </div>
      </div>
    );
  }
  return (
    <Form
      fields={['email']}
      submit={t('Send the invitation')}
      busy={invite.isPending}
      error={invite.error}
      onSubmit={({ email }) => invite.mutate({ email: email.trim() })}
    >
      <Field label={t('Email')} name="email" type="email" autoComplete="off" required />
      <Select
        label={t('Role')}
        name="role"
        value={role}
        hint={ROLES[role].does}
        onChange={({ target }) => setRole(MEMBER_ROLES.find((one) => one === target.value) ?? role)}
      >
        {MEMBER_ROLES.map((one) => (
          <option key={one} value={one}>
            {ROLES[one].name}
          </option>
        ))}
      </Select>
    </Form>
  );
}
