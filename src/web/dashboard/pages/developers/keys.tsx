import { useState } from 'react';
import { api } from '../../api/client.ts';
import { useAct, useApi, useShopId } from '../../api/hooks.ts';
import { t } from '../../i18n/t.ts';
import { Badge, Button, Card, CopyLine, PageTitle, Loaded } from '../../ui/basics.tsx';
import { Confirm, Dialog } from '../../ui/dialog.tsx';
import { Select } from '../../ui/form.tsx';
import { Form } from '../../ui/whole-form.tsx';
import { when } from '../../format/format.ts';
import { keyUse } from '../../ui/key-use.ts';
import { FirstCall } from '../home/first-call.tsx';
import { RestrictedKeys } from './restricted-keys.tsx';
import { NewKeys } from '../settings/shops.tsx';

export function KeysPage() {
  const merchantId = useShopId();
  const keys = useApi('/merchant/keys', { merchantId });
  const [open, setOpen] = useState(false);
  return (
    <>
      <PageTitle
        title={t('API keys')}
        lead={t(
          'The public key creates payments and may be in a web page. The secret key does everything else; give plugins a restricted one.',
        )}
        actions={
          <Button look="danger" onClick={() => setOpen(true)}>
            {t('Regenerate keys')}
          </Button>
        }
      />
      <Loaded of={keys}>
        {(data) => (
          <>
            <div className="grid grid-cols-1 gap-4 md:grid-cols-2">
              {inOrder(data.keys).map((key) => (
                <Card
                  key={key.id}
                  title={key.kind === 'public' ? t('Public key') : t('Secret key')}
                  actions={
                    key.expiresAt !== null && (
                      <Badge tone="warn">{t('Ends {expiresAt}', { expiresAt: when(key.expiresAt) })}</Badge>
                    )
                  }
                >
                  {key.key === null ? (
                    <p className="rounded-xl border border-line bg-well p-3">
                      <code className="text-sm">
                        {key.prefix}…{key.lastFour}
                      </code>
                    </p>
                  ) : (
                    <CopyLine text={key.key} label={t('public key')} />
                  )}
                  <p className="mt-3 text-xs text-soft">{keyUse(key)}</p>
                </Card>
              ))}
            </div>
            <FirstCall keys={data.keys} />
            <RestrictedKeys merchantId={merchantId} keys={data.restricted} />
          </>
        )}
      </Loaded>
      <WebhookSecret merchantId={merchantId} />
      <Regenerate merchantId={merchantId} open={open} onClose={() => setOpen(false)} />
    </>
  );
}

/** The public key is first; current keys are before those that expire. */
function inOrder<K extends { kind: string; expiresAt: string | null }>(keys: readonly K[]): K[] {
  const rank = (key: K): number => (key.expiresAt === null ? 0 : 2) + (key.kind === 'public' ? 0 : 1);
  return keys.toSorted((one, other) => rank(one) - rank(other));
}

function Regenerate(props: { merchantId: string; open: boolean; onClose: () => void }) {
  const { merchantId, open, onClose } = props;
  const regenerate = useAct(({ grace }: { grace: string }) =>
    api('POST', '/merchant/keys/regenerate', {
      body: { merchantId, gracePeriodSeconds: Number(grace) },
    }),
  );
  const close = (): void => {
    regenerate.reset();
    onClose();
  };
  return (
    <Dialog
      title={regenerate.data === undefined ? t('Regenerate keys') : t('Your new keys')}
      open={open}
      onClose={close}
      keepsOpen={regenerate.data !== undefined}
    >
      {regenerate.data === undefined ? (
        <Form
          fields={['grace']}
          submit={t('Regenerate')}
          danger
          busy={regenerate.isPending}
          error={regenerate.error}
          onSubmit={(values) => regenerate.mutate(values)}
        >
          <Select
            label={t('Old keys work on for')}
            name="grace"
            hint={t('Time to change them in your shop')}
            defaultValue="86400"
          >
            <option value="0">{t('Not at all: they end now')}</option>
            <option value="3600">{t('An hour')}</option>
            <option value="86400">{t('A day')}</option>
            <option value="604800">{t('A week')}</option>
          </Select>
        </Form>
      ) : (
        <NewKeys keys={regenerate.data.auth}>
          {regenerate.data.gracePeriodEndsAt !== null && (
            <p className="text-sm text-soft">
              {t('The old keys work until {gracePeriodEndsAt}.', {
                gracePeriodEndsAt: when(regenerate.data.gracePeriodEndsAt),
              })}
            </p>
          )}
          <Button onClick={close}>{t('I have copied it')}</Button>
        </NewKeys>
      )}
    </Dialog>
  );
}

function WebhookSecret({ merchantId }: { merchantId: string }) {
  const [shown, setShown] = useState(false);
  const [rotating, setRotating] = useState(false);
  const secret = useApi('/merchant/webhook/secret', { merchantId }, { enabled: shown, once: true });
  const rotate = useAct(
    () => api('POST', '/merchant/webhook/rotate-secret', { query: { merchantId } }),
    () => {
      setRotating(false);
      setShown(true);
    },
  );
  return (
    <Card title={t('Webhook signing secret')} className="mt-6">
      <p className="mb-3 text-sm text-soft">
        {t(
          'Checks that a webhook came from here (Standard Webhooks). After a rotation both secrets sign for 24 hours.',
        )}
      </p>
      {shown && (
        <Loaded of={secret} rows={1}>
          {(data) => <CopyLine text={data.secret} label={t('signing secret')} />}
        </Loaded>
      )}
      {rotate.isSuccess && (
        <p role="status" className="mt-3 text-sm text-accent">
          {t('This is the new secret: give it to your shop within 24 hours.')}
        </p>
      )}
      <div className="mt-3 flex flex-wrap gap-2">
        <Button onClick={() => setShown(!shown)}>{shown ? t('Hide') : t('Show')}</Button>
        <Button onClick={() => setRotating(true)}>{t('Rotate')}</Button>
      </div>
      <Confirm
        title={t('Rotate the signing secret')}
        open={rotating}
        onClose={() => setRotating(false)}
        action={t('Rotate')}
        busy={rotate.isPending}
        error={rotate.error}
        onConfirm={() => rotate.mutate()}
      >
        <p>{t('Webhooks carry both signatures for 24 hours. After that the old secret is worth nothing.')}</p>
      </Confirm>
    </Card>
  );
}
